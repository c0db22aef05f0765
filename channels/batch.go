package channels

import (
	"slotcast/resp2"
	"slotcast/resp3"
)

// Form says how a message has to look for one connection. It is the index of
// a variant: protocol × the port spelled in rows × the payload's shape.
type Form uint8

const (
	// RESP3 selects push frames and maps; without it RESP2 arrays.
	RESP3 Form = 1 << iota
	// TLS spells TLS ports in rows; without it plain ones.
	TLS
	// JSON turns rows on the bare channel into JSON text.
	JSON

	// Forms is the number of variants.
	Forms = 1 << iota
)

// Batch is what one cause sends to one channel: one message, or all rows of
// one commit. Slices gives it encoded for a form, as immutable slices that
// all connections of that form share; a form for which there is nothing to
// say gives none. It is called under an outbox lock, by one goroutine at a
// time.
type Batch interface {
	Slices(Form) [][]byte
}

// message is an ordinary message, encoded on the first demand for each
// protocol: whether anybody speaks RESP3 is not known before.
type message struct {
	kind, pattern, channel string
	payload                []byte
	encoded                [2][][]byte
}

// NewMessage is what SUBSCRIBE's listeners receive.
func NewMessage(channel, payload []byte) Batch {
	return &message{kind: "message", channel: string(channel), payload: payload}
}

// NewPatternMessage is what PSUBSCRIBE's listeners receive.
func NewPatternMessage(pattern string, channel, payload []byte) Batch {
	return &message{kind: "pmessage", pattern: pattern, channel: string(channel), payload: payload}
}

// NewShardMessage is what SSUBSCRIBE's listeners receive.
func NewShardMessage(channel, payload []byte) Batch {
	return &message{kind: "smessage", channel: string(channel), payload: payload}
}

func (m *message) Slices(f Form) [][]byte {
	e := &m.encoded[f&RESP3]
	if *e == nil {
		b := AppendHeader(make([]byte, 0, len(m.channel)+len(m.payload)+64), f, m.kind, m.pattern, m.channel)
		*e = [][]byte{resp2.AppendBulk(b, m.payload)}
	}
	return *e
}

// AppendHeader appends the start of a message frame, up to its payload.
// pattern is written for kind "pmessage" alone.
func AppendHeader(b []byte, f Form, kind, pattern, channel string) []byte {
	n := 3
	if kind == "pmessage" {
		n = 4
	}
	if f&RESP3 != 0 {
		b = resp3.AppendPush(b, n)
	} else {
		b = resp2.AppendArray(b, n)
	}
	b = resp2.AppendBulkString(b, kind)
	if n == 4 {
		b = resp2.AppendBulkString(b, pattern)
	}
	return resp2.AppendBulkString(b, channel)
}
