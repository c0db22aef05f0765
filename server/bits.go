package server

import (
	"encoding/binary"
	"math/bits"
)

// Bits are numbered as Redis numbers them: 0 is the highest bit of the first
// byte. Ranges of them are half open here.

// clipBits turns a range as BITCOUNT and BITPOS take it, of bytes or of bits,
// into one of the bits of a string of size bytes; ok is false if it is empty.
// Unlike clip's a range that is empty as written still has its ends cut to the
// string, so that BITPOS k 0 -1 -5 finds nothing all the same.
func clipBits(start, end, size int64, inBits bool) (from, to int64, ok bool) {
	unit := int64(8)
	if inBits {
		size, unit = size*8, 1
	}
	if start < 0 {
		start = max(0, size+start)
	}
	if end < 0 {
		end = max(0, size+end)
	}
	end = min(end, size-1)
	if start > end {
		return 0, 0, false
	}
	return start * unit, (end + 1) * unit, true
}

// countBits counts the set bits of b in a range.
func countBits(b []byte, from, to int64) int64 {
	if from >= to {
		return 0
	}
	first, last := from/8, (to-1)/8
	n := 0
	// The bits outside of the range in its first and its last byte.
	n -= bits.OnesCount8(b[first] &^ (0xff >> (from % 8)))
	if rest := to % 8; rest != 0 {
		n -= bits.OnesCount8(b[last] & (0xff >> rest))
	}
	b = b[first : last+1]
	for ; len(b) >= 8; b = b[8:] {
		n += bits.OnesCount64(binary.NativeEndian.Uint64(b))
	}
	for _, c := range b {
		n += bits.OnesCount8(c)
	}
	return int64(n)
}

// findBit returns the first bit of a range that is on, or off, and -1 if there
// is none.
func findBit(b []byte, from, to int64, on bool) int64 {
	var flip uint64 // makes what is sought a one
	if !on {
		flip = ^flip
	}
	for at := from; at < to; {
		if at%8 == 0 && at+64 <= to {
			if word := binary.BigEndian.Uint64(b[at/8:]) ^ flip; word != 0 {
				return at + int64(bits.LeadingZeros64(word))
			}
			at += 64
			continue
		}
		if c := (b[at/8] ^ byte(flip)) << (at % 8); c != 0 {
			if at += int64(bits.LeadingZeros8(c)); at < to {
				return at
			}
			return -1
		}
		at += 8 - at%8
	}
	return -1
}

// bitOp is an operation of BITOP.
type bitOp uint8

const (
	bitAnd bitOp = iota
	bitOr
	bitXor
	bitNot
)

func bitOperation(arg []byte) (op bitOp, ok bool) {
	switch {
	case is(arg, "and"):
		return bitAnd, true
	case is(arg, "or"):
		return bitOr, true
	case is(arg, "xor"):
		return bitXor, true
	case is(arg, "not"):
		return bitNot, true
	}
	return 0, false
}

// combineBits makes a string as long as the longest source; the others are
// taken as if zeros followed.
func combineBits(op bitOp, sources [][]byte) []byte {
	longest := 0
	for _, s := range sources {
		longest = max(longest, len(s))
	}
	if longest == 0 {
		return nil
	}
	result := make([]byte, longest)
	copy(result, sources[0])
	if op == bitNot {
		for i := range result {
			result[i] = ^result[i]
		}
		return result
	}
	for _, s := range sources[1:] {
		combineInto(result, s, op)
	}
	return result
}

func combineInto(dst, src []byte, op bitOp) {
	if op == bitAnd {
		clear(dst[len(src):])
	}
	dst = dst[:len(src)]
	for ; len(src) >= 8; dst, src = dst[8:], src[8:] {
		a, b := binary.NativeEndian.Uint64(dst), binary.NativeEndian.Uint64(src)
		binary.NativeEndian.PutUint64(dst, combine(a, b, op))
	}
	for i, c := range src {
		dst[i] = byte(combine(uint64(dst[i]), uint64(c), op))
	}
}

func combine(a, b uint64, op bitOp) uint64 {
	switch op {
	case bitAnd:
		return a & b
	case bitOr:
		return a | b
	}
	return a ^ b
}
