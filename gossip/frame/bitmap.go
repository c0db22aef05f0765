package frame

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"strconv"

	"slotcast/clusterstate"
)

// Bitmap is a set of slots as it stands on the wire: slot s is bit s%8, the
// least significant first, of byte s/8. Two sets are equal if they are ==. A
// nil *Bitmap is the empty set for everything but Set.
type Bitmap [clusterstate.Slots / 8]byte

// Has tells whether the slot is in the set.
func (b *Bitmap) Has(slot uint16) bool {
	return b != nil && slot < clusterstate.Slots && b[slot/8]&(1<<(slot%8)) != 0
}

// Set adds the slot, which must be below clusterstate.Slots.
func (b *Bitmap) Set(slot uint16) { b[slot/8] |= 1 << (slot % 8) }

// Count returns the number of slots in the set.
func (b *Bitmap) Count() int {
	if b == nil {
		return 0
	}
	n := 0
	for i := 0; i < len(b); i += 8 {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(b[i:]))
	}
	return n
}

// Ranges yields the longest runs of slots in the set, ascending.
func (b *Bitmap) Ranges() iter.Seq[clusterstate.SlotRange] {
	return func(yield func(clusterstate.SlotRange) bool) {
		if b == nil {
			return
		}
		for start := b.next(0, 0); start < clusterstate.Slots; {
			end := b.next(start, ^uint64(0))
			if !yield(clusterstate.SlotRange{Start: uint16(start), End: uint16(end - 1)}) {
				return
			}
			start = b.next(end, 0)
		}
	}
}

// next returns the first slot from start on that is in the set, or with flip
// all ones the first that is not; clusterstate.Slots if there is none. It goes
// by words: read in little-endian order, bit i of a word is its slot i.
func (b *Bitmap) next(start int, flip uint64) int {
	for slot := start; slot < clusterstate.Slots; slot = slot&^63 + 64 {
		word := (binary.LittleEndian.Uint64(b[slot&^63/8:]) ^ flip) >> (slot % 64)
		if word != 0 {
			return slot + bits.TrailingZeros64(word)
		}
	}
	return clusterstate.Slots
}

// String is the ranges with commas between, "-" for the empty set.
func (b *Bitmap) String() string { return string(appendRanges(nil, b)) }

func appendRanges(dst []byte, b *Bitmap) []byte {
	start := len(dst)
	for r := range b.Ranges() {
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, uint64(r.Start), 10)
		if r.End != r.Start {
			dst = append(dst, '-')
			dst = strconv.AppendUint(dst, uint64(r.End), 10)
		}
	}
	if len(dst) == start {
		dst = append(dst, '-')
	}
	return dst
}

// readBitmap reads a set from its bytes, nil if it is empty: most nodes of a
// cluster in the making, and all observers, claim nothing.
func readBitmap(b []byte) *Bitmap {
	set := Bitmap(b)
	if set == (Bitmap{}) {
		return nil
	}
	return &set
}

func appendBitmap(dst []byte, b *Bitmap) []byte {
	if b == nil {
		return appendZeros(dst, len(Bitmap{}))
	}
	return append(dst, b[:]...)
}
