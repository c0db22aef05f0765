package server

import (
	"slices"

	"slotcast/resp2"
	"slotcast/resp3"
)

// Reply collects the bytes of a command's answer in the protocol of its
// connection, so that a command is written once for RESP2 and RESP3. The
// lengths given to Array, Map, Set and Push count elements (pairs for Map);
// the caller then writes exactly that many.
type Reply struct {
	buf   []byte
	resp3 bool
	// shared follows buf: bytes that are others' as well.
	shared []byte
}

// Status writes a simple string.
func (r *Reply) Status(s string) { r.buf = resp2.AppendStatus(r.buf, s) }

// OK writes +OK.
func (r *Reply) OK() { r.buf = append(r.buf, "+OK\r\n"...) }

// Int writes an integer.
func (r *Reply) Int(n int64) { r.buf = resp2.AppendInt(r.buf, n) }

// Bulk writes a bulk string.
func (r *Reply) Bulk(b []byte) { r.buf = resp2.AppendBulk(r.buf, b) }

// BulkString writes a bulk string.
func (r *Reply) BulkString(s string) { r.buf = resp2.AppendBulkString(r.buf, s) }

// Array writes the head of an array of n elements.
func (r *Reply) Array(n int) { r.buf = resp2.AppendArray(r.buf, n) }

// Raw writes bytes that are already encoded for this connection's protocol.
func (r *Reply) Raw(b []byte) { r.buf = append(r.buf, b...) }

// Shared writes bytes that are already encoded, and are sent from where they
// are: a whole map is long, and to copy it for each who asks costs as much as to
// send it, and garbage besides. They must never change. Nothing may be written
// after them before the reply is sent, which process sees to.
func (r *Reply) Shared(b []byte) { r.shared = b }

// Insert puts bytes before those written since the reply had the length at: the
// head of a list whose length is known only after its elements.
func (r *Reply) Insert(at int, b []byte) { r.buf = slices.Insert(r.buf, at, b...) }

// Null writes the null of a missing bulk string.
func (r *Reply) Null() {
	if r.resp3 {
		r.buf = resp3.AppendNull(r.buf)
	} else {
		r.buf = resp2.AppendNull(r.buf)
	}
}

// NullArray writes the null of a missing array.
func (r *Reply) NullArray() {
	if r.resp3 {
		r.buf = resp3.AppendNullArray(r.buf)
	} else {
		r.buf = resp2.AppendNullArray(r.buf)
	}
}

// Map writes the head of a map of n pairs; a flat array in RESP2.
func (r *Reply) Map(n int) {
	if r.resp3 {
		r.buf = resp3.AppendMap(r.buf, n)
	} else {
		r.buf = resp2.AppendMap(r.buf, n)
	}
}

// Set writes the head of a set of n elements; an array in RESP2.
func (r *Reply) Set(n int) {
	if r.resp3 {
		r.buf = resp3.AppendSet(r.buf, n)
	} else {
		r.buf = resp2.AppendSet(r.buf, n)
	}
}

// Push writes the head of a push of n elements; an array in RESP2.
func (r *Reply) Push(n int) {
	if r.resp3 {
		r.buf = resp3.AppendPush(r.buf, n)
	} else {
		r.buf = resp2.AppendPush(r.buf, n)
	}
}

// Double writes a floating point number; a bulk string in RESP2.
func (r *Reply) Double(f float64) {
	if r.resp3 {
		r.buf = resp3.AppendDouble(r.buf, f)
	} else {
		r.buf = resp2.AppendDouble(r.buf, f)
	}
}

// Bool writes a boolean; 1 or 0 in RESP2.
func (r *Reply) Bool(v bool) {
	if r.resp3 {
		r.buf = resp3.AppendBool(r.buf, v)
	} else {
		r.buf = resp2.AppendBool(r.buf, v)
	}
}

// Verbatim writes text with its three-letter format; a bulk string in RESP2.
func (r *Reply) Verbatim(format, text string) {
	if r.resp3 {
		r.buf = resp3.AppendVerbatim(r.buf, format, text)
	} else {
		r.buf = resp2.AppendVerbatim(r.buf, format, text)
	}
}

// Strings writes an array of bulk strings.
func (r *Reply) Strings(list []string) {
	r.Array(len(list))
	for _, s := range list {
		r.BulkString(s)
	}
}
