package gossip

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

func TestACloneTakesStepsOfItsOwn(t *testing.T) {
	n, _ := New(testConfig(), nil, testSeed, at(0))
	before, text := n.View(), string(n.NodesText(clientVariant))
	clone := n.Clone()
	clone.Step(at(0), AddSlots{Ranges: []clusterstate.SlotRange{{Start: 0, End: 9}}})
	clone.Step(at(0), BumpEpoch{})
	hard := clone.Step(at(0), Reset{Hard: true})
	require.Same(t, before, n.View())
	require.Equal(t, text, string(n.NodesText(clientVariant)))
	require.Zero(t, n.currentEpoch)

	// Both go on from the same random source.
	require.Equal(t, hard.View.Myself().ID, n.Step(at(0), Reset{Hard: true}).View.Myself().ID)
}

func TestMergeIsOneCommitOfTheEndState(t *testing.T) {
	n, _ := New(testConfig(), nil, testSeed, at(0))
	staged := n.Clone()
	one := staged.Step(at(0), AddSlots{Ranges: []clusterstate.SlotRange{{Start: 0, End: 9}}})
	refused := staged.Step(at(0), AddSlots{Ranges: []clusterstate.SlotRange{{Start: 0, End: 9}}})
	open := staged.Step(at(0), SetSlot{Slot: 3, Action: SlotMigrating, Node: string(staged.View().Myself().ID)})
	require.False(t, open.Save.Sync)
	all := Output{}.Merge(one).Merge(refused).Merge(open)
	require.Equal(t, open.Save.Text, all.Save.Text)
	require.True(t, all.Save.Sync, "the slots of the first command")
	require.Same(t, staged.View(), all.View)
	require.Equal(t, "OK", all.Reply.Text)
	require.False(t, one.Merge(refused).Save.MayFail)

	save := staged.Step(at(0), SaveConfig{})
	require.True(t, save.Save.MayFail)
	require.NotEmpty(t, save.Save.Text)
	require.False(t, all.Merge(save).Save.MayFail, "a slot is in it, too")
	require.Equal(t, one.View, one.Merge(save).View)
}

func TestAReplicaFromTheFile(t *testing.T) {
	conf := "<a> 127.0.0.1:7000@17000,,tls-port=0,shard-id=<s> myself,slave <b> 0 0 7 connected\n" +
		"<b> 127.0.0.1:1@2,,tls-port=0,shard-id=<s> master - 0 0 7 connected 0-16383\nvars currentEpoch 7 lastVoteEpoch 3\n"
	cfg := testConfig()
	cfg.AnnounceIP = "127.0.0.1"
	n, out := New(cfg, parseConf(t, conf), testSeed, at(0))
	require.Nil(t, out.Save)
	require.True(t, out.View.ClusterOK(), "the start delay is for primaries")
	require.Contains(t, string(n.InfoText()), "cluster_my_epoch:7\r\n")
	require.ErrorIs(t, n.Step(at(0), SetSlot{Invalid: ErrInvalidSlot}).Reply.Err, ErrSetSlotOnReplica)
	_, err := n.ReplicaLines(string(id("a")), clientVariant)
	require.ErrorIs(t, err, ErrNotPrimary)
	lines, err := n.ReplicaLines(string(id("b")), clientVariant)
	require.NoError(t, err)
	require.Equal(t, []string{expandIDs("<a> 127.0.0.1:7000@17000 myself,slave <b> 0 0 7 connected")}, lines)
	require.Equal(t, "loading", n.Shards(0)[0].Nodes[1].Health)
	require.Equal(t, "online", n.Shards(5)[0].Nodes[1].Health)

	out = n.Step(at(0), Reset{HasKeys: true})
	require.NoError(t, out.Reply.Err)
	require.True(t, out.Reset)
	require.True(t, out.Save.Sync)
	require.Equal(t, []clusterstate.SlotRange{{Start: 0, End: 16383}}, out.Drop)
	require.False(t, n.View().Myself().Replica)
	require.ErrorIs(t, n.Step(at(0), Reset{HasKeys: true}).Reply.Err, ErrResetWithKeys)
}

func TestQuietTicksSayNothing(t *testing.T) {
	cfg := testConfig()
	cfg.OwnAll = true
	n, _ := New(cfg, nil, testSeed, at(0))
	require.Equal(t, Output{}, n.Tick(at(time.Hour)))
	require.Zero(t, testing.AllocsPerRun(10, func() { n.Tick(at(time.Hour)) }))
	n.Step(at(0), DelSlots{Ranges: []clusterstate.SlotRange{{Start: 1, End: 1}}})
	require.Equal(t, Output{}, n.Tick(at(2*time.Hour)))
}

// TestTheSameInputsGiveTheSameOutputs is what makes a failing seed a script.
func TestTheSameInputsGiveTheSameOutputs(t *testing.T) {
	play := func() (texts []string) {
		n, out := New(testConfig(), nil, testSeed, at(0))
		texts = append(texts, string(out.Save.Text))
		for _, in := range []Input{BumpEpoch{}, Reset{Hard: true}, AddSlots{Ranges: []clusterstate.SlotRange{{Start: 1, End: 5}}}} {
			texts = append(texts, string(n.Step(at(time.Second), in).Save.Text))
		}
		return texts
	}
	require.Equal(t, play(), play())
}

func BenchmarkSetSlotNode(b *testing.B) {
	n, _ := New(testConfig(), &clusterstate.NodesConf{Nodes: []clusterstate.NodeLine{
		{ID: id("a"), Flags: clusterstate.LineMyself | clusterstate.LinePrimary, Slots: []clusterstate.SlotRange{{Start: 0, End: 9999}}},
		{ID: id("b"), Flags: clusterstate.LinePrimary, Slots: []clusterstate.SlotRange{{Start: 10000, End: 16383}}},
	}}, testSeed, at(0))
	to := []string{string(id("a")), string(id("b"))}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		n.Step(at(0), SetSlot{Slot: 5461, Action: SlotNode, Node: to[i&1]})
	}
}
