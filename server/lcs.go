package server

import (
	"encoding/binary"
	"math/bits"
)

// lcsTable finds longest common subsequences of two strings, a and b, 64 cells
// at a time (Hyyrö's bit vectors). Row i of the usual table of lengths is kept
// as the steps in it: bit j-1 is off where the length grows by one between
// columns j-1 and j. That bit is also what the way back needs at a cell whose
// bytes differ: the length above is the larger of the two exactly if the row
// grows there. So a cell costs one bit, where Redis spends 32.
type lcsTable struct {
	a, b   []byte
	length int
	rows   []byte // rows 1 to len(a), each of stride bytes; nil if only the length is wanted
	stride int
}

func newLCSTable(a, b []byte, withRows bool) *lcsTable {
	t := &lcsTable{a: a, b: b}
	if len(a) == 0 || len(b) == 0 {
		return t
	}
	words := (len(b) + 63) / 64
	matches := matchVectors(a, b, words)
	if withRows {
		t.stride = (len(b) + 7) / 8
		t.rows = make([]byte, 0, len(a)*t.stride)
	}
	row := make([]uint64, words)
	for i := range row {
		row[i] = ^uint64(0)
	}
	for _, c := range a {
		if match := matches[c]; match != nil {
			carry := uint64(0)
			for i, v := range row {
				u := v & match[i]
				var sum uint64
				sum, carry = bits.Add64(v, u, carry)
				row[i] = sum | v&^u
			}
		}
		if withRows {
			t.appendRow(row)
		}
	}
	for _, v := range row {
		t.length += bits.OnesCount64(^v)
	}
	return t
}

// matchVectors has, for every byte that occurs in a, the places where b has it.
// Together they are never larger than one bit for every cell.
func matchVectors(a, b []byte, words int) (matches [256][]uint64) {
	for _, c := range a {
		if matches[c] == nil {
			matches[c] = []uint64{}
		}
	}
	for i, c := range b {
		m := matches[c]
		if m == nil {
			continue
		}
		if len(m) == 0 {
			m = make([]uint64, words)
			matches[c] = m
		}
		m[i/64] |= 1 << (i % 64)
	}
	for i, m := range matches {
		if len(m) == 0 {
			matches[i] = nil // b has none: the row stays as it is
		}
	}
	return matches
}

func (t *lcsTable) appendRow(row []uint64) {
	left := t.stride
	for _, v := range row {
		if left < 8 {
			for range left {
				t.rows = append(t.rows, byte(v))
				v >>= 8
			}
			return
		}
		t.rows = binary.LittleEndian.AppendUint64(t.rows, v)
		left -= 8
	}
}

// grows tells whether row i is one longer at column j than at the one before.
func (t *lcsTable) grows(i, j int) bool {
	return t.rows[(i-1)*t.stride+(j-1)/8]>>((j-1)%8)&1 == 0
}

// lcsMatch is a run of bytes that both strings have: n of them, at a and at b.
type lcsMatch struct{ a, b, n int }

// walk goes back from the ends and visits the runs of the subsequence, the
// last one first. Where two ways are as good it takes the one that Redis does.
func (t *lcsTable) walk(visit func(lcsMatch)) {
	var run lcsMatch
	i, j := len(t.a), len(t.b)
	for i > 0 && j > 0 {
		if t.a[i-1] == t.b[j-1] {
			i, j = i-1, j-1
			run = lcsMatch{i, j, run.n + 1}
			continue
		}
		if run.n > 0 {
			visit(run)
			run.n = 0
		}
		if t.grows(i, j) {
			i--
		} else {
			j--
		}
	}
	if run.n > 0 {
		visit(run)
	}
}
