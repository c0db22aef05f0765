package server

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
