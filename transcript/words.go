package transcript

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// words cuts a line into patterns, one for each word, as a shell would:
// bare or quoted pieces that touch form one word.
func words(line string) ([]pattern, error) {
	var out []pattern
	rest := strings.TrimLeft(line, " \t")
	for rest != "" {
		var word pattern
		for rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			var part pattern
			var err error
			if rest[0] == '"' {
				part, rest, err = quoted(rest)
			} else {
				n := strings.IndexAny(rest, " \t\"")
				if n < 0 {
					n = len(rest)
				}
				part, err = spelled(rest[:n])
				rest = rest[n:]
			}
			if err != nil {
				return nil, err
			}
			word = append(word, part...)
		}
		out = append(out, word)
		rest = strings.TrimLeft(rest, " \t")
	}
	return out, nil
}

// wire reads an expectation: quoted text, {members in any order}, and
// strings of varying length.
func wire(line string) (pattern, error) {
	p, rest, err := wireUntil(line, 0)
	if err == nil && rest != "" {
		err = fmt.Errorf("%q is left over", rest)
	}
	return p, err
}

var described = map[string]elementKind{"bulk(": inBulk, "verbatim(": inVerbatim, "text(": inText}

func wireUntil(line string, end byte) (p pattern, rest string, err error) {
	rest = line
	for {
		rest = strings.TrimLeft(rest, " \t")
		switch {
		case rest == "" && end == 0:
			return p, "", nil
		case rest == "":
			return nil, "", fmt.Errorf("%q is missing", end)
		case rest[0] == end:
			return p, rest[1:], nil
		case rest[0] == '"':
			var part pattern
			if part, rest, err = quoted(rest); err != nil {
				return nil, "", err
			}
			p = append(p, part...)
		case rest[0] == '{':
			e := element{kind: unordered}
			rest = strings.TrimLeft(rest[1:], " \t")
			for rest != "" && rest[0] != '}' {
				var part pattern
				if part, rest, err = quoted(rest); err != nil {
					return nil, "", err
				}
				e.members = append(e.members, part)
				rest = strings.TrimLeft(rest, " \t")
			}
			if rest == "" {
				return nil, "", errors.New("'}' is missing")
			}
			rest = rest[1:]
			p = append(p, e)
		default:
			e, after, err := opening(rest)
			if err != nil {
				return nil, "", err
			}
			var body pattern
			if body, rest, err = wireUntil(after, ')'); err != nil {
				return nil, "", err
			}
			e.members = []pattern{body}
			p = append(p, e)
		}
	}
}

func opening(rest string) (element, string, error) {
	for word, kind := range described {
		if after, ok := strings.CutPrefix(rest, word); ok {
			return element{kind: kind}, after, nil
		}
	}
	return element{}, "", fmt.Errorf("expected quoted text at %q", rest)
}

// quoted reads one quoted piece and its repetition.
func quoted(line string) (p pattern, rest string, err error) {
	if line[0] != '"' {
		return nil, "", fmt.Errorf("expected quoted text at %q", line)
	}
	i := 1
	for i < len(line) && line[i] != '"' {
		if line[i] == '\\' {
			i++
		}
		i++
	}
	if i >= len(line) {
		return nil, "", fmt.Errorf("no end of the quoted text at %q", line)
	}
	p, err = spelled(line[1:i])
	rest = line[i+1:]
	if err != nil || !strings.HasPrefix(rest, "*") {
		return p, rest, err
	}
	n := 1
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	times, err := strconv.Atoi(rest[1:n])
	if err != nil || p.varies() || times > 1<<26 {
		return nil, "", fmt.Errorf("%q does not repeat a plain text", line)
	}
	if len(p) > 0 {
		p = pattern{{kind: literal, text: strings.Repeat(p[0].text, times)}}
	}
	return p, rest[n:], nil
}

// spelled decodes escapes and varying parts.
func spelled(s string) (pattern, error) {
	var p pattern
	var plain []byte
	flush := func() {
		if len(plain) > 0 {
			p = append(p, element{kind: literal, text: string(plain)})
			plain = nil
		}
	}
	for i := 0; i < len(s); {
		if found := varying.FindStringSubmatch(s[i:]); found != nil {
			flush()
			e := element{kind: reference, text: found[2], capture: found[1]}
			if kind, ok := varyingKinds[found[2]]; ok {
				e = element{kind: kind, capture: found[1]}
			} else if limit, ok := strings.CutPrefix(found[2], atMostPrefix); ok {
				n, err := atoi(limit)
				if err != nil {
					return nil, err
				}
				e = element{kind: atMost, limit: n, capture: found[1]}
			} else if found[1] != "" {
				return nil, fmt.Errorf("%s captures nothing", found[0])
			}
			p = append(p, e)
			i += len(found[0])
			continue
		}
		if s[i] != '\\' {
			plain = append(plain, s[i])
			i++
			continue
		}
		c, n, err := escape(s[i:])
		if err != nil {
			return nil, err
		}
		plain = append(plain, c)
		i += n
	}
	flush()
	return p, nil
}

const escapes = "r\rn\nt\ta\ab\b\\\\\"\""

func escape(s string) (c byte, n int, err error) {
	if len(s) >= 4 && s[1] == 'x' {
		v, err := strconv.ParseUint(s[2:4], 16, 8)
		if err == nil {
			return byte(v), 4, nil
		}
	}
	if len(s) >= 2 {
		for i := 0; i < len(escapes); i += 2 {
			if escapes[i] == s[1] {
				return escapes[i+1], 2, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("no such escape at %q", s)
}

// quote spells bytes as a file has them.
func quote(b []byte) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case c == '<' && varying.Match(b[i:]):
			out.WriteString(`\x3c`)
		case c == '"' || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case c == '\r':
			out.WriteString(`\r`)
		case c == '\n':
			out.WriteString(`\n`)
		case c == '\t':
			out.WriteString(`\t`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&out, `\x%02x`, c)
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
	return out.String()
}
