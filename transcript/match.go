package transcript

import (
	"fmt"
	"strings"
)

// A source gives the bytes of a connection one by one.
type source interface {
	ReadByte() (byte, error)
	UnreadByte() error
}

// A match reads from a source what a pattern describes.
type match struct {
	from     source
	known    map[string]string // captured values, by name
	protocol int
	got      []byte // what has been read, for the failure's text
}

func (m *match) next() (byte, error) {
	c, err := m.from.ReadByte()
	if err != nil {
		return 0, err
	}
	m.got = append(m.got, c)
	return c, nil
}

func (m *match) back() {
	m.got = m.got[:len(m.got)-1]
	// The byte was read just now, so it can be given back.
	_ = m.from.UnreadByte()
}

func (m *match) pattern(p pattern) error {
	for _, e := range p {
		start := len(m.got)
		value, err := m.element(e)
		if err != nil {
			return err
		}
		if e.capture != "" {
			if value == "" {
				value = string(m.got[start:])
			}
			m.known[e.capture] = value
		}
	}
	return nil
}

func (m *match) element(e element) (value string, err error) {
	switch e.kind {
	case literal:
		return "", m.literal(e.text)
	case reference:
		v, ok := m.known[e.text]
		if !ok {
			return "", fmt.Errorf("<%s> has not been captured", e.text)
		}
		return "", m.literal(v)
	case anInt:
		return "", m.run("<int>", "-0123456789")
	case atMost:
		start := len(m.got)
		if err := m.run("a number", "-0123456789"); err != nil {
			return "", err
		}
		n, err := atoi(string(m.got[start:]))
		if err == nil && (n > e.limit || n < e.limit-e.limit/10) {
			err = fmt.Errorf("%d is not just below %d", n, e.limit)
		}
		return "", err
	case aFloat:
		return "", m.run("<float>", "+-.0123456789einfa")
	case anID:
		for range 40 {
			c, err := m.next()
			if err != nil {
				return "", err
			}
			if !strings.ContainsRune("0123456789abcdef", rune(c)) {
				return "", fmt.Errorf("%q is no digit of an <id>", c)
			}
		}
		return "", nil
	case anyLine:
		for {
			c, err := m.next()
			if err != nil {
				return "", err
			}
			if c == '\r' {
				m.back()
				return "", nil
			}
		}
	case aBulk:
		header, body, err := readReply(m.next)
		if err == nil && header[0] != '$' && header[0] != '=' {
			err = fmt.Errorf("a reply of type %q where a bulk string is expected", header[0])
		}
		return body, err
	case anyReply:
		_, _, err := readReply(m.next)
		return "", err
	case unordered:
		return "", m.unordered(e.members)
	case inBulk, inVerbatim, inText:
		return "", m.described(e)
	}
	return "", fmt.Errorf("<any-lines> has its place inside bulk, verbatim and text")
}

func (m *match) literal(text string) error {
	for i := range len(text) {
		c, err := m.next()
		if err != nil {
			return err
		}
		if c != text[i] {
			return fmt.Errorf("byte %d is %q, not %q", len(m.got)-1, c, text[i])
		}
	}
	return nil
}

func (m *match) run(name, of string) error {
	for n := 0; ; n++ {
		c, err := m.next()
		if err != nil {
			return err
		}
		if strings.IndexByte(of, c) < 0 {
			m.back()
			if n == 0 {
				return fmt.Errorf("%q where %s is expected", c, name)
			}
			return nil
		}
	}
}

// unordered takes the members in the order in which they come. A member may
// be several replies long (a key and its value), so all have the same count.
func (m *match) unordered(members []pattern) error {
	left := append([]pattern(nil), members...)
	for len(left) > 0 {
		start := len(m.got)
		found := false
		for !found {
			if _, _, err := readReply(m.next); err != nil {
				return err
			}
			piece := string(m.got[start:])
			longer := false
			for i, want := range left {
				whole, more := m.inMemory(want, piece)
				longer = longer || more
				if whole {
					left = append(left[:i], left[i+1:]...)
					found = true
					break
				}
			}
			if !found && !longer {
				return fmt.Errorf("%q is none of the %d members left", piece, len(left))
			}
		}
	}
	return nil
}

// inMemory matches a pattern against a string that has been read. more is
// true if the pattern would go on after it.
func (m *match) inMemory(p pattern, text string) (whole, more bool) {
	r := strings.NewReader(text)
	trial := match{from: r, known: m.known, protocol: m.protocol}
	if err := trial.pattern(p); err != nil {
		return false, r.Len() == 0 && len(trial.got) == len(text) && isShort(err)
	}
	return r.Len() == 0, false
}
