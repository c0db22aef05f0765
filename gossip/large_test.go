package gossip

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// largeConf is a nodes.conf of that many primaries, this node the first.
func largeConf(nodes int) clusterstate.NodesConf {
	conf := clusterstate.NodesConf{CurrentEpoch: uint64(nodes)}
	for i := range nodes {
		line := clusterstate.NodeLine{
			ID:      clusterstate.NodeID(fmt.Sprintf("%040d", i)),
			ShardID: fmt.Sprintf("%040d", i),
			IP:      "127.0.0.1", Port: 1 + i, BusPort: 10001 + i,
			Flags: clusterstate.LinePrimary, ConfigEpoch: uint64(i + 1),
			Slots: []clusterstate.SlotRange{{Start: uint16(i * clusterstate.Slots / nodes), End: uint16((i+1)*clusterstate.Slots/nodes - 1)}},
		}
		if i == 0 {
			line.Flags |= clusterstate.LineMyself
		}
		conf.Nodes = append(conf.Nodes, line)
	}
	return conf
}

// newLarge starts such a node and lets all its links stand.
func newLarge(t testing.TB, nodes int) *Node {
	conf := largeConf(nodes)
	cfg := testConfig()
	cfg.Port = 1
	n, _ := New(cfg, &conf, testSeed, at(0))
	out := n.Tick(at(100 * time.Millisecond))
	require.Len(t, out.Dial, nodes-1)
	for _, d := range out.Dial {
		n.Step(at(100*time.Millisecond), LinkUp{Link: d.Link, LocalIP: "127.0.0.1"})
	}
	return n
}

// answerAll lets every node answer its ping, with its claim.
func answerAll(n *Node, now Now) {
	for _, p := range n.table.rows {
		if p.up {
			n.Step(now, Received{p.link, claimOf(n, p.id)})
		}
	}
}

func claimOf(n *Node, id clusterstate.NodeID) *frame.Message {
	m := &frame.Message{Type: frame.TypePong, Header: frame.Header{
		Sender: id, CurrentEpoch: n.currentEpoch, ConfigEpoch: n.view.Node(id).ConfigEpoch,
		Flags: frame.FlagPrimary | frame.FlagMyself, Slots: n.bitmap(id),
	}}
	return m
}

func TestQuietTicksOfALargeClusterAllocateNothing(t *testing.T) {
	n := newLarge(t, 1000)
	now := at(3 * time.Second)
	answerAll(n, now)
	n.Tick(now)
	require.True(t, n.View().ClusterOK())
	require.Zero(t, testing.AllocsPerRun(5, func() {
		if n.ticks%ticksPerPing != ticksPerPing-1 {
			require.Equal(t, 0, len(n.Tick(now).Send))
		}
	}))
	require.Equal(t, Output{}, n.Tick(now))
}

func TestAFrameWithoutNewsCostsLittle(t *testing.T) {
	n := newLarge(t, 1000)
	now := at(3 * time.Second)
	answerAll(n, now)
	n.Tick(now)
	p := n.table.rows[500]
	in := Received{p.link, claimOf(n, p.id)}
	n.Step(now, in)
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { n.Step(now, in) }), 2.0)
}

// TestACloneOfALargeClusterIsCheap: an EXEC makes one, and so does each SETSLOT
// NODE. It copies a pointer for each node, and the peers stay shared.
func TestACloneOfALargeClusterIsCheap(t *testing.T) {
	n := newLarge(t, 1000)
	var clone *Node
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { clone = n.Clone() }), 8.0)
	require.Same(t, n.table.rows[7], clone.table.rows[7])
	clone.Step(at(time.Second), Forget{Node: string(n.table.rows[7].id)})
	require.Len(t, clone.View().Nodes(), 999)
	require.Len(t, n.View().Nodes(), 1000)
	require.Len(t, n.Links(), 999)
	require.NotNil(t, n.table.peer(n.table.rows[7].id))
	n.Step(at(time.Second), LinkDown{Link: n.table.rows[9].link})
	require.Len(t, clone.Links(), 998)
}

// BenchmarkMovedSlot is what a slot that moves costs a node of a large cluster:
// the step, and with the commit also which locks to take and which rows to push.
func BenchmarkMovedSlot(b *testing.B) {
	for _, nodes := range []int{3, 1000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) { moveSlots(b, nodes, false) })
		b.Run(fmt.Sprintf("nodes=%d/commit", nodes), func(b *testing.B) { moveSlots(b, nodes, true) })
	}
}

func moveSlots(b *testing.B, nodes int, commit bool) {
	n := newLarge(b, nodes)
	now := at(3 * time.Second)
	answerAll(n, now)
	n.Tick(now)
	ids := [2]clusterstate.NodeID{n.table.rows[1].id, n.table.rows[2].id}
	links := [2]LinkID{n.table.rows[1].link, n.table.rows[2].link}
	slot := n.bitmap(ids[0]).Ranges()
	var moved uint16
	for r := range slot {
		moved = r.Start
	}
	publisher := clusterstate.NewPublisher(n.view)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		to := 1 - i&1
		m := claimOf(n, ids[to])
		m.Slots.Set(moved)
		m.CurrentEpoch++
		m.ConfigEpoch = m.CurrentEpoch
		old, was := n.view, publisher.Published()
		n.Step(now, Received{links[to], m})
		if n.view.Owner(moved).ID != ids[to] {
			b.Fatal("the slot did not move")
		}
		if !commit {
			continue
		}
		slots, _ := clusterstate.RedirectDiff(old, n.view)
		rows := clusterstate.Diff(was, publisher.Offer(now.Mono, n.view).View, clusterstate.Variant{})
		if len(slots) != 1 || len(rows) != 1 {
			b.Fatal("expected one slot and one row", slots, rows)
		}
	}
}
