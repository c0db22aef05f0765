package testcluster_test

import (
	"fmt"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/testcluster"
)

// requireGone checks that a connection has ended, and that nothing came before
// its end.
func requireGone(t *testing.T, c *client) {
	t.Helper()
	b := make([]byte, 100)
	n, err := c.in.Read(b)
	require.Error(t, err, "got %q", b[:n])
	timeout, is := err.(net.Error)
	require.False(t, is && timeout.Timeout(), "%v", err)
}

// TestKillAndRestart: what clients see of a node that dies and comes back.
func TestKillAndRestart(t *testing.T) {
	c := testcluster.Start(t, 3, testcluster.NodeTimeout(soon), testcluster.Directive("enable-debug-command", "yes"))
	victim := c.Node(0)
	id := victim.ID()
	ask(t, victim, "OK", "SET", "bar", "1")
	ask(t, victim, "OK", "CONFIG", "SET", "maxclients", "77")
	idle, busy, listener := connect(t, victim), connect(t, victim), connect(t, victim)
	listener.subscribe("__cluster-slots__")
	idle.send("PING")
	require.Equal(t, "+PONG\r\n", idle.lines(1))
	busy.send("PING\r\nDEBUG SLEEP 1000\r\nPING")
	require.Equal(t, "+PONG\r\n", busy.lines(1))

	victim.Kill()
	for _, gone := range []*client{idle, busy, listener} {
		requireGone(t, gone)
	}
	host, port, err := net.SplitHostPort(victim.Addr())
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	for _, p := range []int{number, number + 10000} {
		_, err := net.Dial("tcp", net.JoinHostPort(host, strconv.Itoa(p)))
		require.ErrorContains(t, err, "connection refused")
	}
	_, err = victim.Do("PING")
	require.ErrorContains(t, err, "connection refused")
	require.Equal(t, id, victim.ID())
	require.Same(t, victim, c.Owner(barSlot), "nobody has taken its slots")
	victim.Kill() // it is down

	c.WaitFailed(victim)
	c.WaitDown(c.Node(1), c.Node(2))
	refused(t, c.Node(1), "CLUSTERDOWN The cluster is down", "GET", "bar")

	victim.Restart()
	ask(t, victim, "PONG", "PING")
	c.WaitReady()
	ask(t, victim, id, "CLUSTER", "MYID")
	ask(t, victim, nil, "GET", "bar")
	ask(t, victim, []any{"maxclients", "10000"}, "CONFIG", "GET", "maxclients")
	refused(t, c.Node(1), fmt.Sprintf("MOVED %d %s", barSlot, victim.Addr()), "GET", "bar")
	c.MoveSlot(barSlot, c.Node(1))
}

// TestRestartAfterShutdown: a node that a client has shut down comes back as
// well; all may be down at once.
func TestRestartAfterShutdown(t *testing.T) {
	c := testcluster.Start(t, 2)
	down := connect(t, c.Node(0))
	down.send("SHUTDOWN NOSAVE")
	requireGone(t, down)
	c.Node(1).Kill()
	c.Node(0).Restart()
	c.Node(1).Restart()
	c.WaitReady()
}

// TestTheRestKeepsServing where the cluster is told to.
func TestTheRestKeepsServing(t *testing.T) {
	c := testcluster.Start(t, 3, testcluster.NodeTimeout(soon), testcluster.Directive("cluster-require-full-coverage", "no"))
	c.Node(0).Kill()
	c.WaitFailed(c.Node(0))
	ask(t, c.Node(2), "OK", "SET", "foo", "1")
	c.WaitReady()
}

// TestPartition: news does not pass, clients reach everyone, and the smaller side
// stops; after Heal all agree on what the larger one has done.
func TestPartition(t *testing.T) {
	c := testcluster.Start(t, 5, testcluster.NodeTimeout(soon))
	minority, majority := c.Nodes()[:2], c.Nodes()[2:]
	here, there := connect(t, minority[1]), connect(t, majority[2])
	here.subscribe("news")
	there.subscribe("news")
	rows := connect(t, minority[0])
	rows.subscribe("__cluster-slots__")

	c.Partition(minority)
	ask(t, majority[0], int64(0), "PUBLISH", "news", "one")
	require.Equal(t, message("news", "one"), there.lines(7))
	ask(t, minority[0], int64(0), "PUBLISH", "news", "two")
	require.Equal(t, message("news", "two"), here.lines(7))
	before := fmt.Sprintf("MOVED %d %s", fooSlot, majority[1].Addr())
	refused(t, minority[0], before, "GET", "foo")
	c.MoveSlot(fooSlot, majority[0])
	require.Same(t, majority[0], c.Owner(fooSlot))
	refused(t, minority[0], before, "GET", "foo")

	c.WaitFailed(minority[0])
	c.WaitFailed(minority[1])
	c.WaitDown(c.Nodes()...)
	refused(t, minority[0], "CLUSTERDOWN The cluster is down", "GET", "foo")
	requireGone(t, rows) // nobody shall listen to an island

	c.Heal()
	c.WaitReady()
	refused(t, minority[0], fmt.Sprintf("MOVED %d %s", fooSlot, majority[0].Addr()), "GET", "foo")
	ask(t, majority[0], int64(0), "PUBLISH", "news", "three")
	require.Equal(t, message("news", "three"), here.lines(7))
	require.Equal(t, message("news", "three"), there.lines(7))
}

// TestPartitionOfTheWhole: everyone alone, and another partition in its place.
func TestPartitionOfTheWhole(t *testing.T) {
	c := testcluster.Start(t, 3, testcluster.NodeTimeout(soon))
	all := c.Nodes()
	c.Partition(all[:1], all[1:2], all[2:])
	c.WaitDown(all...)
	c.Partition(all[:1])
	c.WaitFailed(all[0])
	c.Heal()
	c.WaitReady()
}
