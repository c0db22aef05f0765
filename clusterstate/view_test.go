package clusterstate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testID makes the id of node i; ids are in the order of i.
func testID(i int) NodeID { return NodeID(fmt.Sprintf("%040d", i)) }

func testNode(i int) Node {
	return Node{ID: testID(i), IP: "127.0.0.1", Port: 7000 + i, BusPort: 17000 + i, ConfigEpoch: uint64(i)}
}

func testReplica(i, of int) Node {
	n := testNode(i)
	n.Replica, n.Primary, n.Synced, n.ConfigEpoch = true, testID(of), true, 0
	return n
}

// edited applies a change to a view.
func edited(v *View, change func(e *Editor)) *View {
	e := v.Edit()
	change(e)
	return e.View()
}

// evenly is a view of n primaries (0 is myself) that share all slots evenly,
// state ok.
func evenly(n int) *View {
	return edited(NewView(testNode(0), Settings{}), func(e *Editor) {
		for i := 1; i < n; i++ {
			e.SetNode(testNode(i))
		}
		for slot := range uint16(Slots) {
			e.SetOwner(slot, testID(int(slot)*n/Slots))
		}
		e.SetClusterOK(true)
	})
}

// model is the oracle of views: maps that are copied whole.
type model struct {
	nodes  map[NodeID]Node
	owners [Slots]NodeID
	open   [2]map[uint16]NodeID
}

// listedOf is what rows show of a list of replicas.
func listedOf(list []*Node) (listed []*Node) {
	for _, r := range list {
		if !r.Failed && r.Synced {
			listed = append(listed, r)
		}
	}
	return listed
}

func newModel() *model {
	return &model{
		nodes: map[NodeID]Node{testID(0): testNode(0)},
		open:  [2]map[uint16]NodeID{{}, {}},
	}
}

func (m *model) equal(t *testing.T, v *View) {
	t.Helper()
	require.Len(t, v.Nodes(), len(m.nodes))
	for _, n := range v.Nodes() {
		want := m.nodes[n.ID]
		var replicas []*Node
		for _, r := range v.Nodes() {
			if r.Replica && r.Primary == n.ID && !n.Replica {
				replicas = append(replicas, r)
			}
		}
		require.True(t, slices.Equal(replicas, n.Replicas), "replicas of %s", n.ID)
		got := *n
		require.True(t, slices.Equal(listedOf(n.Replicas), n.listed), "listed replicas of %s", n.ID)
		require.Same(t, n, v.seats[n.seat])
		got.Replicas, got.listed, got.seat = nil, nil, 0
		require.Equal(t, want, got)
	}
	for slot := range uint16(Slots) {
		owner := v.Owner(slot)
		if m.owners[slot] == "" {
			require.Nil(t, owner)
		} else if owner != v.Node(m.owners[slot]) {
			require.Same(t, v.Node(m.owners[slot]), owner, "slot %d", slot)
		}
		for dir, get := range []func(uint16) *Node{v.Migrating, v.Importing} {
			if o := get(slot); o != nil || m.open[dir][slot] != "" {
				require.Equal(t, m.open[dir][slot], o.ID)
			}
		}
	}
	require.Same(t, v.Node(testID(0)), v.Myself())
}

