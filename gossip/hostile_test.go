package gossip

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// TestNothingThatPeersSendBreaksTheTable throws random frames, events and
// commands at a node. Whatever comes, it does not panic, its own counts agree
// with its view, its epochs do not fall, and what it sends can be read.
func TestNothingThatPeersSendBreaksTheTable(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 5))
			w := newWire(t, fourNodes)
			for range 4000 {
				current, own, id := w.node.currentEpoch, w.node.myself().ConfigEpoch, w.node.myself().ID
				in := randomEvent(random, w)
				if in == nil {
					w.tick(time.Duration(random.IntN(3000)) * time.Millisecond)
				} else {
					w.step(in)
				}
				if w.node.myself().ID == id {
					require.GreaterOrEqual(t, w.node.currentEpoch, current, "%T", in)
					require.GreaterOrEqual(t, w.node.myself().ConfigEpoch, own, "%T", in)
				}
				requireSound(t, w.node)
			}
		})
	}
}

// requireSound compares what the node counts with what its view has.
func requireSound(t *testing.T, n *Node) {
	slots := map[clusterstate.NodeID]int{}
	for _, r := range n.View().OwnedRanges() {
		slots[r.Owner.ID] += int(r.End) - int(r.Start) + 1
	}
	require.Len(t, n.table.rows, len(n.View().Nodes()))
	suspects := 0
	for _, node := range n.View().Nodes() {
		p := n.table.peer(node.ID)
		require.Equal(t, slots[node.ID], p.slots)
		if p.suspected {
			suspects++
		}
		for _, link := range [...]LinkID{p.link, p.from} {
			if link != 0 {
				require.Equal(t, node.ID, n.table.links[link].node)
			}
		}
	}
	require.Equal(t, suspects, n.table.suspects)
	require.False(t, n.View().Myself().Replica)
}

func randomEvent(random *rand.Rand, w *wire) Input {
	some := func() clusterstate.NodeID { return id(string("abcdefgh"[random.IntN(8)])) }
	link := FirstInbound + LinkID(random.IntN(int(w.last-FirstInbound)+1))
	if random.IntN(2) == 0 {
		link = LinkID(1 + random.IntN(int(w.node.lastLink)+1))
	}
	switch random.IntN(24) {
	case 0, 1:
		return nil
	case 2, 3:
		w.last++
		return Accepted{w.last, "127.0.0.1", "127.0.0.2"}
	case 4:
		return LinkDown{link, random.IntN(2) == 0}
	case 5:
		return LinkUp{link, "127.0.0.1"}
	case 6:
		return Meet{IP: "127.0.0.1", Port: 1 + random.IntN(3), BusPort: 5}
	case 7:
		return Forget{Node: string(some())}
	case 8:
		return Publish{Channel: []byte("c"), Payload: []byte("p"), Shard: random.IntN(2) == 0}
	case 9:
		if random.IntN(20) == 0 {
			return Reset{Hard: random.IntN(2) == 0}
		}
		return SetSlot{Slot: uint16(random.IntN(clusterstate.Slots)), Action: SlotAction(random.IntN(4)), Node: string(some())}
	}
	m := &frame.Message{Type: frame.Type(random.IntN(frame.Types)), Header: frame.Header{
		Sender: some(), CurrentEpoch: uint64(random.IntN(50)), ConfigEpoch: uint64(random.IntN(50)), Offset: uint64(random.IntN(2)),
		Port: uint16(random.IntN(3)), BusPort: uint16(random.IntN(3)),
		Flags: frame.Flags(random.Uint32()), MessageFlags: frame.MessageFlags(random.IntN(8)),
	}, Failed: some()}
	if random.IntN(3) == 0 {
		m.Type = frame.TypePing + frame.Type(random.IntN(3))
	}
	if random.IntN(3) == 0 {
		m.Primary = some()
	}
	m.Slots = randomSlots(random)
	m.Update = frame.Update{Node: some(), ConfigEpoch: uint64(random.IntN(50)), Slots: randomSlots(random)}
	m.Publish = frame.Publish{Channel: []byte("c"), Payload: []byte("p")}
	for range random.IntN(4) {
		m.Gossip = append(m.Gossip, frame.Gossip{
			ID: some(), PongReceived: random.Uint32(), IP: "127.0.0.1", Port: uint16(random.IntN(3)), BusPort: 1, Flags: frame.Flags(random.Uint32()),
		})
	}
	if random.IntN(30) == 0 {
		m.Extensions.Forgotten = []frame.Forgotten{{ID: some(), TTL: random.Uint64()}}
	}
	if random.IntN(4) == 0 {
		m.Extensions.ShardID = string(some())
	}
	if random.IntN(20) == 0 {
		m.Light, m.Header, m.Type = true, frame.Header{}, frame.TypePublish
	}
	return Received{link, m}
}

func randomSlots(random *rand.Rand) *frame.Bitmap {
	if random.IntN(4) == 0 {
		return nil
	}
	start := random.IntN(clusterstate.Slots)
	set := new(frame.Bitmap)
	for s := start; s < min(start+random.IntN(3000), clusterstate.Slots); s++ {
		set.Set(uint16(s))
	}
	return set
}

func TestEpochsDoNotWrap(t *testing.T) {
	w := newWire(t, fourNodes)
	m := from("b", frame.TypePing, ^uint64(0), slotsOfB)
	w.says(m)
	_, out := w.step(BumpEpoch{})
	require.Equal(t, "STILL 1", out.Reply.Text)
	w.says(from("b", frame.TypePing, ^uint64(0), slotsOfB))
	require.Equal(t, uint64(1), w.node.View().Myself().ConfigEpoch)
}
