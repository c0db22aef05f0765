package transcript

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

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
			return fmt.Errorf("a whole reply has no place inside a string")
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
