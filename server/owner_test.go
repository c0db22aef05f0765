package server

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/gossip"
	"slotcast/gossip/frame"
	"slotcast/nodesfile"
)

// TestSetSlotWhileTheClusterTurns gives a slot away at the moment when a node
// that was just started begins to serve: which locks the change needs, looked at
// a little earlier, must still be true when it is made.
func TestSetSlotWhileTheClusterTurns(t *testing.T) {
	const untilTurn = 3 * time.Millisecond
	for range 20 {
		storage := nodesfile.NewMemory()
		require.NoError(t, storage.Save([]byte(orderNodesConf()), true))
		ts := startServerFrom(t, storage)
		c := ts.dial(t)
		c.do("PING")
		ts.owner.do(func() { ts.started = ts.started.Add(untilTurn - 2*time.Second) })
		for i := 0; !ts.topology.current().ClusterOK(); i++ {
			require.Equal(t, "+OK\r\n", c.do("CLUSTER", "SETSLOT", "100", "NODE", orderNodes[thisNode+i%2].id))
		}
	}
}

// TestRowsOfOthersDoNotWaitForTheDisk lets a slot go from one other node to
// another. The row is there although the disk takes for ever.
func TestRowsOfOthersDoNotWaitForTheDisk(t *testing.T) {
	giver, taker := strings.Repeat("b", 40), strings.Repeat("c", 40)
	storage := &stuckStorage{Storage: nodesfile.NewMemory(), stuck: make(chan struct{})}
	require.NoError(t, storage.Save([]byte(strings.Repeat("a", 40)+" 127.0.0.1:1@2 myself,master - 0 0 1 connected 0-99\n"+
		giver+" 127.0.0.1:7001@17001 master - 0 0 2 connected 100-199\n"+
		taker+" 127.0.0.1:7002@17002 master - 0 0 3 connected 200-16383\nvars currentEpoch 3 lastVoteEpoch 0\n"), true))
	ts := startServerFrom(t, storage, "--cluster-node-timeout", "3600000")
	c := ts.dial(t)
	c.do("SUBSCRIBE", "__cluster-slots__:moved")

	claim := &frame.Message{Type: frame.TypePing, Header: frame.Header{
		Sender: clusterstate.NodeID(taker), CurrentEpoch: 4, ConfigEpoch: 4, Port: 7002, BusPort: 17002,
		Flags: frame.FlagPrimary | frame.FlagMyself, Slots: new(frame.Bitmap),
	}}
	for slot := 150; slot < clusterstate.Slots; slot++ {
		claim.Slots.Set(uint16(slot))
	}
	applied := make(chan error, 1)
	ts.owner.inbox <- func() {
		o := ts.owner
		o.node.Step(o.now(), gossip.Accepted{Link: gossip.FirstInbound + 1, LocalIP: "127.0.0.1", PeerIP: "127.0.0.1"})
		out := o.node.Step(o.now(), gossip.Received{Link: gossip.FirstInbound + 1, Message: claim})
		storage.late = true
		applied <- o.apply(out, noSlotLocks, nil)
	}
	require.Equal(t, "*3\r\n"+bulk("message")+bulk("__cluster-slots__:moved")+bulk("MOVED 150-199 127.0.0.1:7002"), c.reply())
	require.Empty(t, applied)
	close(storage.stuck)
	require.NoError(t, <-applied)
	text, err := storage.Load()
	require.NoError(t, err)
	require.Contains(t, string(text), "connected 150-16383\n")
}

// TestNoLoopWaitsForTheDisk has clients ask for a slot that is being given away,
// which is locked until that is on disk. All others are served meanwhile.
func TestNoLoopWaitsForTheDisk(t *testing.T) {
	storage := &stuckStorage{Storage: nodesfile.NewMemory(), stuck: make(chan struct{})}
	require.NoError(t, storage.Save([]byte(orderNodesConf()), true))
	ts := startServerFrom(t, storage)
	key := ""
	for i := 0; clusterstate.KeySlot([]byte(key)) != 100; i++ {
		key = strconv.Itoa(i)
	}
	var asking, others []*client
	for range 2 * runtime.GOMAXPROCS(0) {
		asking, others = append(asking, ts.dial(t)), append(others, ts.dial(t))
	}
	giver := ts.dial(t)
	ts.owner.do(func() { storage.late = true })
	giver.send("CLUSTER", "SETSLOT", "100", "NODE", orderNodes[thisNode+1].id)
	for !ts.owner.savesLocked.Load() {
		runtime.Gosched()
	}
	for i, c := range asking {
		switch i % 3 {
		case 0:
			c.send("GET", key)
		case 1:
			c.raw(request("MULTI") + request("GET", key))
			require.Equal(t, "+OK\r\n", c.reply())
		case 2:
			c.send("FLUSHALL")
		}
	}
	for _, c := range others {
		c.want("+PONG\r\n", "PING")
	}
	close(storage.stuck)
	require.Equal(t, "+OK\r\n", giver.reply())
	for _, c := range asking {
		require.NotEmpty(t, c.reply())
	}
}

// stuckStorage is a disk that, once it is late, waits.
type stuckStorage struct {
	nodesfile.Storage
	late  bool
	stuck chan struct{}
}

func (s *stuckStorage) Save(text []byte, sync bool) error {
	if s.late {
		<-s.stuck
	}
	return s.Storage.Save(text, sync)
}
