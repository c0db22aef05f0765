package frame

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

// rangesOf is the twin of Ranges: slot by slot.
func rangesOf(has func(uint16) bool) []clusterstate.SlotRange {
	var list []clusterstate.SlotRange
	for s := range uint16(clusterstate.Slots) {
		switch {
		case !has(s):
		case s > 0 && has(s-1):
			list[len(list)-1].End = s
		default:
			list = append(list, clusterstate.SlotRange{Start: s, End: s})
		}
	}
	return list
}

func collect(b *Bitmap) []clusterstate.SlotRange {
	var list []clusterstate.SlotRange
	for r := range b.Ranges() {
		list = append(list, r)
	}
	return list
}

func TestBitmapAgainstTwin(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var b Bitmap
		twin := map[uint16]bool{}
		for range random.IntN(40) {
			start := random.IntN(clusterstate.Slots)
			for s := start; s < min(start+1<<random.IntN(12), clusterstate.Slots); s++ {
				b.Set(uint16(s))
				twin[uint16(s)] = true
			}
		}
		require.Equal(t, len(twin), b.Count())
		want := rangesOf(func(s uint16) bool { return twin[s] })
		require.Equal(t, want, rangesOf(b.Has))
		require.Equal(t, want, collect(&b))
	}
}

func TestBitmapEdges(t *testing.T) {
	var none *Bitmap
	require.False(t, none.Has(0))
	require.Zero(t, none.Count())
	require.Equal(t, "-", none.String())
	require.Equal(t, "-", new(Bitmap).String())

	full := slots(0, clusterstate.Slots-1)
	require.Equal(t, clusterstate.Slots, full.Count())
	require.Equal(t, "0-16383", full.String())
	require.False(t, full.Has(clusterstate.Slots), "no slot")

	var b Bitmap
	for _, s := range []uint16{0, 63, 64, 127, 129, 16383} {
		b.Set(s)
	}
	require.Equal(t, "0,63-64,127,129,16383", b.String())
	require.Equal(t, []byte{1, 0, 0, 0, 0, 0, 0, 0x80, 1}, b[:9], "the least significant bit is the first slot")
	for r := range b.Ranges() {
		require.Equal(t, clusterstate.SlotRange{}, r)
		break // the walk ends when the caller has enough
	}
}
