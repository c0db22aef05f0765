package gossip

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

// fromScratch is the text of nodes.conf with no line taken from the last one.
func fromScratch(n *Node) []byte {
	clone := n.Clone()
	for _, p := range n.table.rows {
		clone.table.alter(p.id).written = nil
	}
	return clone.confText()
}

// withoutTimes reads a text, of whose times of ping and pong only counts whether
// there are any.
func withoutTimes(t *testing.T, text []byte) clusterstate.NodesConf {
	conf, err := clusterstate.ParseNodesConf(text)
	require.NoError(t, err)
	for i := range conf.Nodes {
		line := &conf.Nodes[i]
		line.PingSent, line.PongReceived = min(line.PingSent, 1), min(line.PongReceived, 1)
	}
	return conf
}

// TestKeptLinesAreAsIfWrittenAnew gives a node random news, also in steps that are
// given up, and compares what it would save.
func TestKeptLinesAreAsIfWrittenAnew(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 11))
		n := newLarge(t, 12)
		now := at(3 * time.Second)
		step := func(n *Node) {
			now = Now{now.Mono + 50*time.Millisecond, now.Wall.Add(50 * time.Millisecond)}
			rows := n.table.rows
			p := rows[random.IntN(len(rows))]
			slot := uint16(random.IntN(clusterstate.Slots))
			slots := []clusterstate.SlotRange{{Start: slot, End: min(slot+uint16(random.IntN(300)), clusterstate.Slots-1)}}
			switch random.IntN(8) {
			case 0:
				n.Tick(now)
			case 1:
				n.Step(now, AddSlots{Ranges: slots})
			case 2:
				n.Step(now, DelSlots{Ranges: slots})
			case 3:
				n.Step(now, SetSlot{Slot: slot, Action: SlotNode, Node: string(p.id)})
			case 4:
				n.Step(now, SetSlot{Slot: slot, Action: SlotMigrating, Node: string(p.id)})
				n.Step(now, BumpEpoch{})
			case 5:
				if random.IntN(10) == 0 {
					n.Step(now, Forget{Node: string(p.id)})
				}
			default:
				if p.up {
					claim := claimOf(n, p.id)
					eachSlot(slots, claim.Slots.Set)
					claim.CurrentEpoch += uint64(random.IntN(2))
					claim.ConfigEpoch = max(claim.ConfigEpoch, uint64(random.IntN(int(claim.CurrentEpoch)+1)))
					n.Step(now, Received{p.link, claim})
				}
			}
		}
		for round := range 120 {
			if random.IntN(3) == 0 {
				clone := n.Clone()
				step(clone)
				require.Equal(t, withoutTimes(t, fromScratch(clone)), withoutTimes(t, clone.confText()), "seed %d round %d", seed, round)
				if random.IntN(2) == 0 {
					n = clone
				}
			}
			step(n)
			require.Equal(t, withoutTimes(t, fromScratch(n)), withoutTimes(t, n.confText()), "seed %d round %d", seed, round)
		}
		n.Step(now, Reset{Hard: seed%2 == 0})
		require.Equal(t, withoutTimes(t, fromScratch(n)), withoutTimes(t, n.confText()), "seed %d, reset", seed)
	}
}

func TestAPreviewMakesTheViewAlone(t *testing.T) {
	n := newLarge(t, 100)
	now := at(3 * time.Second)
	answerAll(n, now)
	n.Tick(now)
	for _, p := range n.table.rows {
		p.written = nil
	}
	before := n.View()
	other := string(n.table.rows[7].id)
	in := SetSlot{Slot: 1, Action: SlotNode, Node: other}
	preview := n.Preview(now, in)
	require.Same(t, before, n.View())
	for _, p := range n.table.rows {
		require.Nil(t, p.written, "nothing was written")
	}
	out := n.Step(now, in)
	require.Equal(t, out.View.OwnedRanges(), preview.OwnedRanges())
	require.Equal(t, other, string(preview.Owner(1).ID))
	require.NotNil(t, n.table.peer(before.Myself().ID).written)

	require.Nil(t, n.Preview(now, in), "so it is already")
	require.Nil(t, n.Preview(now, SetSlot{Slot: 2, Action: SlotNode, Node: "nobody"}), "refused")
}
