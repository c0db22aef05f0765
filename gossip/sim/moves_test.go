package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/gossip"
)

// TestEveryNodeTellsTheSameMoves moves slots while frames overtake each other
// and come twice, and while the nodes are told of the new owner in any order, the
// target among the others. Whatever they hear first, each tells of each move
// once, with the epoch at which the target claims it.
func TestEveryNodeTellsTheSameMoves(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			net := New()
			net.Latency = func(*Machine, *Machine) time.Duration { return time.Duration(r.Int64N(int64(20*time.Millisecond))) + 1 }
			net.Overtakes = func(*Flight) bool { return r.IntN(3) == 0 }
			net.Repeats = func(*Flight) bool { return r.IntN(10) == 0 }
			machines, err := net.Form([]string{"a", "b", "c", "d"}, func(*Machine) {})
			require.NoError(t, err)
			net.Run(3 * time.Second)
			for range 6 {
				r.Shuffle(len(machines), func(i, j int) { machines[i], machines[j] = machines[j], machines[i] })
				source, target := machines[0], machines[1]
				var slots []uint16
				for _, owned := range source.Node().View().OwnedRanges() {
					for slot := owned.Start; owned.Owner.ID == source.ID() && slot <= owned.End && len(slots) < 8; slot++ {
						slots = append(slots, slot)
					}
				}
				for _, slot := range slots {
					step(t, target, gossip.SetSlot{Slot: slot, Action: gossip.SlotImporting, Node: string(source.ID())})
					step(t, source, gossip.SetSlot{Slot: slot, Action: gossip.SlotMigrating, Node: string(target.ID())})
					told := slices.Clone(machines)
					r.Shuffle(len(told), func(i, j int) { told[i], told[j] = told[j], told[i] })
					for _, m := range told {
						step(t, m, gossip.SetSlot{Slot: slot, Action: gossip.SlotNode, Node: string(target.ID())})
						net.Run(time.Duration(r.Int64N(int64(5 * time.Millisecond))))
					}
				}
				net.Run(5 * time.Second)
				var want []gossip.Move
				for _, slot := range slots {
					epoch := target.Node().View().Myself().ConfigEpoch
					want = append(want, gossip.Move{Slot: slot, From: source.ID(), To: target.ID(), Epoch: epoch})
				}
				for _, m := range machines {
					slices.SortFunc(m.Moved, func(a, b gossip.Move) int { return int(a.Number() - b.Number()) })
					require.Equal(t, want, m.Moved, "%s tells", m.Name)
					m.Moved = nil
				}
			}
		})
	}
}

func step(t *testing.T, m *Machine, in gossip.Input) {
	t.Helper()
	reply, alive := m.Step(in)
	require.True(t, alive)
	require.NoError(t, reply.Err)
}
