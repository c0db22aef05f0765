package server

import (
	"bytes"
	"math/big"
	"strings"
)

// longDouble is a number of C's long double on x86, in which Redis computes
// INCRBYFLOAT: a mantissa of 64 bits and an exponent of 15. Results are rounded
// to nearest, even on a tie.
type longDouble struct {
	f   big.Float // finite
	inf int       // the sign of an infinity, or 0
}

const (
	longDoubleBits = 64
	// In big.Float's terms, where a mantissa is in [½, 1).
	longDoubleMaxExp = 16384
	longDoubleMinExp = -16381 // of a number with all its bits; below it bits go missing
	// maxLongDoubleLen is the length from which Redis takes a text for no number.
	maxLongDoubleLen = 5 * 1024
	// longDoubleDecimals are the digits behind the point that are shown.
	longDoubleDecimals = 17
)

// parseLongDouble reads what strtold reads, as a whole and without space before
// it: decimal or hexadecimal digits, or an infinity. Not a number, a number
// too large, and one so small that it becomes zero are refused.
func parseLongDouble(text []byte) (*longDouble, bool) {
	if len(text) == 0 || len(text) >= maxLongDoubleLen {
		return nil, false
	}
	rest, negative := text, text[0] == '-'
	if negative || text[0] == '+' {
		rest = text[1:]
	}
	d := new(longDouble)
	if is(rest, "inf") || is(rest, "infinity") {
		d.inf = 1
		if negative {
			d.inf = -1
		}
		return d, true
	}
	base, mark, ebase := 10, byte('e'), int64(10)
	if len(rest) > 2 && rest[0] == '0' && rest[1]|0x20 == 'x' {
		base, mark, ebase = 16, 'p', 2
		rest = rest[2:]
	}
	digits, exp, ok := splitNumber(rest, mark, base)
	if !ok {
		return nil, false
	}
	if base == 16 {
		exp.scale *= 4 // a hexadecimal digit is worth four bits
	}
	d.f.SetPrec(longDoubleBits)
	if digits != "" && !d.set(digits, base, ebase, exp.scale+exp.given) {
		return nil, false
	}
	if negative {
		d.f.Neg(&d.f)
	}
	return d, true
}

// exponent is what the digits of a number, read as an integer, are scaled by:
// for the place of the point, and as the text says.
type exponent struct{ scale, given int64 }

// splitNumber takes a number apart: its significant digits without the point,
// and the exponent. Digits are empty for zero.
func splitNumber(b []byte, mark byte, base int) (digits string, exp exponent, ok bool) {
	mantissa := b
	if i := bytes.IndexFunc(b, func(r rune) bool { return r|0x20 == rune(mark) }); i >= 0 {
		mantissa = b[:i]
		if exp.given, ok = parseExponent(b[i+1:]); !ok {
			return "", exp, false
		}
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte{'.'})
	if len(whole)+len(fraction) == 0 {
		return "", exp, false
	}
	all := string(whole) + string(fraction)
	for i := range len(all) {
		if !isDigit(all[i], base) {
			return "", exp, false
		}
	}
	digits = strings.TrimRight(all, "0")
	exp.scale = int64(len(all)-len(digits)) - int64(len(fraction))
	return strings.TrimLeft(digits, "0"), exp, true
}

func isDigit(c byte, base int) bool {
	return c >= '0' && c <= '9' || base == 16 && c|0x20 >= 'a' && c|0x20 <= 'f'
}

// maxExponent is far outside of what a long double can hold, whatever the
// number of digits.
const maxExponent = 1 << 20

func parseExponent(b []byte) (int64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative || len(b) > 0 && b[0] == '+' {
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	n := int64(0)
	for _, c := range b {
		if !isDigit(c, 10) {
			return 0, false
		}
		n = min(n*10+int64(c-'0'), maxExponent)
	}
	if negative {
		n = -n
	}
	return n, true
}

// set rounds digits × ebase^exp, which is not zero, once. It reports whether
// the result is neither too large nor zero.
func (d *longDouble) set(digits string, base int, ebase, exp int64) bool {
	// Bound the powers computed below: beyond these the answer is known.
	magnitude := int64(len(digits)) + exp // in decimal digits, or less than four times that in bits
	limit := int64(5000)
	if base == 16 {
		magnitude, limit = 4*int64(len(digits))+exp, 16500
	}
	if magnitude > limit || magnitude < -limit {
		return false
	}
	n, _ := new(big.Int).SetString(digits, base)
	mantissa := new(big.Float).SetInt(n) // exact
	power := new(big.Float).SetInt(new(big.Int).Exp(big.NewInt(ebase), big.NewInt(max(exp, -exp)), nil))
	quo := func(prec uint) {
		d.f.SetPrec(0).SetPrec(prec)
		if exp < 0 {
			d.f.Quo(mantissa, power)
		} else {
			d.f.Mul(mantissa, power)
		}
	}
	quo(longDoubleBits)
	switch e := d.f.MantExp(nil); {
	case e > longDoubleMaxExp:
		return false
	case e < longDoubleMinExp:
		// With fewer bits, and rounded anew from the exact value.
		missing := longDoubleMinExp - e
		if missing >= longDoubleBits {
			return d.smallest(mantissa, power)
		}
		quo(uint(longDoubleBits - missing))
		d.f.SetPrec(longDoubleBits)
	}
	return true
}

// smallest decides about mantissa ÷ power, which has no bit left: it is the
// smallest number, or zero.
func (d *longDouble) smallest(mantissa, power *big.Float) bool {
	d.f.SetMantExp(big.NewFloat(0.5), longDoubleMinExp-longDoubleBits+1)
	half := new(big.Float).SetMantExp(power, longDoubleMinExp-longDoubleBits-1)
	d.f.SetPrec(longDoubleBits)
	return mantissa.Cmp(half) > 0
}

// add adds n, and reports whether the result is a finite number.
func (d *longDouble) add(n *longDouble) bool {
	if d.inf != 0 || n.inf != 0 {
		return false
	}
	d.f.SetPrec(longDoubleBits).Add(&d.f, &n.f)
	return d.f.MantExp(nil) <= longDoubleMaxExp
}

// appendTo writes the number without an exponent and without needless zeros.
func (d *longDouble) appendTo(b []byte) []byte {
	start := len(b)
	b = d.f.Append(b, 'f', longDoubleDecimals)
	b = bytes.TrimRight(b, "0")
	b = bytes.TrimSuffix(b, []byte{'.'})
	if string(b[start:]) == "-0" {
		b = append(b[:start], '0')
	}
	return b
}
