package gossip

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/nodesfile"
)

// acknowledged is what clients were promised: who owns which slot, the own
// epoch, and the epoch of the cluster.
func acknowledged(n *Node) string {
	var b strings.Builder
	for _, r := range n.View().OwnedRanges() {
		fmt.Fprintf(&b, "%d-%d %s\n", r.Start, r.End, r.Owner.ID)
	}
	me := n.View().Myself()
	fmt.Fprintf(&b, "%s epoch %d of %d", me.ID, me.ConfigEpoch, n.currentEpoch)
	return b.String()
}

// TestNoCrashLosesWhatWasAcknowledged runs random commands and stops the
// machine at every step of storage that a command takes, with both kinds of
// forgetting. What is found after the restart is what was acknowledged last,
// or what the command cut short by the crash would have made of it.
func TestNoCrashLosesWhatWasAcknowledged(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 9))
			m := newMachine(testConfig())
			if seed%2 == 0 {
				conf := "<a> 127.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-9\n" +
					"<b> 127.0.0.1:7001@17001 master - 0 0 7 connected 10-99\n" +
					"vars currentEpoch 7 lastVoteEpoch 0\n"
				require.NoError(t, m.storage.Save([]byte(expandIDs(conf)), true))
			}
			require.NoError(t, m.start())
			crashes, replies := 0, 0
			for range 40 {
				in := randomInput(random, m.node)
				for steps := range nodesfile.StepsOfSave + 1 {
					before := acknowledged(m.node)
					after := m.node.Clone()
					after.Step(m.now, in)
					m.storage.CrashAfter(steps)
					reply, err := m.carryOut(m.node.Step(m.now, in))
					if err == nil {
						replies++
						before = acknowledged(after)
						if reply == "OK" {
							require.Equal(t, before, acknowledged(m.node))
						}
					} else {
						crashes++
						require.ErrorIs(t, err, nodesfile.ErrCrashed)
					}
					m.crash(random.IntN(2) == 0)
					require.NoError(t, m.start())
					found := acknowledged(m.node)
					if found != before {
						require.Error(t, err, "%T was acknowledged and is gone", in)
						require.Equal(t, acknowledged(after), found, "%T", in)
					}
				}
			}
			require.Greater(t, crashes, 50)
			require.Greater(t, replies, 50)
		})
	}
}

// randomInput is a command that often succeeds.
func randomInput(random *rand.Rand, n *Node) Input {
	slot := uint16(random.IntN(120))
	nodes := n.View().Nodes()
	some := string(nodes[random.IntN(len(nodes))].ID)
	ranges := []clusterstate.SlotRange{{Start: slot, End: slot + uint16(random.IntN(3))}}
	switch random.IntN(10) {
	case 0, 1:
		return AddSlots{Ranges: ranges}
	case 2:
		return DelSlots{Ranges: ranges}
	case 3:
		return SetSlot{Slot: slot, Action: SlotImporting, Node: some}
	case 4:
		return SetSlot{Slot: slot, Action: SlotMigrating, Node: some}
	case 5, 6:
		return SetSlot{Slot: slot, Action: SlotNode, Node: some}
	case 7:
		return BumpEpoch{}
	case 8:
		return SetConfigEpoch{Epoch: int64(random.IntN(50))}
	default:
		switch random.IntN(6) {
		case 0:
			return Reset{Hard: true}
		case 1:
			return Reset{}
		case 2:
			return FlushSlots{DBEmpty: true}
		case 3:
			return SaveConfig{}
		case 4:
			cfg := n.Config()
			cfg.AnnouncePort = random.IntN(3)
			return Configure{cfg}
		default:
			return LearnAddress{IP: "127.0.0.1"}
		}
	}
}
