package keyspace

import (
	"slices"
	"strconv"
)

// embstrLimit is the longest string that OBJECT ENCODING calls embstr.
const embstrLimit = 44

// String is a string value. Like Redis it keeps a canonical integer as a number.
type String struct {
	b      []byte // unused while number is set
	n      int64
	number bool // the value is the decimal text of n
	raw    bool // longer than embstrLimit, or made by a command that changes bytes in place
	shared bool
}

// Short strings live in one allocation with their header, in the two size
// classes that fit most values.
type (
	tinyString struct {
		String
		room [24]byte
	}
	shortString struct {
		String
		room [embstrLimit]byte
	}
)

// NewString makes the value that SET stores: a number if b is the canonical
// text of an int64, else the bytes. b is copied.
func NewString(b []byte) *String {
	if n, ok := ParseInt(b); ok {
		return NewInt(n)
	}
	return NewText(b)
}

// NewInt makes the value that INCR stores.
func NewInt(n int64) *String { return &String{n: n, number: true} }

// NewText makes a value that is kept as text even if it looks like a number,
// as INCRBYFLOAT's result is. b is copied.
func NewText(b []byte) *String {
	switch {
	case len(b) <= len(tinyString{}.room):
		s := new(tinyString)
		s.b = append(s.room[:0], b...)
		return &s.String
	case len(b) <= embstrLimit:
		s := new(shortString)
		s.b = append(s.room[:0], b...)
		return &s.String
	}
	return &String{b: append([]byte(nil), b...), raw: true}
}

// OwnRaw makes a raw value, whatever its length, of bytes that the caller made
// for it and gives away, as BITOP's result is: nothing is copied.
func OwnRaw(b []byte) *String { return &String{b: b, raw: true} }

func (s *String) Kind() Kind { return StringKind }

func (s *String) Encoding() string {
	switch {
	case s.number:
		return "int"
	case s.raw:
		return "raw"
	}
	return "embstr"
}

// Size counts the header with the bytes' capacity, which includes the room that
// APPEND grows into.
func (s *String) Size() int64 { return 40 + int64(cap(s.b)) }

func (s *String) share() { s.shared = true }

// Len is the length of the text in bytes.
func (s *String) Len() int {
	if !s.number {
		return len(s.b)
	}
	var scratch [20]byte
	return len(strconv.AppendInt(scratch[:0], s.n, 10))
}

// Bytes returns the text, not to be modified. A number is written into scratch,
// for which 20 bytes of capacity suffice.
func (s *String) Bytes(scratch []byte) []byte {
	if s.number {
		return strconv.AppendInt(scratch[:0], s.n, 10)
	}
	return s.b
}

// Int returns the value as INCR reads it; ok is false if it is not the
// canonical text of an int64.
func (s *String) Int() (n int64, ok bool) {
	if s.number {
		return s.n, true
	}
	return ParseInt(s.b)
}

// writeAt returns the string with data at offset, zero bytes filling a gap. It
// is s itself unless s was shared or is not kept as plain bytes of its own, so
// a series of small writes does not copy a large value again and again.
func (s *String) writeAt(offset int, data []byte) *String {
	need := offset + len(data)
	if s.shared || s.number || !s.raw {
		var scratch [20]byte
		old := s.Bytes(scratch[:])
		s = &String{b: make([]byte, len(old), max(need, len(old))), raw: true}
		copy(s.b, old)
	}
	if have := len(s.b); need > have {
		s.b = slices.Grow(s.b, need-have)[:need]
		if offset > have {
			clear(s.b[have:offset]) // room left by Grow may hold anything
		}
	}
	copy(s.b[offset:], data)
	return s
}

// ParseInt reads the canonical decimal text of an int64: no sign but a minus, no
// leading zero, no space. Redis keeps exactly these as numbers and accepts
// exactly these as integer arguments.
func ParseInt(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	digits, negative := b, b[0] == '-'
	if negative {
		digits = b[1:]
	}
	if len(digits) == 0 || digits[0] < '1' || digits[0] > '9' {
		return 0, len(b) == 1 && b[0] == '0'
	}
	var u uint64
	for _, c := range digits {
		d := uint64(c - '0')
		if d > 9 || u > (1<<63)/10 { // a value at the bound still fits a uint64 after one more digit
			return 0, false
		}
		u = u*10 + d
	}
	if negative {
		return int64(-u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}
