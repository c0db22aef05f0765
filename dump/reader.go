package dump

import (
	"encoding/binary"
	"strconv"
)

// reader takes a payload apart. Once something is missing or makes no sense it
// has failed, and gives nothing but zeros.
type reader struct {
	rest   []byte
	limit  int64
	failed bool
}

// take returns the next n bytes, which still belong to the payload.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) fail() { r.rest, r.failed = nil, true }

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// A length begins with a byte whose first two bits say how it is written.
const (
	short    = 0 // the other six bits are the length
	medium   = 1 // they are its high bits, the next byte the low ones
	long     = 2 // see long32 and long64
	specials = 3 // not a length: the six bits name the encoding of a string

	long32 = 0x80 // big-endian, in four bytes
	long64 = 0x81 // in eight
)

// The encodings of a string.
const (
	int8Text = iota // the decimal text of a number
	int16Text
	int32Text
	compressed
)

// length reads a length, or the encoding of a string where special is set.
func (r *reader) length() (n uint64, special bool) {
	first := r.byte()
	low := uint64(first & 0x3f)
	switch first >> 6 {
	case short:
		return low, false
	case medium:
		return low<<8 | uint64(r.byte()), false
	case specials:
		return low, true
	}
	switch first {
	case long32:
		if b := r.take(4); b != nil {
			return uint64(binary.BigEndian.Uint32(b)), false
		}
	case long64:
		if b := r.take(8); b != nil {
			return binary.BigEndian.Uint64(b), false
		}
	}
	r.fail()
	return 0, false
}

// text reads a string in any encoding. owned tells that it is not part of the
// payload.
func (r *reader) text() (text []byte, owned bool) {
	n, special := r.length()
	if !special {
		return r.take(n), false
	}
	var number int64
	switch n {
	case int8Text:
		number = int64(int8(r.byte()))
	case int16Text:
		if b := r.take(2); b != nil {
			number = int64(int16(binary.LittleEndian.Uint16(b)))
		}
	case int32Text:
		if b := r.take(4); b != nil {
			number = int64(int32(binary.LittleEndian.Uint32(b)))
		}
	case compressed:
		return r.compressedText(), true
	default:
		r.fail()
	}
	if r.failed {
		return nil, false
	}
	return strconv.AppendInt(nil, number, 10), true
}

func (r *reader) compressedText() []byte {
	size, special := r.length()
	n, special2 := r.length()
	from := r.take(size)
	if r.failed || special || special2 || r.limit < 0 || n > uint64(r.limit) {
		r.fail()
		return nil
	}
	text, ok := expand(from, n)
	if !ok {
		r.fail()
		return nil
	}
	return text
}
