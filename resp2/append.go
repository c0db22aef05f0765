package resp2

import (
	"math"
	"strconv"

	"github.com/tidwall/redcon"
)

// AppendStatus appends a simple string such as OK. CR and LF in s become
// spaces, because the form has no way to carry them.
func AppendStatus(b []byte, s string) []byte {
	return appendLine(b, '+', s)
}

// AppendError appends an error. text begins with its code ("ERR …") and not
// with '-'; CR and LF in it become spaces.
func AppendError(b []byte, text string) []byte {
	return appendLine(b, '-', text)
}

// appendLine is used instead of redcon's AppendString and AppendError, which
// allocate a copy of a text that needs cleaning. Error texts quote what a
// client sent, so clients decide how often that is.
func appendLine(b []byte, kind byte, s string) []byte {
	b = append(b, kind)
	start := len(b)
	b = append(b, s...)
	for i := start; i < len(b); i++ {
		if b[i] == '\r' || b[i] == '\n' {
			b[i] = ' '
		}
	}
	return append(b, '\r', '\n')
}

// AppendInt appends an integer.
func AppendInt(b []byte, n int64) []byte {
	return redcon.AppendInt(b, n)
}

// AppendBulk appends a bulk string; nil and empty are both the empty string.
func AppendBulk(b, bulk []byte) []byte {
	return redcon.AppendBulk(b, bulk)
}

// AppendBulkString is AppendBulk for a string.
func AppendBulkString(b []byte, bulk string) []byte {
	return redcon.AppendBulkString(b, bulk)
}

// AppendNull appends the null bulk string.
func AppendNull(b []byte) []byte {
	return redcon.AppendNull(b)
}

// AppendNullArray appends the null array.
func AppendNullArray(b []byte) []byte {
	return append(b, '*', '-', '1', '\r', '\n')
}

// AppendArray opens an array of n elements, which the caller appends.
func AppendArray(b []byte, n int) []byte {
	return redcon.AppendArray(b, n)
}

// AppendMap opens a map of n pairs, here a flat array of 2n elements.
func AppendMap(b []byte, n int) []byte {
	return redcon.AppendArray(b, 2*n)
}

// AppendSet opens a set of n elements, here an array.
func AppendSet(b []byte, n int) []byte {
	return redcon.AppendArray(b, n)
}

// AppendPush opens a message of n elements, here an array like any other: a
// RESP2 client tells it from a reply by being in subscriber mode.
func AppendPush(b []byte, n int) []byte {
	return redcon.AppendArray(b, n)
}

// AppendDouble appends a floating point number, here a bulk string of the text
// that AppendDoubleText gives.
func AppendDouble(b []byte, f float64) []byte {
	var text [maxDoubleText]byte
	return redcon.AppendBulk(b, AppendDoubleText(text[:0], f))
}

// AppendBool appends a truth value, here the integer 1 or 0.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, ':', '1', '\r', '\n')
	}
	return append(b, ':', '0', '\r', '\n')
}

// AppendBigNumber appends an integer of any size given in decimal, here a bulk
// string.
func AppendBigNumber(b []byte, decimal string) []byte {
	return redcon.AppendBulkString(b, decimal)
}

// AppendVerbatim appends a text of the three-letter format ("txt", "mkd"),
// here a bulk string that drops the format.
func AppendVerbatim(b []byte, format, text string) []byte {
	_ = format
	return redcon.AppendBulkString(b, text)
}

const (
	// doubleDigits is the least number of significant digits from which every
	// float64 can be read back; Redis prints replies with it.
	doubleDigits = 17

	// maxDoubleText holds the sign, 17 digits, the point and an exponent, or
	// "0.000" before 17 digits.
	maxDoubleText = 32
)

// AppendDoubleText appends f as C's "%.17g" prints it, with inf, -inf, nan and
// -nan, which is how Redis 7.0 spells doubles in both protocols. strconv's 'g'
// is not used: it follows a rule of its own on when to use an exponent.
func AppendDoubleText(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f) && math.Signbit(f):
		return append(b, "-nan"...)
	case math.IsNaN(f):
		return append(b, "nan"...)
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	}
	// The text is d.ddddddddddddddddde±xx, the sign apart.
	var space [maxDoubleText]byte
	text := strconv.AppendFloat(space[:0], math.Abs(f), 'e', doubleDigits-1, 64)
	if math.Signbit(f) {
		b = append(b, '-')
	}
	mantissaEnd := 1 + doubleDigits
	exponent := 0
	for _, c := range text[mantissaEnd+2:] {
		exponent = 10*exponent + int(c-'0')
	}
	if text[mantissaEnd+1] == '-' {
		exponent = -exponent
	}
	var digits [doubleDigits]byte
	digits[0] = text[0]
	copy(digits[1:], text[2:mantissaEnd])
	significant := doubleDigits
	for significant > 1 && digits[significant-1] == '0' {
		significant--
	}

	switch {
	case exponent < -4 || exponent >= doubleDigits:
		b = append(b, digits[0])
		b = appendFraction(b, digits[1:significant])
		return append(b, text[mantissaEnd:]...)
	case exponent < 0:
		b = append(b, '0', '.')
		for range -exponent - 1 {
			b = append(b, '0')
		}
		return append(b, digits[:significant]...)
	default:
		whole := exponent + 1
		b = append(b, digits[:whole]...)
		if significant <= whole {
			return b
		}
		return appendFraction(b, digits[whole:significant])
	}
}

func appendFraction(b, digits []byte) []byte {
	if len(digits) == 0 {
		return b
	}
	b = append(b, '.')
	return append(b, digits...)
}
