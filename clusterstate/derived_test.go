package clusterstate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// rebuilt makes a view that says the same and shares nothing: its nodes sit
// elsewhere, its chunks are its own.
func rebuilt(random *rand.Rand, v *View) *View {
	return edited(NewView(*v.Myself(), v.settings), func(e *Editor) {
		for _, i := range random.Perm(len(v.nodes)) {
			e.SetNode(*v.nodes[i])
		}
		for slot := range uint16(Slots) {
			if n := v.Owner(slot); n != nil {
				e.SetOwner(slot, n.ID)
			}
		}
		for _, o := range v.migrating {
			e.SetMigrating(o.slot, o.node)
		}
		for _, o := range v.importing {
			e.SetImporting(o.slot, o.node)
		}
		e.SetClusterOK(v.ok)
		e.SetMinority(v.minority)
	})
}

// described is all that a view says.
func described(v *View) string {
	text := fmt.Sprint(v.settings, v.ok, v.minority, v.migrating, v.importing, v.myself.ID)
	for _, n := range v.nodes {
		own := *n
		own.Replicas, own.listed, own.seat = nil, nil, 0
		text += fmt.Sprintf("\n%+v", own)
		for _, r := range n.Replicas {
			text += " " + string(r.ID)
		}
	}
	for _, r := range v.OwnedRanges() {
		text += fmt.Sprint("\n", r.SlotRange, r.Owner.ID)
	}
	return text
}

// slowRedirects is the oracle of RedirectDiff: slot by slot.
func slowRedirects(old, new *View) (slots []uint16) {
	target := func(v *View, slot uint16) string {
		spell := func(n *Node) string {
			if n == nil {
				return ""
			}
			return fmt.Sprint(n.ID, n.IP, n.Hostname, n.Port, n.TLSPort)
		}
		return spell(v.Owner(slot)) + ";" + spell(v.Migrating(slot)) + ";" + spell(v.Importing(slot))
	}
	for slot := range uint16(Slots) {
		if target(old, slot) != target(new, slot) {
			slots = append(slots, slot)
		}
	}
	return slots
}

// TestDerivedViewsAreAsIfBuiltFromScratch edits a view on and on, and compares
// each step with views that were never edited.
func TestDerivedViewsAreAsIfBuiltFromScratch(t *testing.T) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 7))
		v := evenly(8)
		views, texts := []*View{v}, []string{described(v)}
		for range 25 {
			w := edited(v, func(e *Editor) {
				for range 1 + random.IntN(4) {
					randomChange(random, e)
				}
			})
			v2, w2 := rebuilt(random, v), rebuilt(random, w)
			require.Equal(t, described(w2), described(w), "seed %d", seed)
			for _, va := range []Variant{{}, {TLS: true}} {
				rows, moved := diffText(v, w, va), movedText(v, w, va)
				for _, pair := range [][2]*View{{v2, w}, {v, w2}, {v2, w2}} {
					require.Equal(t, rows, diffText(pair[0], pair[1], va), "seed %d", seed)
					require.Equal(t, moved, movedText(pair[0], pair[1], va), "seed %d", seed)
				}
				require.Empty(t, diffText(w, w2, va), "seed %d", seed)
			}
			if slots, all := RedirectDiff(v, w); !all {
				require.Equal(t, slowRedirects(v, w), slots, "seed %d", seed)
			}
			require.Equal(t, ownersOrAddressesDiffer(v2, w2), ownersOrAddressesDiffer(v, w), "seed %d", seed)
			require.Equal(t, snapshotsDiffer(v2, w2), snapshotsDiffer(v, w), "seed %d", seed)

			ranges := make(map[*Node][]SlotRange)
			for _, r := range w.OwnedRanges() {
				ranges[r.Owner] = append(ranges[r.Owner], r.SlotRange)
			}
			for i, of := range w.RangesOf(w.nodes) {
				require.Equal(t, ranges[w.nodes[i]], of)
			}
			v = w
			views, texts = append(views, v), append(texts, described(v))
		}
		for i := range views {
			require.Equal(t, texts[i], described(views[i]), "seed %d: an older view changed", seed)
		}
		// Any two of them can be compared, however far apart.
		for range 20 {
			a, b := views[random.IntN(len(views))], views[random.IntN(len(views))]
			require.Equal(t, slowDiff(a, b, Variant{}), diffText(a, b, Variant{}), "seed %d", seed)
		}
	}
}

// TestBranchesOfAViewCompare: two editors that begin with one view may give one
// seat to different nodes.
func TestBranchesOfAViewCompare(t *testing.T) {
	v := edited(evenly(3), func(e *Editor) { e.RemoveNode(testID(1)) })
	branch := func(i int) *View {
		return edited(v, func(e *Editor) { e.SetNode(testNode(i)); e.SetOwner(9000, testID(i)) })
	}
	a, b := branch(4), branch(5)
	require.Equal(t, a.Node(testID(4)).seat, b.Node(testID(5)).seat)
	require.Equal(t, slowDiff(a, b, Variant{}), diffText(a, b, Variant{}))
	require.Len(t, Diff(a, b, Variant{}), 1)
	slots, all := RedirectDiff(a, b)
	require.False(t, all)
	require.Equal(t, []uint16{9000}, slots)
	require.True(t, ownersOrAddressesDiffer(a, b))
}

// TestAnEpochLeavesTheMapAsItIs: what a moved slot costs must not hang on how
// many slots the two nodes own.
func TestAnEpochLeavesTheMapAsItIs(t *testing.T) {
	for _, nodes := range []int{3, 1000} {
		v := evenly(nodes)
		w := edited(v, func(e *Editor) {
			n := testNode(1)
			n.ConfigEpoch = 5000
			e.SetNode(n)
			e.SetOwner(1, testID(1))
		})
		others := 0
		for c := range v.owners {
			if v.owners[c] != w.owners[c] {
				others++
			}
		}
		require.Equal(t, 1, others)
		require.Equal(t, uint64(5000), w.Owner(1).ConfigEpoch)
		i := 0
		allocs := testing.AllocsPerRun(20, func() {
			e := v.Edit()
			n := testNode(1)
			n.ConfigEpoch = 6000
			e.SetNode(n)
			e.SetOwner(1, n.ID)
			i += len(Diff(v, e.View(), Variant{}))
		})
		require.LessOrEqual(t, allocs, 14.0)
		require.Equal(t, 21, i)
	}
}
