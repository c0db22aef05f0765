package transcript

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A pattern is what a stretch of bytes must look like: literal text and
// elements that may vary.
type pattern []element

type element struct {
	kind    elementKind
	text    string    // literal: the bytes; reference: the name
	limit   int       // atMost
	capture string    // the name under which the matched value is kept
	members []pattern // unordered: the members; text kinds: one, the body
}

type elementKind int

const (
	literal elementKind = iota
	reference
	anInt
	atMost // an integer that shrinks with time, from nine tenths of the limit to the limit
	aFloat
	anID
	anyLine
	anyLines
	aBulk
	anyReply
	unordered
	inBulk     // a bulk string with a described body
	inVerbatim // a verbatim string with a described body
	inText     // the one in RESP2, the other in RESP3
)

var placeholders = map[string]elementKind{
	"int": anInt, "float": aFloat, "id": anID, "any-line": anyLine, "any-lines": anyLines,
	"bulk": aBulk, "any-reply": anyReply,
}

const atMostPrefix = "up-to-"

var placeholder = regexp.MustCompile(`^<(?:([a-z][a-z0-9-]*)=)?([a-z][a-z0-9-]*)>`)

// literalText returns the bytes of a pattern whose references are all known.
func (p pattern) literalText(known map[string]string) (string, error) {
	var b strings.Builder
	for _, e := range p {
		switch e.kind {
		case literal:
			b.WriteString(e.text)
		case reference:
			v, ok := known[e.text]
			if !ok {
				return "", fmt.Errorf("<%s> has not been captured", e.text)
			}
			b.WriteString(v)
		default:
			return "", fmt.Errorf("a placeholder cannot be sent")
		}
	}
	return b.String(), nil
}

// varies reports whether the pattern holds anything but literal text.
func (p pattern) varies() bool {
	for _, e := range p {
		if e.kind != literal {
			return true
		}
	}
	return false
}

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

func (m *match) described(e element) error {
	verbatim := e.kind == inVerbatim || e.kind == inText && m.protocol == 3
	header, body, err := readReply(m.next)
	if err != nil {
		return err
	}
	if verbatim {
		if header[0] != '=' || !strings.HasPrefix(body, "txt:") {
			return fmt.Errorf("%q does not open a verbatim string of kind txt", header)
		}
		body = body[len("txt:"):]
	} else if header[0] != '$' {
		return fmt.Errorf("%q does not open a bulk string", header)
	}
	return matchBody(e.members[0], body, m.known)
}

// matchBody compares a whole body by a regular expression, since what varies
// in it may be of any length. Bytes are widened to runes for that.
func matchBody(p pattern, body string, known map[string]string) error {
	if len(p) == 1 && p[0].kind == unordered {
		return matchLines(p[0].members, body, known)
	}
	var re strings.Builder
	re.WriteString(`^`)
	var names []string
	for _, e := range p {
		var part string
		switch e.kind {
		case literal:
			part = regexp.QuoteMeta(widen(e.text))
		case reference:
			v, ok := known[e.text]
			if !ok {
				return fmt.Errorf("<%s> has not been captured", e.text)
			}
			part = regexp.QuoteMeta(widen(v))
		case anInt:
			part = `-?[0-9]+`
		case aFloat:
			part = `[-+.0-9einfa]+`
		case anID:
			part = `[0-9a-f]{40}`
		case anyLine:
			part = `[^\r\n]*`
		case anyLines:
			part = `(?:[^\n]*\n)*?`
		default:
			return fmt.Errorf("a placeholder for a whole reply has no place inside a string")
		}
		if e.capture != "" {
			names = append(names, e.capture)
			part = "(" + part + ")"
		}
		re.WriteString(part)
	}
	re.WriteString(`$`)
	found := regexp.MustCompile(re.String()).FindStringSubmatch(widen(body))
	if found == nil {
		return fmt.Errorf("the body %q is not what is described", body)
	}
	for i, name := range names {
		known[name] = found[i+1]
	}
	return nil
}

// matchLines takes the lines of a body in any order. Each member takes the
// first line that it fits, so the one that fits all stands last.
func matchLines(members []pattern, body string, known map[string]string) error {
	lines := strings.SplitAfter(body, "\n")
	for _, want := range members {
		found := slices.IndexFunc(lines, func(line string) bool { return matchBody(want, line, known) == nil })
		if found < 0 {
			return fmt.Errorf("no line is as %q describes it, of %q", want.spell(), lines)
		}
		lines = slices.Delete(lines, found, found+1)
	}
	if rest := strings.Join(lines, ""); rest != "" {
		return fmt.Errorf("the body has also %q", rest)
	}
	return nil
}

// spell shows a pattern in a failure.
func (p pattern) spell() string {
	var b strings.Builder
	for _, e := range p {
		if e.kind == literal {
			b.WriteString(e.text)
			continue
		}
		b.WriteString("<…>")
	}
	return b.String()
}

func widen(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

func atoi(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a length", s)
	}
	return n, nil
}
