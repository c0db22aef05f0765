package gossip

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// wire is a node with peers that are played by the test: it reads what the node
// sends, and speaks as any of them.
type wire struct {
	t    *testing.T
	node *Node
	now  Now
	to   map[clusterstate.NodeID]LinkID // links of the node that stand
	last LinkID
}

// newWire starts a node from a nodes.conf, and lets its links to all stand.
func newWire(t *testing.T, conf string) *wire {
	node, _ := New(testConfig(), parseConf(t, conf), testSeed, at(0))
	w := &wire{t: t, node: node, now: at(0), to: map[clusterstate.NodeID]LinkID{}, last: FirstInbound}
	w.tick(100 * time.Millisecond)
	return w
}

// take notes links as the shell would, and reads the frames.
func (w *wire) take(out Output) (frames []*frame.Message, rest Output) {
	for _, s := range out.Send {
		m, err := frame.Decode(s.Frame)
		require.NoError(w.t, err)
		frames = append(frames, m)
	}
	for _, d := range out.Dial {
		w.to[d.Node] = d.Link
		more, _ := w.take(w.node.Step(w.now, LinkUp{d.Link, "127.0.0.1"}))
		frames = append(frames, more...)
	}
	return frames, out
}

func (w *wire) step(in Input) ([]*frame.Message, Output) { return w.take(w.node.Step(w.now, in)) }

func (w *wire) tick(d time.Duration) ([]*frame.Message, Output) {
	w.now = at(w.now.Mono + d)
	return w.take(w.node.Tick(w.now))
}

// says sends a frame of a peer on a link that the peer has opened just now.
func (w *wire) says(m *frame.Message) ([]*frame.Message, Output) {
	w.last++
	w.step(Accepted{w.last, "127.0.0.1", "127.0.0.1"})
	return w.step(Received{w.last, m})
}

// from makes a frame of a peer.
func from(c string, kind frame.Type, epoch uint64, slots ...clusterstate.SlotRange) *frame.Message {
	m := &frame.Message{Type: kind, Header: frame.Header{
		Sender: id(c), CurrentEpoch: epoch, ConfigEpoch: epoch, Port: 7001, BusPort: 17001,
		Flags: frame.FlagPrimary | frame.FlagMyself, Slots: new(frame.Bitmap),
	}}
	eachSlot(slots, m.Slots.Set)
	return m
}

// replica makes it one of a replica.
func replica(m *frame.Message, of string, offset uint64) *frame.Message {
	m.Flags, m.Primary, m.Offset = frame.FlagReplica|frame.FlagMyself, id(of), offset
	return m
}

func kinds(frames []*frame.Message) (out []frame.Type) {
	for _, m := range frames {
		out = append(out, m.Type)
	}
	return out
}

// fourNodes is this node (a), two primaries and a replica of the first of them.
const fourNodes = "<a> 127.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-5000\n" +
	"<b> 127.0.0.1:7001@17001 master - 0 0 2 connected 5001-9999\n" +
	"<c> 127.0.0.1:7001@17001 master - 0 0 3 connected 10000-16383\n" +
	"<d> 127.0.0.1:7001@17001 slave <b> 0 0 2 connected\n" +
	"vars currentEpoch 3 lastVoteEpoch 0\n"

var slotsOfB = clusterstate.SlotRange{Start: 5001, End: 9999}

func TestAVoteIsOnDiskBeforeItLeavesAndGivenOnce(t *testing.T) {
	w := newWire(t, fourNodes)
	w.says(replica(from("d", frame.TypePing, 2, slotsOfB), "b", 77))
	request := func(epoch uint64) *frame.Message {
		m := replica(from("d", frame.TypeAuthRequest, epoch, slotsOfB), "b", 77)
		m.ConfigEpoch = 2
		return m
	}
	frames, _ := w.says(request(4))
	require.Empty(t, frames, "its primary has not failed")

	fail := from("c", frame.TypeFail, 4, clusterstate.SlotRange{Start: 10000, End: 16383})
	fail.ConfigEpoch, fail.Failed = 3, id("b")
	w.says(fail)
	require.True(t, w.node.View().Node(id("b")).Failed)

	frames, voted := w.says(request(5))
	out := voted
	require.Equal(t, []frame.Type{frame.TypeAuthAck}, kinds(frames))
	require.Equal(t, uint64(5), frames[0].CurrentEpoch)
	require.Equal(t, w.to[id("d")], out.Send[0].Link)
	require.True(t, out.Save.Sync)
	require.Contains(t, string(out.Save.Text), "vars currentEpoch 5 lastVoteEpoch 5\n")

	frames, _ = w.says(request(5))
	require.Empty(t, frames, "once in an epoch")
	frames, _ = w.says(request(6))
	require.Empty(t, frames, "once for a shard within twice the timeout")
	w.tick(30 * time.Second)
	frames, out = w.says(request(7))
	require.Empty(t, frames, "no way to send it: the link is closed by now")
	require.NotContains(t, string(out.Save.Text), "lastVoteEpoch 7")
	w.tick(100 * time.Millisecond)
	frames, _ = w.says(request(4))
	require.Empty(t, frames, "an epoch that is over")
	frames, _ = w.says(request(7))
	require.Equal(t, []frame.Type{frame.TypeAuthAck}, kinds(frames))

	saved, err := clusterstate.ParseNodesConf(voted.Save.Text)
	require.NoError(t, err)
	again, _ := New(testConfig(), &saved, testSeed, at(0))
	require.Equal(t, uint64(5), again.lastVoteEpoch, "after a crash it is known that a vote was given")
}

