package gossip

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

var (
	testSeed = [32]byte{1, 2, 3}
	testWall = time.UnixMilli(1_700_000_000_000)
)

func at(mono time.Duration) Now { return Now{Mono: mono, Wall: testWall.Add(mono)} }

func testConfig() Config {
	return Config{
		Port:                     7000,
		NodeTimeout:              15 * time.Second,
		RequireFullCoverage:      true,
		AllowPubSubShardWhenDown: true,
	}
}

func id(c string) clusterstate.NodeID { return clusterstate.NodeID(strings.Repeat(c, 40)) }

// parseConf reads a nodes.conf in which <a> stands for forty times a.
func parseConf(t *testing.T, text string) *clusterstate.NodesConf {
	t.Helper()
	conf, err := clusterstate.ParseNodesConf([]byte(expandIDs(text)))
	require.NoError(t, err)
	return &conf
}

func expandIDs(text string) string {
	for c := 'a'; c <= 'z'; c++ {
		text = strings.ReplaceAll(text, "<"+string(c)+">", strings.Repeat(string(c), 40))
	}
	return text
}

// ranges makes the arguments of a slot command.
func slotArgs(words ...string) [][]byte {
	out := make([][]byte, len(words))
	for i, w := range words {
		out[i] = []byte(w)
	}
	return out
}

func TestAFreshNodeOwnsAllAndIsOkAtOnce(t *testing.T) {
	cfg := testConfig()
	cfg.OwnAll = true
	n, out := New(cfg, nil, testSeed, at(0))

	require.True(t, out.View.ClusterOK())
	require.False(t, out.View.Minority())
	require.True(t, out.Save.Sync)
	rows := out.View.Rows()
	require.Len(t, rows, 1)
	require.Equal(t, uint16(16383), rows[0].End)
	require.Zero(t, n.View().Myself().ConfigEpoch)
	require.Contains(t, string(out.Save.Text), " myself,master - 0 0 0 connected 0-16383\nvars currentEpoch 0 lastVoteEpoch 0\n")

	out = n.Step(at(time.Second), DelSlots{Ranges: []clusterstate.SlotRange{{Start: 5461, End: 5461}}})
	require.Equal(t, "OK", out.Reply.Text)
	require.Nil(t, out.View.Owner(5461))
	require.False(t, out.View.ClusterOK())
	require.True(t, out.Save.Sync)

	out = n.Step(at(2*time.Second), AddSlots{Ranges: []clusterstate.SlotRange{{Start: 5461, End: 5461}}})
	require.True(t, out.View.ClusterOK())
}

func TestARefusedCommandChangesNothing(t *testing.T) {
	n, _ := New(testConfig(), nil, testSeed, at(0))
	n.Step(at(0), AddSlots{Ranges: []clusterstate.SlotRange{{Start: 3, End: 3}}})
	before := n.View()
	ranges, invalid := ParseSlotRanges(slotArgs("1", "4"))
	out := n.Step(at(0), AddSlots{Ranges: ranges, Invalid: invalid})
	require.Equal(t, Output{Reply: Reply{Err: &SlotError{3, SlotBusy}}}, out)
	require.Same(t, before, n.View())
}
