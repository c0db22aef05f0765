// Package resp3 is the wire form of replies and messages in RESP3. It has the
// names and signatures of package resp2, so that a command is written once and
// the connection's protocol chooses the package; AppendAttribute alone has no
// counterpart there. Requests look the same in both protocols, so their framing
// is in resp2 only.
//
// All functions append to b and allocate nothing else. They are safe for
// concurrent use.
package resp3

import (
	"strconv"

	"slotcast/resp2"
)

// AppendStatus appends a simple string such as OK. CR and LF in s become
// spaces, because the form has no way to carry them.
func AppendStatus(b []byte, s string) []byte {
	return resp2.AppendStatus(b, s)
}

// AppendError appends an error. text begins with its code ("ERR …") and not
// with '-'; CR and LF in it become spaces.
func AppendError(b []byte, text string) []byte {
	return resp2.AppendError(b, text)
}

// AppendInt appends an integer.
func AppendInt(b []byte, n int64) []byte {
	return resp2.AppendInt(b, n)
}

// AppendBulk appends a bulk string; nil and empty are both the empty string.
func AppendBulk(b, bulk []byte) []byte {
	return resp2.AppendBulk(b, bulk)
}

// AppendBulkString is AppendBulk for a string.
func AppendBulkString(b []byte, bulk string) []byte {
	return resp2.AppendBulkString(b, bulk)
}

// AppendNull appends the null.
func AppendNull(b []byte) []byte {
	return append(b, '_', '\r', '\n')
}

// AppendNullArray appends the null: RESP3 has one for every type.
func AppendNullArray(b []byte) []byte {
	return AppendNull(b)
}

// AppendArray opens an array of n elements, which the caller appends.
func AppendArray(b []byte, n int) []byte {
	return resp2.AppendArray(b, n)
}

// AppendMap opens a map of n pairs; the caller appends key and value in turn.
func AppendMap(b []byte, n int) []byte {
	return appendCount(b, '%', n)
}

// AppendSet opens a set of n elements.
func AppendSet(b []byte, n int) []byte {
	return appendCount(b, '~', n)
}

// AppendPush opens an out-of-band message of n elements, the kind included.
func AppendPush(b []byte, n int) []byte {
	return appendCount(b, '>', n)
}

// AppendAttribute opens n pairs of attributes of the reply that follows them.
// A RESP2 connection is sent neither.
func AppendAttribute(b []byte, n int) []byte {
	return appendCount(b, '|', n)
}

func appendCount(b []byte, kind byte, n int) []byte {
	b = append(b, kind)
	b = strconv.AppendInt(b, int64(n), 10)
	return append(b, '\r', '\n')
}

// AppendDouble appends a floating point number.
func AppendDouble(b []byte, f float64) []byte {
	b = append(b, ',')
	b = resp2.AppendDoubleText(b, f)
	return append(b, '\r', '\n')
}

// AppendBool appends a truth value.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, '#', 't', '\r', '\n')
	}
	return append(b, '#', 'f', '\r', '\n')
}

// AppendBigNumber appends an integer of any size given in decimal.
func AppendBigNumber(b []byte, decimal string) []byte {
	b = append(b, '(')
	b = append(b, decimal...)
	return append(b, '\r', '\n')
}

// formatLength is the length that every verbatim format has on the wire.
const formatLength = 3

// AppendVerbatim appends a text of the three-letter format ("txt", "mkd"). As
// in Redis a shorter format is filled up with spaces and a longer one cut.
func AppendVerbatim(b []byte, format, text string) []byte {
	b = appendCount(b, '=', formatLength+1+len(text))
	for i := range formatLength {
		if i < len(format) {
			b = append(b, format[i])
		} else {
			b = append(b, ' ')
		}
	}
	b = append(b, ':')
	b = append(b, text...)
	return append(b, '\r', '\n')
}
