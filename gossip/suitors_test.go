package gossip

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

var slotsOfA = clusterstate.SlotRange{Start: 0, End: 5000}

// besieged is a node that serves, of which d has been made a replica. Its
// offset is that of the primary it had before.
func besieged(t *testing.T) *wire {
	w := newWire(t, fourNodes)
	w.tick(2 * time.Second)
	require.True(t, w.node.View().ClusterOK())
	_, out := w.says(replica(from("d", frame.TypePing, 1, slotsOfA), "a", 4711))
	require.Equal(t, id("a"), out.View.Node(id("d")).Primary)
	require.Contains(t, out.Logs[0].Text, "Node "+string(id("d"))+" was made a replica of this node, which has no replication")
	return w
}

func TestAReplicaOfThisNodeHasNoData(t *testing.T) {
	w := besieged(t)
	require.Empty(t, w.node.View().Rows()[0].Replicas)
	require.Contains(t, string(w.node.InfoText()), "\r\ncluster_replicas_without_data:"+string(id("d"))+"\r\n")
	w.says(replica(from("d", frame.TypePing, 2, slotsOfB), "b", 4711))
	require.Len(t, w.node.View().Rows()[1].Replicas, 1)
	require.NotContains(t, string(w.node.InfoText()), "cluster_replicas_without_data")
}

func TestAReplicaOfThisNodeGetsNoPauseAndNoVote(t *testing.T) {
	w := besieged(t)
	frames, _ := w.says(replica(from("d", frame.TypeMFStart, 1, slotsOfA), "a", 4711))
	require.Empty(t, frames)
	frames, _ = w.says(replica(from("d", frame.TypePing, 1, slotsOfA), "a", 4711))
	require.False(t, frames[0].MessageFlags.Has(frame.Paused))
	require.Zero(t, frames[0].Offset)

	request := replica(from("d", frame.TypeAuthRequest, 9, slotsOfA), "a", 4711)
	request.ConfigEpoch, request.MessageFlags = 1, frame.ForceAck
	frames, _ = w.says(request)
	require.Empty(t, frames)
}

func TestNoVoteForTheReplicaOfAnotherNodeWithoutReplication(t *testing.T) {
	w := newWire(t, fourNodes)
	b := from("b", frame.TypePing, 2, slotsOfB)
	b.Flags |= flagAlone
	w.says(b)
	w.says(replica(from("d", frame.TypePing, 2, slotsOfB), "b", 77))
	require.Empty(t, w.node.View().Rows()[1].Replicas, "it has no data either")
	request := replica(from("d", frame.TypeAuthRequest, 9, slotsOfB), "b", 77)
	request.ConfigEpoch, request.MessageFlags = 2, frame.ForceAck
	frames, out := w.says(request)
	require.Empty(t, frames)
	require.Contains(t, out.Logs[0].Text, "its primary has no replicas with data")
}

// TestAReplicaThatWinsDoesNotGetTheSlots: by the votes of others, or by a
// TAKEOVER; told by itself or by a third.
func TestAReplicaThatWinsDoesNotGetTheSlots(t *testing.T) {
	update := from("c", frame.TypeUpdate, 8, clusterstate.SlotRange{Start: 10000, End: 16383})
	update.ConfigEpoch = 3
	update.Update = frame.Update{Node: id("d"), ConfigEpoch: 8, Slots: from("d", frame.TypePong, 8, slotsOfA).Slots}
	for name, news := range map[string]*frame.Message{"claim": from("d", frame.TypePong, 8, slotsOfA), "update": update} {
		t.Run(name, func(t *testing.T) {
			w := besieged(t)
			frames, out := w.says(news)
			require.Equal(t, id("a"), w.node.View().Owner(0).ID)
			require.Equal(t, uint64(9), w.node.View().Myself().ConfigEpoch)
			require.Empty(t, out.Drop)
			require.True(t, out.Save.Sync)
			told := 0
			for _, m := range frames {
				if m.Type == frame.TypePong {
					told++
					require.Equal(t, uint64(9), m.ConfigEpoch)
					require.True(t, m.Slots.Has(0))
				}
			}
			require.Equal(t, 3, told, "all others")
		})
	}
}

// TestANodeThatHasNotServedYields: after a restart it has no keys to keep.
func TestANodeThatHasNotServedYields(t *testing.T) {
	w := newWire(t, fourNodes)
	w.says(replica(from("d", frame.TypePing, 1, slotsOfA), "a", 0))
	_, out := w.says(from("d", frame.TypePong, 8, slotsOfA))
	require.Equal(t, id("d"), w.node.View().Owner(0).ID)
	require.Equal(t, []clusterstate.SlotRange{slotsOfA}, out.Drop)
	require.False(t, w.node.View().Myself().Replica)
}

// TestAMoveToAFormerReplicaIsNoVictory: it was seen as a primary before it
// claims.
func TestAMoveToAFormerReplicaIsNoVictory(t *testing.T) {
	w := besieged(t)
	w.says(from("d", frame.TypePing, 1))
	w.says(from("d", frame.TypePong, 8, clusterstate.SlotRange{Start: 7, End: 7}))
	require.Equal(t, id("d"), w.node.View().Owner(7).ID)
}