func TestEditorAgainstAModel(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	m, v := newModel(), NewView(testNode(0), Settings{})
	for round := range 300 {
		e := v.Edit()
		for range 1 + random.IntN(4) {
			ids := slices.Sorted(func(yield func(NodeID) bool) {
				for id := range m.nodes {
					if !yield(id) {
						return
					}
				}
			})
			some := ids[random.IntN(len(ids))]
			slot := uint16(random.IntN(400))
			switch random.IntN(9) {
			case 0, 1:
				i := 1 + random.IntN(12)
				n := testNode(i)
				if random.IntN(2) == 0 && m.nodes[some].ID != n.ID {
					n = testReplica(i, 0)
					n.Primary = some
				}
				n.Failed = random.IntN(3) == 0
				e.SetNode(n)
				m.nodes[n.ID] = n
			case 2:
				if some == testID(0) {
					continue
				}
				e.RemoveNode(some)
				delete(m.nodes, some)
				for s := range m.owners {
					if m.owners[s] == some {
						m.owners[s] = ""
					}
				}
				for id, n := range m.nodes {
					if n.Primary == some {
						n.Primary = ""
						m.nodes[id] = n
					}
				}
				for _, open := range m.open {
					for s, id := range open {
						if id == some {
							delete(open, s)
						}
					}
				}
			case 3, 4, 5:
				for s := slot; s < slot+uint16(random.IntN(200)); s++ {
					e.SetOwner(s, some)
					m.owners[s] = some
				}
			case 6:
				e.SetOwner(slot, "")
				m.owners[slot] = ""
			case 7:
				e.SetMigrating(slot, some)
				m.open[0][slot] = some
			case 8:
				e.SetImporting(slot, some)
				m.open[1][slot] = some
				e.SetMigrating(slot, "")
				delete(m.open[0], slot)
			}
		}
		before := fmt.Sprint(v.OwnedRanges())
		next := e.View()
		require.Equal(t, before, fmt.Sprint(v.OwnedRanges()), "an older view changed")
		v = next
		if round%10 == 0 {
			m.equal(t, v)
		}
	}
	m.equal(t, v)
}

func TestAnEditWithoutEffectIsTheSameView(t *testing.T) {
	v := evenly(3)
	same := edited(v, func(e *Editor) {
		e.SetNode(testNode(1))
		e.SetOwner(5, testID(2))
		e.SetOwner(5, testID(0))
		e.SetMigrating(7, testID(1))
		e.SetMigrating(7, "")
		e.SetClusterOK(false)
		e.SetClusterOK(true)
	})
	require.Same(t, v, same)
}

func TestAViewSharesWhatDidNotChange(t *testing.T) {
	v := evenly(3)
	w := edited(v, func(e *Editor) { e.SetOwner(5461, testID(2)) })
	differ := 0
	for c := range v.owners {
		if v.owners[c] != w.owners[c] {
			differ++
		}
	}
	require.Equal(t, 1, differ)
	require.Same(t, v.Node(testID(1)), w.Node(testID(1)))

	// An editor that goes on does not reach back into the view it gave out.
	e := w.Edit()
	e.SetOwner(1, testID(1))
	first := e.View()
	e.SetOwner(2, testID(1))
	e.SetMigrating(3, testID(1))
	second := e.View()
	require.Equal(t, testID(0), first.Owner(2).ID)
	require.Equal(t, testID(1), second.Owner(2).ID)
	require.Nil(t, first.Migrating(3))
}

func TestResetAndRename(t *testing.T) {
	v := edited(evenly(3), func(e *Editor) {
		e.SetNode(testReplica(9, 0))
		e.SetMigrating(1, testID(1))
	})
	v = edited(v, func(e *Editor) {
		e.Reset()
		e.RenameMyself(testID(5))
	})
	require.Len(t, v.Nodes(), 1)
	require.Equal(t, testID(5), v.Myself().ID)
	require.Empty(t, v.Myself().Replicas)
	require.Empty(t, v.OwnedRanges())
	require.Nil(t, v.Migrating(1))

	v = edited(evenly(2), func(e *Editor) { e.RenameMyself(testID(7)) })
	require.Equal(t, testID(7), v.Owner(0).ID)
	require.Equal(t, testID(1), v.Owner(16383).ID)
}

func TestNodeIDs(t *testing.T) {
	require.True(t, NodeID(strings.Repeat("0z", 20)).Valid())
	for _, bad := range []string{"", strings.Repeat("a", 39), strings.Repeat("a", 41), strings.Repeat("A", 40), strings.Repeat("a", 39) + "-"} {
		require.False(t, NodeID(bad).Valid(), "%q", bad)
	}
}
