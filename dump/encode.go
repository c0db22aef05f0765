package dump

import (
	"encoding/binary"
	"math"
	"strconv"
)

// AppendString appends the payload of a string, footer included: the bytes that
// redis-server 7.0 makes of it with `rdbcompression no`.
func AppendString(dst, text []byte) []byte {
	start := len(dst)
	dst = append(dst, byte(String))
	return seal(appendText(dst, text), start)
}

// StringSize is the length of the value in AppendString's payload, without the
// type and the footer.
func StringSize(text []byte) int {
	if n, ok := number(text); ok {
		var scratch [5]byte
		return len(appendNumber(scratch[:0], n))
	}
	var scratch [9]byte
	return len(appendLength(scratch[:0], len(text))) + len(text)
}

func appendText(dst, text []byte) []byte {
	if n, ok := number(text); ok {
		return appendNumber(dst, n)
	}
	return append(appendLength(dst, len(text)), text...)
}

// longestNumber is the length of the smallest 32-bit integer.
const longestNumber = len("-2147483648")

// number reads a text that is exactly how a 32-bit integer is printed.
func number(text []byte) (int32, bool) {
	if len(text) == 0 || len(text) > longestNumber {
		return 0, false
	}
	n, err := strconv.ParseInt(string(text), 10, 32)
	var printed [longestNumber]byte
	if err != nil || string(strconv.AppendInt(printed[:0], n, 10)) != string(text) {
		return 0, false
	}
	return int32(n), true
}

func appendNumber(dst []byte, n int32) []byte {
	switch {
	case n >= math.MinInt8 && n <= math.MaxInt8:
		return append(dst, specials<<6|int8Text, byte(n))
	case n >= math.MinInt16 && n <= math.MaxInt16:
		return binary.LittleEndian.AppendUint16(append(dst, specials<<6|int16Text), uint16(n))
	}
	return binary.LittleEndian.AppendUint32(append(dst, specials<<6|int32Text), uint32(n))
}

func appendLength(dst []byte, n int) []byte {
	switch {
	case n < 1<<6:
		return append(dst, byte(n))
	case n < 1<<14:
		return append(dst, medium<<6|byte(n>>8), byte(n))
	case uint64(n) <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, long32), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, long64), uint64(n))
}
