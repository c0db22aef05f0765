package testcluster_test

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/testcluster"
)

func TestStart(t *testing.T) {
	for _, nodes := range []int{1, 3, 6} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			t.Parallel()
			c := testcluster.Start(t, nodes)
			require.Len(t, c.Nodes(), nodes)
			require.Len(t, c.Addrs(), nodes)
			for i, n := range c.Nodes() {
				require.Same(t, n, c.Node(i))
				require.Equal(t, n.Addr(), c.Addrs()[i])
				ask(t, n, n.ID(), "CLUSTER", "MYID")
				require.Same(t, n, c.Owner(i*16384/nodes+1))
				info, err := n.Do("CLUSTER", "INFO")
				require.NoError(t, err)
				require.Contains(t, info, "cluster_state:ok\r\n")
				text, err := n.Do("CLUSTER", "NODES")
				require.NoError(t, err)
				require.Equal(t, nodes, strings.Count(text.(string), " connected "))
			}
		})
	}
}

// TestClustersSideBySide: many clusters at once do not get in each other's way.
func TestClustersSideBySide(t *testing.T) {
	var mu sync.Mutex // guards seen
	seen := map[string]bool{}
	t.Run("all", func(t *testing.T) {
		for range 8 {
			t.Run("one", func(t *testing.T) {
				t.Parallel()
				c := testcluster.Start(t, 2)
				mu.Lock()
				defer mu.Unlock()
				for _, n := range c.Nodes() {
					require.False(t, seen[n.ID()])
					seen[n.ID()] = true
				}
			})
		}
	})
	require.Len(t, seen, 16)
}

// TestDirectives are in force on all nodes, the password also for what the
// package itself does.
func TestDirectives(t *testing.T) {
	c := testcluster.Start(t, 2, testcluster.NodeTimeout(soon),
		testcluster.Directive("requirepass", "secret"), testcluster.Directive("maxclients", "100"))
	for _, n := range c.Nodes() {
		ask(t, n, []any{"cluster-node-timeout", "1000"}, "CONFIG", "GET", "cluster-node-timeout")
		ask(t, n, []any{"maxclients", "100"}, "CONFIG", "GET", "maxclients")
		stranger := connect(t, n)
		stranger.send("PING")
		require.Equal(t, "-NOAUTH Authentication required.\r\n", stranger.lines(1))
	}
	ask(t, c.Node(0), "OK", "SET", "bar", "1")
	c.MoveSlot(barSlot, c.Node(1))
	ask(t, c.Node(1), "1", "GET", "bar")
}

// TestAStranger: a node may be told to meet one of another cluster.
func TestAStranger(t *testing.T) {
	c, other := testcluster.Start(t, 1), testcluster.Start(t, 1)
	here, there := c.Node(0), other.Node(0)
	host, port, err := net.SplitHostPort(there.Addr())
	require.NoError(t, err)
	ask(t, here, "OK", "CLUSTER", "MEET", host, port)
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	late := time.After(patience)
	for met := false; !met; {
		select {
		case <-poll.C:
			nodes, err := here.Do("CLUSTER", "NODES")
			require.NoError(t, err)
			for line := range strings.Lines(nodes.(string)) {
				met = met || strings.HasPrefix(line, there.ID()) && strings.Contains(line, " connected")
			}
		case <-late:
			require.Fail(t, "they have not met")
		}
	}
}

// TestClose ends the cluster before the test ends.
func TestClose(t *testing.T) {
	c := testcluster.Start(t, 2)
	idle := connect(t, c.Node(0))
	c.Close()
	_, err := idle.in.ReadByte()
	require.Error(t, err)
	_, err = c.Node(0).Do("PING")
	require.ErrorContains(t, err, "connection refused")
	c.Close()
}
