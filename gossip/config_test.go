package gossip

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

func TestOwnAddress(t *testing.T) {
	n, out := New(testConfig(), nil, testSeed, at(0))
	n.Step(at(0), AddSlots{Ranges: []clusterstate.SlotRange{{Start: 0, End: 0}}})
	endpoint := func() any {
		v := n.View()
		e := v.NodeEntry(v.Myself(), clientVariant)
		if e.Null {
			return nil
		}
		return e.Endpoint
	}
	require.Nil(t, endpoint())
	require.Contains(t, string(out.Save.Text), " :7000@17000,,tls-port=0,shard-id=")

	before := n.View()
	out = n.Step(at(0), LearnAddress{IP: "127.0.0.1"})
	require.Equal(t, "127.0.0.1", endpoint())
	require.Len(t, clusterstate.Diff(before, out.View, clientVariant), 1)
	require.False(t, out.Save.Sync)
	out = n.Step(at(0), LearnAddress{IP: "127.0.0.1"})
	require.Nil(t, out.View)
	require.Nil(t, out.Save)

	cfg := n.Config()
	cfg.AnnounceIP, cfg.AnnouncePort, cfg.AnnounceBusPort, cfg.AnnounceTLSPort = "10.0.0.1", 1, 2, 3
	n.Step(at(0), Configure{cfg})
	require.Equal(t, "10.0.0.1", endpoint())
	me := n.View().Myself()
	require.Equal(t, []int{1, 3, 2}, []int{me.Port, me.TLSPort, me.BusPort})
	n.Step(at(0), LearnAddress{IP: "127.0.0.2"})
	require.Equal(t, "10.0.0.1", endpoint())
	cfg.AnnounceIP = ""
	n.Step(at(0), Configure{cfg})
	require.Equal(t, "127.0.0.2", endpoint())
}

func TestTheFileKeepsALearnedAddressAndGivesWayToTheConfiguration(t *testing.T) {
	text := "<a> 10.1.1.1:1@2,old,tls-port=0,shard-id=<s> myself,master,fail,noaddr - 5 6 0 connected 0-16383\nvars currentEpoch 0 lastVoteEpoch 0\n"
	n, out := New(testConfig(), parseConf(t, text), testSeed, at(0))
	require.NotNil(t, out.Save, "ports and hostname come from the configuration")
	require.Equal(t, expandIDs("<a> 10.1.1.1:7000@17000 myself,master - 1700000000000 1700000000000 0 connected 0-16383\n"),
		string(n.NodesText(clientVariant)))
	require.True(t, n.View().ClusterOK(), "nobody else was named")

	saved, err := clusterstate.ParseNodesConf(out.Save.Text)
	require.NoError(t, err)
	_, out = New(testConfig(), &saved, testSeed, at(0))
	require.Nil(t, out.Save, "the file says everything already")

	cfg := testConfig()
	cfg.AnnounceIP = "10.2.2.2"
	n, _ = New(cfg, &saved, testSeed, at(0))
	cfg.AnnounceIP = ""
	n.Step(at(0), Configure{cfg})
	require.Empty(t, n.View().Myself().IP, "the address in the file was an announced one")
}

func TestSettingsReachTheView(t *testing.T) {
	n, _ := New(testConfig(), nil, testSeed, at(0))
	cfg := n.Config()
	cfg.PreferredEndpoint, cfg.AllowReadsWhenDown, cfg.AllowPubSubShardWhenDown = clusterstate.EndpointHostname, true, false
	out := n.Step(at(0), Configure{cfg})
	require.Equal(t, clusterstate.Settings{Endpoint: clusterstate.EndpointHostname, AllowReadsWhenDown: true}, out.View.Settings())
	require.Nil(t, out.Save)

	n.Step(at(0), AddSlots{Ranges: []clusterstate.SlotRange{{Start: 0, End: 0}}})
	require.False(t, n.View().ClusterOK())
	cfg.RequireFullCoverage = false
	require.True(t, n.Step(at(0), Configure{cfg}).View.ClusterOK())
}

func TestShardIDs(t *testing.T) {
	n, out := New(testConfig(), parseConf(t,
		"<a> :7000@17000 myself,master - 0 0 0 connected\n"+
			"<b> :1@2,,tls-port=0,shard-id=<s> master - 0 0 0 connected\n"+
			"<c> :1@2 slave <b> 0 0 0 connected\n"+
			"<d> :1@2 slave <a> 0 0 0 connected\n"), testSeed, at(0))
	require.True(t, clusterstate.NodeID(n.MyShardID()).Valid())
	require.Equal(t, n.MyShardID(), n.table.peer(id("d")).shardID)
	require.Equal(t, string(id("s")), n.table.peer(id("c")).shardID)
	require.Equal(t, 2, strings.Count(string(out.Save.Text), n.MyShardID()))

	shard := n.MyShardID()
	n.Step(at(0), Reset{})
	require.Equal(t, shard, n.MyShardID())
	n.Step(at(0), Reset{Hard: true})
	require.NotEqual(t, shard, n.MyShardID())
	require.NotEqual(t, string(n.View().Myself().ID), n.MyShardID())
}
