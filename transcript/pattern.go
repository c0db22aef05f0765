package transcript

import (
	"fmt"
	"regexp"
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

var varyingKinds = map[string]elementKind{
	"int": anInt, "float": aFloat, "id": anID, "any-line": anyLine, "any-lines": anyLines,
	"bulk": aBulk, "any-reply": anyReply,
}

const atMostPrefix = "up-to-"

var varying = regexp.MustCompile(`^<(?:([a-z][a-z0-9-]*)=)?([a-z][a-z0-9-]*)>`)

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
			return "", fmt.Errorf("what varies cannot be sent")
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