func TestNoVoteForSlotsThatHaveANewerOwner(t *testing.T) {
	w := newWire(t, fourNodes)
	w.says(replica(from("d", frame.TypePing, 2, slotsOfB), "b", 77))
	w.says(from("c", frame.TypePing, 9, clusterstate.SlotRange{Start: 9999, End: 16383}))
	require.Equal(t, id("c"), w.node.View().Owner(9999).ID)
	m := replica(from("d", frame.TypeAuthRequest, 10, slotsOfB), "b", 77)
	m.ConfigEpoch, m.MessageFlags = 2, frame.ForceAck
	frames, out := w.says(m)
	require.Empty(t, frames)
	require.Contains(t, out.Logs[0].Text, "slot 9999 has an owner of epoch 9, above 2")

	m.Slots = new(frame.Bitmap)
	eachSlot([]clusterstate.SlotRange{{Start: 5001, End: 9998}}, m.Slots.Set)
	frames, _ = w.says(m)
	require.Equal(t, []frame.Type{frame.TypeAuthAck}, kinds(frames), "a forced one needs no failure")
}

func TestASlotThatChangesHandsElsewhereIsShownBeforeItIsOnDisk(t *testing.T) {
	w := newWire(t, fourNodes)
	_, out := w.says(from("c", frame.TypePing, 9, clusterstate.SlotRange{Start: 9999, End: 16383}))
	require.Equal(t, id("c"), out.View.Owner(9999).ID)
	require.True(t, out.Save.Sync)
	require.True(t, out.Save.Late)

	_, out = w.says(from("c", frame.TypePing, 10, clusterstate.SlotRange{Start: 5000, End: 16383}))
	require.Equal(t, id("c"), out.View.Owner(5000).ID)
	require.True(t, out.Save.Sync)
	require.False(t, out.Save.Late, "a slot of its own is gone")

	w = newWire(t, fourNodes)
	w.step(SetSlot{Slot: 6000, Action: SlotImporting, Node: string(id("b"))})
	_, out = w.says(replica(from("b", frame.TypePing, 8, slotsOfB), "d", 5))
	require.Equal(t, id("d"), out.View.Owner(6000).ID)
	require.True(t, out.Save.Sync)
	require.False(t, out.Save.Late, "a slot that it imports")
}

func TestASlotThatIsWhereItShouldBeNeedsNoSync(t *testing.T) {
	w := newWire(t, fourNodes)
	in := SetSlot{Slot: 5000, Action: SlotNode, Node: string(id("b"))}
	_, out := w.step(in)
	require.True(t, out.Save.Sync)
	_, out = w.step(in)
	require.False(t, out.Save.Sync)
	require.Nil(t, out.View)
}

func TestAReplicaWithDataIsInTheRows(t *testing.T) {
	w := newWire(t, fourNodes)
	require.Empty(t, w.node.View().Rows()[1].Replicas)
	w.says(replica(from("d", frame.TypePing, 2, slotsOfB), "b", 77))
	require.Len(t, w.node.View().Rows()[1].Replicas, 1)
	w.says(replica(from("d", frame.TypePing, 2, slotsOfB), "b", 0))
	require.Empty(t, w.node.View().Rows()[1].Replicas)
	_, out := w.says(replica(from("d", frame.TypePing, 2), "b", 78))
	require.NotNil(t, out.View)
	_, out = w.says(replica(from("d", frame.TypePing, 2), "b", 79))
	require.Nil(t, out.View, "how far it is is not in the view")
	require.Equal(t, int64(79), w.node.Shards(0)[1].Nodes[1].Offset)
}

