// Package glob matches names against the patterns of KEYS, SCAN, PSUBSCRIBE,
// PUBSUB and CONFIG GET, by bytes and with the answers of Redis, the odd ones
// included. It is a leaf, holds no state and is safe for concurrent use.
//
//	?       any one byte
//	*       any bytes, also none
//	[abc]   one of these bytes; [^abc] any other; [a-z] a range, either end
//	        first; a backslash takes the next byte as it is
//	\x      the byte x; a backslash at the very end stands for itself
//
// The odd ones: nothing but the empty pattern matches the empty string, "*" not
// either (KEYS and SCAN take "*" as "all" before they match). A class without
// its ']' ends with the pattern. "[]" matches nothing and "[^]" any byte. The
// ends of a range are compared as signed bytes, as Redis does on x86 Linux.
package glob

// Match reports whether the whole of s matches pattern. nocase treats ASCII
// letters of both cases as equal.
//
// It takes at most len(pattern)·len(s) steps and no memory. A '*' is tried with
// the fewest bytes first; when what follows fails, only the last '*' takes one
// byte more. Earlier ones need not be tried again: whatever they could leave to
// the last one, it could have skipped itself. Redis 7.0 reaches the same bound
// by giving up all earlier stars as soon as one has run to the end.
func Match(pattern, s []byte, nocase bool) bool {
	if len(s) == 0 {
		return len(pattern) == 0
	}
	p, i := 0, 0
	afterStar, from := -1, 0 // where to resume when a comparison fails
	for i < len(s) {
		if p < len(pattern) {
			if pattern[p] == '*' {
				p = skipStars(pattern, p)
				if p == len(pattern) {
					return true
				}
				afterStar, from = p, i
				continue
			}
			if next, ok := matchByte(pattern, p, s[i], nocase); ok {
				p = next
				i++
				continue
			}
		}
		if afterStar < 0 {
			return false
		}
		from++
		p, i = afterStar, from
	}
	return skipStars(pattern, p) == len(pattern)
}

func skipStars(pattern []byte, p int) int {
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p
}

// matchByte compares c with the element of pattern at p, which is not a '*',
// and returns where the next element begins.
func matchByte(pattern []byte, p int, c byte, nocase bool) (next int, ok bool) {
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		return matchClass(pattern, p+1, c, nocase)
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	return p + 1, equal(pattern[p], c, nocase)
}

// matchClass is matchByte for a class whose first byte behind '[' is at p.
func matchClass(pattern []byte, p int, c byte, nocase bool) (next int, ok bool) {
	negated := p < len(pattern) && pattern[p] == '^'
	if negated {
		p++
	}
	found := false
	for p < len(pattern) && pattern[p] != ']' {
		switch rest := pattern[p:]; {
		case rest[0] == '\\' && len(rest) >= 2:
			// Redis compares an escaped byte of a class with its case.
			found = found || rest[1] == c
			p += 2
		case len(rest) >= 3 && rest[1] == '-':
			found = found || inRange(rest[0], rest[2], c, nocase)
			p += 3
		default:
			found = found || equal(rest[0], c, nocase)
			p++
		}
	}
	return min(p+1, len(pattern)), found != negated
}

// inRange puts the ends in order before it lowers their case, as Redis does, so
// that [Z-a] matches no letter when the case does not count.
func inRange(first, last, c byte, nocase bool) bool {
	low, high, x := int(int8(first)), int(int8(last)), int(int8(c))
	if low > high {
		low, high = high, low
	}
	if nocase {
		low, high, x = tolower(low), tolower(high), tolower(x)
	}
	return low <= x && x <= high
}

// tolower is the C library's, with which Redis lowers a signed byte: a negative
// one comes back as the unsigned byte, except -1, which is taken for EOF.
func tolower(c int) int {
	switch {
	case c >= 0:
		return int(lower(byte(c)))
	case c == -1:
		return c
	}
	return c + 256
}

func equal(a, b byte, nocase bool) bool {
	return a == b || nocase && lower(a) == lower(b)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}

// Literal returns the bytes with which every match of pattern begins, up to the
// first wildcard ('*', '?' or a class), with escapes resolved. literal is true
// if there is no wildcard, and prefix then is the one string that matches. It
// allocates only for a pattern with escapes; otherwise prefix aliases pattern.
func Literal(pattern []byte) (prefix []byte, literal bool) {
	escaped := false
	for p := 0; p < len(pattern); p++ {
		switch c := pattern[p]; {
		case c == '*' || c == '?' || c == '[':
			if escaped {
				return prefix, false
			}
			return pattern[:p:p], false
		case c == '\\' && p+1 < len(pattern):
			if !escaped {
				escaped = true
				prefix = append(make([]byte, 0, len(pattern)), pattern[:p]...)
			}
			p++
			prefix = append(prefix, pattern[p])
		case escaped:
			prefix = append(prefix, c)
		}
	}
	if escaped {
		return prefix, true
	}
	return pattern, true
}
