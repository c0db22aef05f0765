package testcluster_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/testcluster"
)

// TestMoveSlot: keys go along, all nodes redirect to the new owner when it
// returns, and a subscriber of the third node is told once.
func TestMoveSlot(t *testing.T) {
	c := testcluster.Start(t, 3)
	from, to, third := c.Node(0), c.Node(1), c.Node(2)
	require.Same(t, from, c.Owner(barSlot))
	for i := range 250 { // more than go at once
		ask(t, from, "OK", "SET", fmt.Sprintf("{bar}%d", i), fmt.Sprint(i))
	}
	listener := connect(t, third)
	listener.subscribe("__cluster-slots__:json")

	c.MoveSlot(barSlot, to)
	require.Same(t, to, c.Owner(barSlot))
	moved := fmt.Sprintf("MOVED %d %s", barSlot, to.Addr())
	refused(t, from, moved, "GET", "{bar}7")
	refused(t, third, moved, "GET", "{bar}7")
	ask(t, to, "7", "GET", "{bar}7")
	ask(t, to, int64(250), "DBSIZE")
	ask(t, from, int64(0), "DBSIZE")
	host, port, err := net.SplitHostPort(to.Addr())
	require.NoError(t, err)
	row := fmt.Sprintf(`[%d,%d,["%s",%s,"%s",{"config-epoch":"4"}]]`, barSlot, barSlot, host, port, to.ID())
	require.Equal(t, message("__cluster-slots__:json", row), listener.lines(7))

	c.MoveSlot(barSlot, to) // it is there
	c.MoveSlot(barSlot, from)
	ask(t, from, "7", "GET", "{bar}7")
}

func TestMoveSlots(t *testing.T) {
	c := testcluster.Start(t, 3)
	c.MoveSlots(5400, 5500, c.Node(2)) // of two owners
	for _, slot := range []int{5400, 5460, 5461, 5500} {
		require.Same(t, c.Node(2), c.Owner(slot), slot)
	}
	require.Same(t, c.Node(0), c.Owner(5399))
	require.Same(t, c.Node(1), c.Owner(5501))
	for _, n := range c.Nodes() {
		rows, err := n.Do("CLUSTER", "SLOTS")
		require.NoError(t, err)
		require.Len(t, rows, 4, "%s", n)
	}
}

// TestOwnerOfNothing: a slot that nobody has.
func TestOwnerOfNothing(t *testing.T) {
	c := testcluster.Start(t, 1)
	ask(t, c.Node(0), "OK", "CLUSTER", "DELSLOTS", "7")
	require.Nil(t, c.Owner(7))
	require.Same(t, c.Node(0), c.Owner(8))
}
