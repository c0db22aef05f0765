package transcript

import (
	"bytes"
	"fmt"
	"strings"
)

// with returns the file's text with what was heard written in.
func (f *File) with(heard map[*Step]map[int][]saying) string {
	below := map[int][]string{}
	for i := range f.Steps {
		s := &f.Steps[i]
		if by := heard[s]; by != nil {
			indent := f.lines[s.Line-1][:len(f.lines[s.Line-1])-len(strings.TrimLeft(f.lines[s.Line-1], " \t"))]
			for _, line := range expectationLines(by, s.protocol) {
				below[s.last] = append(below[s.last], indent+line)
			}
		}
	}
	var out []string
	for i, line := range f.lines {
		out = append(out, line)
		out = append(out, below[i+1]...)
	}
	return strings.Join(out, "\n") + "\n"
}

// expectationLines states what both protocols gave, once where it is equal.
func expectationLines(by map[int][]saying, only int) []string {
	var out []string
	if only != 0 {
		for _, s := range by[only] {
			out = append(out, said(s, "<")...)
		}
		return out
	}
	names := map[string]bool{}
	var order []string
	for _, protocol := range protocols {
		for _, s := range by[protocol] {
			if !names[s.conn] {
				names[s.conn] = true
				order = append(order, s.conn)
			}
		}
	}
	for _, name := range order {
		two, three := of(by[2], name), of(by[3], name)
		if bytes.Equal(two.bytes, three.bytes) {
			out = append(out, said(two, "<")...)
			continue
		}
		if len(two.bytes) > 0 {
			out = append(out, said(two, "<2")...)
		}
		if len(three.bytes) > 0 {
			out = append(out, said(three, "<3")...)
		}
	}
	return out
}

func of(said []saying, conn string) saying {
	for _, s := range said {
		if s.conn == conn {
			return s
		}
	}
	return saying{conn: conn}
}

// widest is the length of text after which a recorded line is broken.
const widest = 96

// said spells what a connection received. Text too wide for one line is
// broken between whole replies first, then between their elements, so that a
// string stays with its length.
func said(s saying, sign string) []string {
	if s.shrinks {
		return []string{fmt.Sprintf(`%s%s ":<%s%s>\r\n"`, s.conn, sign, atMostPrefix, s.bytes)}
	}
	if len(s.bytes) <= widest {
		return []string{s.conn + sign + " " + quote(s.bytes)}
	}
	var out []string
	var line []byte
	flush := func() {
		if len(line) > 0 {
			out = append(out, s.conn+sign+" "+quote(line))
			line = nil
		}
	}
	var open []int // elements still to come, of each array that is open
	for rest := s.bytes; len(rest) > 0; {
		n, inside := token(rest)
		if len(line)+n > widest || len(open) == 0 {
			flush()
		}
		line = append(line, rest[:n]...)
		rest = rest[n:]
		if inside > 0 {
			open = append(open, inside)
			continue
		}
		for len(open) > 0 {
			last := len(open) - 1
			if open[last]--; open[last] > 0 {
				break
			}
			open = open[:last]
		}
	}
	flush()
	return out
}

// token is the length of the first element in b, header and body, and for an
// array, map, set or push the number of elements inside.
func token(b []byte) (n, inside int) {
	n = bytes.Index(b, []byte("\r\n")) + 2
	if n < 3 {
		return len(b), 0
	}
	count, err := atoi(string(b[1 : n-2]))
	if err != nil || count < 0 {
		return n, 0
	}
	switch b[0] {
	case '$', '=', '!':
		return min(n+count+2, len(b)), 0
	case '*', '~', '>':
		return n, count
	case '%', '|':
		return n, 2 * count
	}
	return n, 0
}

// withoutPlainExpectations returns the file's text without the expectations
// of steps where all of them are plain bytes of every target.
func (f *File) withoutPlainExpectations() string {
	drop := map[int]bool{}
	for i := range f.Steps {
		s := &f.Steps[i]
		plain := s.only == "" && s.kind != ask && s.kind != fresh
		for j := range s.expects {
			plain = plain && s.expects[j].target == "" && !s.expects[j].want.varies()
		}
		if plain {
			for line := s.Line + 1; line <= s.last; line++ {
				drop[line] = connLine.MatchString(strings.TrimSpace(f.lines[line-1]))
			}
		}
	}
	var out []string
	for i, line := range f.lines {
		if !drop[i+1] {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n") + "\n"
}
