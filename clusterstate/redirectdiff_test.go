package clusterstate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// redirections is every answer a command for the slot can get, as text.
func redirections(v *View, slot uint16) string {
	var all []string
	for _, p := range []*held{{existing: 1}, {missing: 1}, {existing: 1, missing: 1, distinct: true}} {
		for bits := range 8 {
			q := Query{Slot: slot, ReadOnly: bits&1 > 0, Asking: bits&2 > 0, Write: bits&4 > 0, Presence: p}
			for _, va := range []Variant{{}, {TLS: true}} {
				all = append(all, Decide(v, q).Text(v, va))
			}
		}
	}
	return fmt.Sprint(all)
}

// TestRedirectDiffMissesNothing: every slot whose commands could be answered
// otherwise is in the difference, and a change that touches no redirect has an
// empty one.
func TestRedirectDiffMissesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 13))
	v := edited(evenly(8), func(e *Editor) { e.SetNode(testReplica(30, 0)) })
	sample := func() (slots []uint16) {
		for range 150 {
			slots = append(slots, uint16(random.IntN(1300)))
		}
		return append(slots, 2048, 5000, 9000, 16383)
	}
	missed := 0
	for range 150 {
		w := edited(v, func(e *Editor) { randomChange(random, e) })
		slots, all := RedirectDiff(v, w)
		require.True(t, slices.IsSorted(slots))
		if !all {
			for _, slot := range sample() {
				if redirections(v, slot) != redirections(w, slot) {
					_, in := slices.BinarySearch(slots, slot)
					require.True(t, in, "slot %d", slot)
					missed++
				}
			}
		}
		v = w
	}
	require.Greater(t, missed, 100, "the changes altered hardly any redirect")

	v = evenly(3)
	w := edited(v, func(e *Editor) {
		e.SetNode(testReplica(9, 1))
		n := testNode(2)
		n.ConfigEpoch, n.Failed = 77, true
		e.SetNode(n)
	})
	slots, all := RedirectDiff(v, w)
	require.Empty(t, slots)
	require.False(t, all)
	w = edited(v, func(e *Editor) { e.SetOwner(7, ""); e.SetImporting(9000, testID(2)) })
	slots, all = RedirectDiff(v, w)
	require.Equal(t, []uint16{7, 9000}, slots)
	require.False(t, all)
	require.True(t, w.HasOpenSlots())
}
