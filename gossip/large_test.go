package gossip

import (
	"fmt"
	"runtime"
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

// scatteredConf is the same with slots that are dealt out one by one.
func scatteredConf(nodes int) clusterstate.NodesConf {
	conf := largeConf(nodes)
	for i := range conf.Nodes {
		conf.Nodes[i].Slots = nil
	}
	for slot := range uint16(clusterstate.Slots) {
		line := &conf.Nodes[int(slot)%nodes]
		line.Slots = append(line.Slots, clusterstate.SlotRange{Start: slot, End: slot})
	}
	return conf
}

func newLarge(t testing.TB, nodes int) *Node { return startLarge(t, largeConf(nodes)) }

// startLarge starts such a node and lets all its links stand.
func startLarge(t testing.TB, conf clusterstate.NodesConf) *Node {
	cfg := testConfig()
	cfg.Port = 1
	n, _ := New(cfg, &conf, testSeed, at(0))
	out := n.Tick(at(100 * time.Millisecond))
	require.Len(t, out.Dial, len(conf.Nodes)-1)
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

// BenchmarkMovedSlot is what a slot that moves costs a third node: the frame that
// tells of it, of which the view and the text of nodes.conf are parts; then the
// commit: which locks to take, what to publish, and which rows to push.
func BenchmarkMovedSlot(b *testing.B) {
	for _, nodes := range []int{3, 1000} {
		newMove(b, nodes).benchmark(b, fmt.Sprintf("nodes=%d/", nodes))
	}
}

// BenchmarkScatteredShard is the same for a failover of a third of all slots, none
// of them beside another.
func BenchmarkScatteredShard(b *testing.B) { newScatteredMove(b).benchmark(b, "") }

func (m *move) benchmark(b *testing.B, name string) {
	for _, stage := range []struct {
		name string
		do   func(i int)
	}{
		{"all", func(int) { m.all() }},
		{"claim", func(int) { m.claim() }}, // made for the test, a part of the next
		{"frame", func(int) { m.frame() }},
		{"view", func(int) { m.edit() }},
		{"text", func(int) { m.text() }},
		{"locks", func(int) { m.locks() }},
		{"publish", func(i int) { m.publish(m.views[i&1]) }},
		{"rows", func(int) { m.rows() }},
	} {
		b.Run(name+stage.name, func(b *testing.B) {
			m.all()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				stage.do(i)
			}
		})
	}
}

// move is a slot, or several, that go to and fro between two other nodes.
type move struct {
	b         testing.TB
	node      *Node
	now       Now
	ids       [2]clusterstate.NodeID
	links     [2]LinkID
	slots     frame.Bitmap
	views     [2]*clusterstate.View // before and after the last step
	publisher *clusterstate.Publisher
}

func newMove(b testing.TB, nodes int) *move {
	m := moveOf(b, newLarge(b, nodes))
	for r := range m.node.bitmap(m.ids[0]).Ranges() {
		m.slots.Set(r.Start)
	}
	return m
}

func newScatteredMove(b testing.TB) *move {
	m := moveOf(b, startLarge(b, scatteredConf(3)))
	m.slots = *m.node.bitmap(m.ids[0])
	return m
}

func moveOf(b testing.TB, n *Node) *move {
	m := &move{b: b, node: n, now: at(3 * time.Second)}
	answerAll(m.node, m.now)
	m.node.Tick(m.now)
	for i := range m.ids {
		p := m.node.table.rows[1+i]
		m.ids[i], m.links[i] = p.id, p.link
	}
	m.publisher = clusterstate.NewPublisher(m.node.view)
	return m
}

func (m *move) all() {
	m.frame()
	m.locks()
	m.publish(m.views[1])
	m.rows()
}

// next is who gets the slot now: the one of the two that does not own it.
func (m *move) next() int {
	for r := range m.slots.Ranges() {
		if m.node.view.Owner(r.Start).ID == m.ids[0] {
			return 1
		}
		break
	}
	return 0
}

func (m *move) claim() (claim *frame.Message, to int) {
	to = m.next()
	claim = claimOf(m.node, m.ids[to])
	for i, slots := range m.slots {
		claim.Slots[i] |= slots
	}
	claim.CurrentEpoch++
	claim.ConfigEpoch = claim.CurrentEpoch
	return claim, to
}

// frame lets the next claim the slot.
func (m *move) frame() {
	n := m.node
	claim, to := m.claim()
	m.views[0] = n.view
	n.Step(m.now, Received{m.links[to], claim})
	m.views[1] = n.view
	if m.next() == to {
		m.b.Fatal("the slot did not move")
	}
}

// edit makes the view that follows, and throws it away.
func (m *move) edit() {
	e := m.node.view.Edit()
	to := *m.node.view.Node(m.ids[m.next()])
	to.ConfigEpoch++
	e.SetNode(to)
	for r := range m.slots.Ranges() {
		eachSlot([]clusterstate.SlotRange{r}, func(slot uint16) { e.SetOwner(slot, to.ID) })
	}
	if e.View() == m.node.view {
		m.b.Fatal("nothing changed")
	}
}

// text writes nodes.conf, with the lines of both anew.
func (m *move) text() {
	for _, id := range m.ids {
		m.node.table.alter(id).owns = new(ownership)
	}
	m.node.confText()
}

func (m *move) locks() {
	if slots, _ := clusterstate.RedirectDiff(m.views[0], m.views[1]); len(slots) != m.slots.Count() {
		m.b.Fatal("expected other slots", slots)
	}
}

func (m *move) publish(v *clusterstate.View) { m.publisher.Offer(m.now.Mono, v) }

func (m *move) rows() {
	if rows := clusterstate.Diff(m.views[0], m.views[1], clusterstate.Variant{}); len(rows) != m.slots.Count() {
		m.b.Fatal("expected a row for each slot", rows)
	}
}

// TestAMovedSlotAllocatesLittle: however many nodes there are.
func TestAMovedSlotAllocatesLittle(t *testing.T) {
	for _, nodes := range []int{3, 100, 1000} {
		m := newMove(t, nodes)
		m.all()
		m.all()
		require.LessOrEqual(t, testing.AllocsPerRun(20, m.all), 45.0)
		rest := bytesPerRun(20, m.all) - m.node.fileSize*5/4 // with some room, and rounded up
		require.LessOrEqual(t, rest, 24<<10+40*nodes, "%d nodes", nodes)
	}
}

// TestAScatteredShardAllocatesForItsSlots: not for each twice as much as for the
// one before.
func TestAScatteredShardAllocatesForItsSlots(t *testing.T) {
	m := newScatteredMove(t)
	m.all()
	m.all()
	require.LessOrEqual(t, testing.AllocsPerRun(5, m.all), 500.0)
	require.LessOrEqual(t, bytesPerRun(5, m.all), 1000*m.slots.Count())
}

func bytesPerRun(runs int, f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc-before.TotalAlloc) / runs
}
