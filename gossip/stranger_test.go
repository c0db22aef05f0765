package gossip

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// TestTheShellIsToldWhoIsKnown: once for a link, with the first frame of a node
// of the cluster, and never for a stranger's.
func TestTheShellIsToldWhoIsKnown(t *testing.T) {
	w := newWire(t, fourNodes)
	_, out := w.says(from("b", frame.TypePing, 1))
	link := w.last
	require.Equal(t, []LinkID{link}, out.Known)
	_, out = w.step(Received{link, from("b", frame.TypePing, 1)})
	require.Empty(t, out.Known)
	_, out = w.says(from("x", frame.TypePing, 1))
	require.Empty(t, out.Known)
	require.Equal(t, []LinkID{1, 2}, Output{Known: []LinkID{1}}.Merge(Output{Known: []LinkID{2}}).Known)
}

// TestStrangersAskInVain once too many of them have asked to be let in; when
// their time is up, others can.
func TestStrangersAskInVain(t *testing.T) {
	w := newWire(t, fourNodes)
	for port := range uint16(maxAsked + 10) {
		meet := from("x", frame.TypeMeet, 1)
		meet.Port, meet.BusPort = port, port+1
		w.says(meet)
	}
	require.Len(t, w.node.table.handshakes, maxAsked)
	w.tick(w.node.cfg.NodeTimeout + time.Millisecond)
	require.Empty(t, w.node.table.handshakes)
	w.says(from("x", frame.TypeMeet, 1))
	require.Len(t, w.node.table.handshakes, 1)
}

// TestMadeUpNodesHaveAnEnd: whatever number of nodes a peer names, the table does
// not grow without end.
func TestMadeUpNodesHaveAnEnd(t *testing.T) {
	w := newWire(t, fourNodes)
	made := 0
	for range 20 {
		m := from("b", frame.TypePing, 1)
		for range 1000 {
			made++
			id := clusterstate.NodeID(fmt.Sprintf("%040x", made))
			m.Gossip = append(m.Gossip, frame.Gossip{ID: id, IP: "127.0.0.1", Port: 1, BusPort: 2, Flags: frame.FlagPrimary})
		}
		w.says(m)
	}
	require.Len(t, w.node.View().Nodes(), maxNodes)
	requireSound(t, w.node)
}
