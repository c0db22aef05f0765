package server

import "math"

// field is a bit field of a string: an integer of up to 64 bits, unsigned up to
// 63, the highest bit first.
type field struct {
	signed bool
	width  int
	offset int64
}

// parseFieldType reads a type such as u8 or i16.
func parseFieldType(arg []byte) (f field, ok bool) {
	if len(arg) == 0 {
		return f, false
	}
	limit := int64(63)
	switch arg[0] {
	case 'i':
		f.signed, limit = true, 64
	case 'u':
	default:
		return f, false
	}
	width, ok := parseInt(arg[1:])
	if !ok || width < 1 || width > limit {
		return f, false
	}
	f.width = int(width)
	return f, true
}

// bounds are the least and the greatest value that the field can hold.
func (f field) bounds() (low, high int64) {
	if f.signed {
		high = int64(uint64(math.MaxInt64) >> (64 - f.width))
		return -high - 1, high
	}
	return 0, int64(uint64(1)<<f.width - 1)
}

// span are the bytes that the field touches, at most nine.
func (f field) span() (first, end int64) {
	return f.offset / 8, (f.offset+int64(f.width)-1)/8 + 1
}

// get reads the field; bits behind the end of the string are zero.
func (f field) get(b []byte) int64 {
	first, end := f.span()
	var v uint64
	for i := first; i < end; i++ {
		var c byte
		if i < int64(len(b)) {
			c = b[i]
		}
		for bit := max(f.offset, i*8); bit < min(f.offset+int64(f.width), i*8+8); {
			// As many bits of this byte as are the field's.
			n := min(f.offset+int64(f.width), i*8+8) - bit
			v = v<<n | uint64(c<<(bit%8)>>(8-n))
			bit += n
		}
	}
	return f.wrap(v)
}

// put writes the field into window, which holds the bytes of its span.
func (f field) put(window []byte, value int64) {
	start := f.offset % 8
	for i := range int64(f.width) {
		at, mask := (start+i)/8, byte(0x80)>>((start+i)%8)
		if uint64(value)>>(int64(f.width)-1-i)&1 == 1 {
			window[at] |= mask
		} else {
			window[at] &^= mask
		}
	}
}

// wrap cuts a number to the field's bits.
func (f field) wrap(v uint64) int64 {
	unused := 64 - f.width
	if f.signed {
		return int64(v<<unused) >> unused
	}
	return int64(v << unused >> unused)
}

// overflow is what becomes of a value that does not fit.
type overflow uint8

const (
	overflowWrap overflow = iota
	overflowSat
	overflowFail
)

func parseOverflow(arg []byte) (o overflow, ok bool) {
	switch {
	case is(arg, "wrap"):
		return overflowWrap, true
	case is(arg, "sat"):
		return overflowSat, true
	case is(arg, "fail"):
		return overflowFail, true
	}
	return 0, false
}

// add returns old + n as the field holds it. fits is false if the sum is out
// of bounds and overflow forbids it.
func (f field) add(old, n int64, o overflow) (v int64, fits bool) {
	low, high := f.bounds()
	sum := old + n
	up, down := n > 0 && sum < old, n < 0 && sum > old // past the ends of an int64
	over := up || !down && sum > high
	under := down || !up && sum < low
	return f.limit(uint64(sum), over, under, o)
}

// fit returns v as the field holds it. To an unsigned field a negative number
// is a very large one, and so, in Redis, is to a signed field of less than 64
// bits one whose distance to the upper bound is larger than an int64.
func (f field) fit(v int64, o overflow) (int64, bool) {
	low, high := f.bounds()
	over := v > high || v < 0 && (!f.signed || f.width < 64 && high-v < 0)
	return f.limit(uint64(v), over, v < low, o)
}

func (f field) limit(v uint64, over, under bool, o overflow) (int64, bool) {
	low, high := f.bounds()
	switch {
	case !over && !under, o == overflowWrap:
		return f.wrap(v), true
	case o == overflowFail:
		return 0, false
	case over:
		return high, true
	}
	return low, true
}
