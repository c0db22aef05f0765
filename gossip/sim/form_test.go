package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/gossip"
)

func names(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("n%d", i+1)
	}
	return out
}

// TestMeetingNodesBecomeACluster: what redis-cli --cluster create does.
func TestMeetingNodesBecomeACluster(t *testing.T) {
	w := New()
	w.Latency = func(*Machine, *Machine) time.Duration { return time.Millisecond }
	var all []*Machine
	for i, name := range names(5) {
		m := w.Add(name)
		require.NoError(t, m.Start())
		first := uint16(i * clusterstate.Slots / 5)
		last := uint16((i+1)*clusterstate.Slots/5 - 1)
		m.Step(gossip.AddSlots{Ranges: []clusterstate.SlotRange{{Start: first, End: last}}})
		m.Step(gossip.SetConfigEpoch{Epoch: int64(i + 1)})
		all = append(all, m)
	}
	for _, m := range all[1:] {
		m.Meet(all[0])
	}
	took, ok := w.Settle(20 * time.Second)
	for _, m := range all {
		if !ok {
			t.Log(string(m.Node().NodesText(clusterstate.Variant{})), string(m.Node().InfoText()))
		}
	}
	require.True(t, ok)
	require.Less(t, took, 6*time.Second, "five seconds of which are the delay after a minority")
	for _, m := range all {
		require.Len(t, m.Node().View().Nodes(), 5)
		require.Equal(t, m.IP, m.Node().View().Myself().IP, "learned from a MEET")
	}
}

func TestAFormedClusterStaysHealthy(t *testing.T) {
	w := New()
	w.Latency = func(*Machine, *Machine) time.Duration { return time.Millisecond }
	all, err := w.Form(names(20), nil)
	require.NoError(t, err)
	took, ok := w.Settle(20 * time.Second)
	require.True(t, ok)
	require.Less(t, took, 3*time.Second)
	w.Watch = func(m *Machine, out gossip.Output) {
		require.Nil(t, out.View, "%s at %s", m.Name, w.Now())
		require.Empty(t, out.Close)
	}
	w.Run(2 * time.Minute)
	for _, m := range all {
		require.Len(t, m.Node().Links(), 2*19)
	}
}

func TestAKilledPrimaryIsFound(t *testing.T) {
	w := New()
	w.Latency = func(*Machine, *Machine) time.Duration { return time.Millisecond }
	all, err := w.Form(names(7), nil)
	require.NoError(t, err)
	_, ok := w.Settle(20 * time.Second)
	require.True(t, ok)
	dead := all[3].ID()
	all[3].Crash(false)
	failed := func() bool {
		for _, m := range all {
			if m.Node() != nil && !m.Node().View().Node(dead).Failed {
				return false
			}
		}
		return true
	}
	require.True(t, w.RunUntil(3*15*time.Second, failed))
	require.False(t, all[0].Node().View().ClusterOK())
	require.False(t, all[0].Node().View().Minority())
	require.NoError(t, all[3].Start())
	_, ok = w.Settle(60 * time.Second)
	require.True(t, ok, string(all[0].Node().NodesText(clusterstate.Variant{})))
}
