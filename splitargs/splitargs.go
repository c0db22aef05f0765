// Package splitargs splits a line of text into words by the rule that Redis
// applies to inline commands, to each line of redis.conf and to redis-cli's
// prompt. It is a leaf: the request parser and the configuration reader share
// it, so a quoted word means the same to both.
//
// The rule, by bytes and independent of any locale:
//
//   - Words are separated by blanks: space, tab, CR, LF, VT and FF between
//     words. VT and FF inside an unquoted word belong to the word.
//   - A double quote, also in the middle of a word, opens a part in which \n,
//     \r, \t, \b, \a and \xHH are escapes and a backslash before any other
//     byte stands for that byte.
//   - A single quote opens a part in which \' is the only escape.
//   - The quote that closes a part ends the word and must be followed by a
//     blank or the end of the line.
//   - A NUL byte ends the line, because Redis sees the line as a C string.
//
// All functions are safe for concurrent use.
package splitargs

import "bytes"

// Split returns the words of line. It is false when a quote is left open or
// when a closing quote is followed by something else than a blank; the words
// are nil then. An empty or blank line gives no words and true.
//
// The words do not alias line. They share one buffer, which is never longer
// than line, since no escape is shorter than what it stands for.
func Split(line []byte) ([][]byte, bool) {
	if end := bytes.IndexByte(line, 0); end >= 0 {
		line = line[:end]
	}
	s := splitter{line: line}
	var words [][]byte
	for s.skipBlanks() {
		if words == nil {
			s.out = make([]byte, 0, len(line)-s.pos)
			words = make([][]byte, 0, countStarts(line[s.pos:]))
		}
		start := len(s.out)
		if !s.word() {
			return nil, false
		}
		// The capacity ends with the word, so that appending to one word
		// cannot run into the next.
		words = append(words, s.out[start:len(s.out):len(s.out)])
	}
	return words, true
}

// countStarts returns how many words line has at most: as many as it has bytes
// behind a blank that are none. Growing the slice of words step by step instead
// would cost a multiple of what a hostile line is worth.
func countStarts(line []byte) (n int) {
	blank := true
	for _, c := range line {
		if !isSpace(c) && blank {
			n++
		}
		blank = isSpace(c)
	}
	return n
}

// splitter walks one line; pos is the next byte to look at, out holds the
// bytes of all words so far.
type splitter struct {
	line []byte
	pos  int
	out  []byte
}

// skipBlanks moves to the next word and reports whether there is one.
func (s *splitter) skipBlanks() bool {
	for s.pos < len(s.line) && isSpace(s.line[s.pos]) {
		s.pos++
	}
	return s.pos < len(s.line)
}

// word appends one word to out and leaves pos on the byte after it.
func (s *splitter) word() bool {
	for ; s.pos < len(s.line); s.pos++ {
		switch c := s.line[s.pos]; c {
		case ' ', '\t', '\r', '\n':
			return true
		case '"', '\'':
			s.pos++
			return s.quoted(c)
		default:
			s.out = append(s.out, c)
		}
	}
	return true
}

// quoted appends the rest of a word whose part opened by quote begins at pos.
func (s *splitter) quoted(quote byte) bool {
	for s.pos < len(s.line) {
		rest := s.line[s.pos:]
		switch {
		case rest[0] == quote:
			s.pos++
			return len(rest) == 1 || isSpace(rest[1])
		case rest[0] == '\\' && quote == '"' && len(rest) > 1:
			s.pos += s.escape(rest)
		case rest[0] == '\\' && len(rest) > 1 && rest[1] == quote:
			s.out = append(s.out, quote)
			s.pos += 2
		default:
			s.out = append(s.out, rest[0])
			s.pos++
		}
	}
	return false // the line ended inside the quotes
}

// escape appends what the escape at the start of rest stands for and returns
// its length. rest has at least two bytes.
func (s *splitter) escape(rest []byte) int {
	if rest[1] == 'x' && len(rest) >= 4 {
		high, okHigh := hexDigit(rest[2])
		low, okLow := hexDigit(rest[3])
		if okHigh && okLow {
			s.out = append(s.out, high<<4|low)
			return 4
		}
	}
	c := rest[1]
	switch c {
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'b':
		c = '\b'
	case 'a':
		c = '\a'
	}
	s.out = append(s.out, c)
	return 2
}

// isSpace is isspace() of the C locale, where unicode.IsSpace would also take
// 0x85 and 0xA0.
func isSpace(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r'
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