func TestAFailoverMovesAllSlotsAtOnce(t *testing.T) {
	w := newWire(t, fourNodes)
	w.says(replica(from("d", frame.TypePing, 2, slotsOfB), "b", 77))

	// The old primary tells of it before the new one does.
	_, out := w.says(replica(from("b", frame.TypePing, 8, slotsOfB), "d", 5))
	require.Equal(t, id("d"), out.View.Owner(5001).ID)
	require.Equal(t, uint64(8), out.View.Owner(9999).ConfigEpoch)
	require.Equal(t, []clusterstate.NodeID{id("b")}, []clusterstate.NodeID{out.View.Node(id("d")).Replicas[0].ID})
	require.True(t, out.Save.Sync)
	_, out = w.says(from("d", frame.TypePong, 8, slotsOfB))
	require.Nil(t, out.View)
}

func TestStaleClaimsAreAnsweredByOneUpdate(t *testing.T) {
	w := newWire(t, fourNodes)
	frames, out := w.says(from("b", frame.TypePing, 2, clusterstate.SlotRange{Start: 5001, End: 10001}))
	require.Equal(t, []frame.Type{frame.TypePong, frame.TypeUpdate}, kinds(frames))
	require.Equal(t, id("c"), frames[1].Update.Node)
	require.Equal(t, uint64(3), frames[1].Update.ConfigEpoch)
	require.Equal(t, 6384, frames[1].Update.Slots.Count())
	require.Nil(t, out.View)

	// What its owner does not claim any more can be had at any epoch.
	w.says(from("c", frame.TypePing, 3, clusterstate.SlotRange{Start: 10002, End: 16383}))
	require.Equal(t, id("c"), w.node.View().Owner(10000).ID)
	w.says(from("b", frame.TypePing, 2, clusterstate.SlotRange{Start: 5001, End: 10001}))
	require.Equal(t, id("b"), w.node.View().Owner(10000).ID)
}

func TestANodeThatIsPromotedKeepsItsShardUnderImport(t *testing.T) {
	w := newWire(t, fourNodes)
	w.says(replica(from("d", frame.TypePing, 2, slotsOfB), "b", 77))
	w.step(SetSlot{Slot: 6000, Action: SlotImporting, Node: string(id("b"))})
	w.says(from("c", frame.TypePing, 7, clusterstate.SlotRange{Start: 6000, End: 6000}, clusterstate.SlotRange{Start: 10000, End: 16383}))
	require.Equal(t, id("b"), w.node.View().Owner(6000).ID, "what is imported moves by command alone")
	w.says(from("d", frame.TypePong, 9, slotsOfB))
	require.Equal(t, id("d"), w.node.View().Owner(6000).ID)
	require.Equal(t, id("d"), w.node.View().Importing(6000).ID)
}

func TestANodeThatMeetsItselfStaysAlone(t *testing.T) {
	w := newWire(t, "<a> :7000@17000 myself,master - 0 0 1 connected\n")
	frames, out := w.step(Meet{IP: "127.0.0.1", Port: 7000, BusPort: 17000})
	require.Equal(t, "OK", out.Reply.Text)
	require.Equal(t, []frame.Type{frame.TypeMeet}, kinds(frames))
	pong, _ := w.says(frames[0])
	require.Equal(t, []frame.Type{frame.TypePong}, kinds(pong))
	_, out = w.step(Received{out.Dial[0].Link, pong[0]})
	require.Len(t, out.Close, 1)
	require.Equal(t, expandIDs("<a> 127.0.0.1:7000@17000 myself,master - 0 0 1 connected\n"), string(w.node.NodesText(clientVariant)))
}

func TestMeetChecksWhatItIsGiven(t *testing.T) {
	for text, args := range map[string][]string{
		"Invalid TCP base port specified: abc":      {"127.0.0.1", "abc"},
		"Invalid TCP bus port specified: abc":       {"127.0.0.1", "1", "abc"},
		"Invalid node address specified: foo:1":     {"foo", "1"},
		"Invalid node address specified: ::1%lo:1":  {"::1%lo", "1"},
		"Invalid node address specified: ::1:0":     {"::1", "0"},
		"Invalid node address specified: ::1:6":     {"::1", "6", "65536"},
		"Invalid node address specified: ::1:60000": {"::1", "60000"},
	} {
		require.EqualError(t, ParseMeet(slotArgs(args...)).Invalid, text)
	}
	require.Equal(t, Meet{IP: "::1", Port: 6379, BusPort: 16379}, ParseMeet(slotArgs("0::1", "6379")))
	require.Equal(t, Meet{IP: "::1", Port: 6379, BusPort: 7}, ParseMeet(slotArgs("::1", "6379", "7")))
}
