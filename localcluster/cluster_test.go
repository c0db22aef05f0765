package localcluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"slotcast/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait; it is only reached when something is broken.
const patience = 20 * time.Second

// freePorts finds so many ports in a row that are free, and whose bus ports are.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	free := func(port int) bool {
		for _, p := range []int{port, port + 10000} {
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p)))
			if err != nil {
				return false
			}
			l.Close()
		}
		return true
	}
search:
	for range 200 {
		base := 10000 + rand.IntN(12000) // with the bus below what the system gives out
		for i := range n {
			if !free(base + i) {
				continue search
			}
		}
		return base
	}
	require.Fail(t, "no free ports")
	return 0
}

func load(t *testing.T, n, port int, more ...string) *config.Config {
	t.Helper()
	c, _, err := config.Load(append([]string{"--local-cluster", strconv.Itoa(n), "--port", strconv.Itoa(port)}, more...), nil)
	require.NoError(t, err)
	return c
}

func options(t *testing.T, c *config.Config) Options {
	return Options{
		Config: c, Version: "test", DrainTime: patience,
		Log:   func(*config.Config) *slog.Logger { return slog.New(slog.DiscardHandler) },
		Fatal: func(err error) { t.Errorf("a node had to end: %v", err) },
	}
}

// start starts a cluster that ends with the test, if not before.
func start(t *testing.T, c *config.Config) *Cluster {
	t.Helper()
	cluster, err := Start(options(t, c))
	require.NoError(t, err)
	t.Cleanup(func() { stop(cluster) })
	return cluster
}

func stop(c *Cluster) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c.Close(ctx)
}

// until waits for a state that nothing announces.
func until(t *testing.T, is func() bool) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	late := time.After(patience)
	for !is() {
		select {
		case <-poll.C:
		case <-late:
			require.Fail(t, "waited in vain")
		}
	}
}

type client struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

func dial(t *testing.T, addr string) *client {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	require.NoError(t, nc.SetDeadline(time.Now().Add(patience)))
	return &client{t, nc, bufio.NewReader(nc)}
}

func (c *client) line() string {
	c.t.Helper()
	line, err := c.r.ReadString('\n')
	require.NoError(c.t, err)
	return strings.TrimSuffix(line, "\r\n")
}

// do sends one command and returns the reply, of a bulk string its content.
func (c *client) do(words ...string) string {
	c.t.Helper()
	_, err := io.WriteString(c, strings.Join(words, " ")+"\r\n")
	require.NoError(c.t, err)
	reply := c.line()
	if size, bulk := strings.CutPrefix(reply, "$"); bulk {
		n, err := strconv.Atoi(size)
		require.NoError(c.t, err)
		body := make([]byte, n+2)
		_, err = io.ReadFull(c.r, body)
		require.NoError(c.t, err)
		return string(body[:n])
	}
	return reply
}

// TestTheClusterServesAtOnce: when Start returns, every node serves its slots and
// sees the whole map; soon after every link stands.
func TestTheClusterServesAtOnce(t *testing.T) {
	for _, n := range []int{1, 3, 5} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			port := freePorts(t, n)
			cluster := start(t, load(t, n, port))
			nodes := cluster.Nodes()
			require.Len(t, nodes, n)
			for i, node := range nodes {
				require.Equal(t, fmt.Sprintf("127.0.0.1:%d", port+i), node.Addr)
				c := dial(t, node.Addr)
				require.Equal(t, "+PONG", c.do("PING"))
				info := c.do("CLUSTER", "INFO")
				for _, line := range []string{"cluster_state:ok", "cluster_slots_assigned:16384",
					fmt.Sprintf("cluster_known_nodes:%d", n), fmt.Sprintf("cluster_size:%d", n),
					fmt.Sprintf("cluster_current_epoch:%d", n), fmt.Sprintf("cluster_my_epoch:%d", i+1)} {
					require.Contains(t, info, line+"\r\n")
				}
				require.Contains(t, node.Slots, fmt.Sprintf("(%d-%d)", share(i, n).Start, share(i, n).End))
				for links := -1; links < n-1; {
					links = strings.Count(c.do("CLUSTER", "NODES"), " connected ") - 1
				}
			}
		})
	}
}

// TestNodesHaveAConfigurationEach: what is set on one is not set on the others.
func TestNodesHaveAConfigurationEach(t *testing.T) {
	nodes := start(t, load(t, 2, freePorts(t, 2))).Nodes()
	one, other := dial(t, nodes[0].Addr), dial(t, nodes[1].Addr)
	require.Equal(t, "+OK", one.do("CONFIG", "SET", "maxclients", "1234"))
	require.Contains(t, one.do("INFO", "clients"), "maxclients:1234\r\n")
	require.Contains(t, other.do("INFO", "clients"), "maxclients:10000\r\n")
}

// TestAMoveIsSeenOnTheThirdNode: the row of a slot that goes from the first node
// to the second arrives at a subscriber of the third.
func TestAMoveIsSeenOnTheThirdNode(t *testing.T) {
	nodes := start(t, load(t, 3, freePorts(t, 3))).Nodes()
	from, to, listener := dial(t, nodes[0].Addr), dial(t, nodes[1].Addr), dial(t, nodes[2].Addr)
	require.Equal(t, "*3", listener.do("SUBSCRIBE", "__cluster-slots__:json"))
	for range 5 {
		listener.line()
	}
	require.Equal(t, "+OK", to.do("CLUSTER", "SETSLOT", "100", "IMPORTING", nodes[0].ID))
	require.Equal(t, "+OK", from.do("CLUSTER", "SETSLOT", "100", "MIGRATING", nodes[1].ID))
	require.Equal(t, "+OK", to.do("CLUSTER", "SETSLOT", "100", "NODE", nodes[1].ID))
	require.Equal(t, "+OK", from.do("CLUSTER", "SETSLOT", "100", "NODE", nodes[1].ID))
	var message []string
	for range 7 {
		message = append(message, listener.line())
	}
	host, port, err := net.SplitHostPort(nodes[1].Addr)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf(`[100,100,["%s",%s,"%s",{"config-epoch":"4"}]]`, host, port, nodes[1].ID), message[6])
}

// TestShutdownEndsOneNode and leaves the others; with the last the cluster ends.
func TestShutdownEndsOneNode(t *testing.T) {
	cluster := start(t, load(t, 2, freePorts(t, 2)))
	nodes := cluster.Nodes()
	down := func(addr string) {
		c := dial(t, addr)
		_, err := io.WriteString(c, "SHUTDOWN NOSAVE\r\n")
		require.NoError(t, err)
		_, err = io.ReadAll(c.r)
		require.NoError(t, err)
	}
	down(nodes[0].Addr)
	require.Equal(t, "+PONG", dial(t, nodes[1].Addr).do("PING"))
	select {
	case <-cluster.Done():
		require.Fail(t, "there is a node left")
	default:
	}
	down(nodes[1].Addr)
	select {
	case <-cluster.Done():
	case <-time.After(patience):
		require.Fail(t, "the cluster has not ended")
	}
}

// TestKillAndRestart: a node that is killed says nothing more, and comes back as
// the same one, be its nodes.conf a file or in memory. The cluster does not end
// meanwhile, even if all are killed.
func TestKillAndRestart(t *testing.T) {
	for _, args := range [][]string{nil, {"--dir", t.TempDir()}} {
		cluster := start(t, load(t, 2, freePorts(t, 2), args...))
		before := cluster.Nodes()
		require.ErrorContains(t, cluster.Restart(0), "runs")
		c := dial(t, before[0].Addr)
		require.Equal(t, "+OK", c.do("CLUSTER", "SETSLOT", "16383", "IMPORTING", before[1].ID))
		require.Equal(t, "+OK", c.do("CLUSTER", "SETSLOT", "16383", "NODE", before[0].ID), "it takes the slot, with an epoch that holds it")
		now := cluster.Nodes()
		require.Contains(t, now[0].Slots, "16383")

		for i := range before {
			cluster.Kill(i)
			cluster.Kill(i) // it is down
			require.Nil(t, cluster.View(i))
		}
		rest, err := io.ReadAll(c.r)
		require.True(t, err == nil || errors.Is(err, syscall.ECONNRESET), "%v", err)
		require.Empty(t, rest)
		_, err = net.Dial("tcp", before[0].Addr)
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		require.Equal(t, now, cluster.Nodes(), "as they were")
		select {
		case <-cluster.Done():
			require.Fail(t, "killed nodes may come back")
		default:
		}

		for i := range before {
			require.NoError(t, cluster.Restart(i))
			require.EqualValues(t, before[i].ID, cluster.View(i).Myself().ID)
		}
		require.Equal(t, now[0], cluster.Nodes()[0])
		until(t, func() bool { return cluster.View(1).ClusterOK() }) // it serves after a while
		require.Equal(t, ":0", dial(t, before[1].Addr).do("EXISTS", "foo"))
		stop(cluster)
		require.ErrorContains(t, cluster.Restart(0), "has ended")
	}
}

// TestRestartAfterShutdown: the cluster goes on as long as one node is left.
func TestRestartAfterShutdown(t *testing.T) {
	cluster := start(t, load(t, 2, freePorts(t, 2)))
	down := func(i int) {
		c := dial(t, cluster.Nodes()[i].Addr)
		_, err := io.WriteString(c, "SHUTDOWN NOSAVE\r\n")
		require.NoError(t, err)
		_, err = io.ReadAll(c.r)
		require.NoError(t, err)
		until(t, func() bool { return cluster.View(i) == nil })
	}
	down(0)
	require.NoError(t, cluster.Restart(0))
	down(1)
	require.Equal(t, "+PONG", dial(t, cluster.Nodes()[0].Addr).do("PING"))
	down(0)
	<-cluster.Done()
	require.ErrorContains(t, cluster.Restart(0), "has ended")
}

// TestAClusterThatIsKept: with dir, a later start goes on with the same nodes and
// their map. What does not fit together is refused.
func TestAClusterThatIsKept(t *testing.T) {
	dir, port := t.TempDir(), freePorts(t, 3)
	first := start(t, load(t, 2, port, "--dir", dir))
	ids := first.Nodes()
	require.Equal(t, "+OK", dial(t, ids[1].Addr).do("CLUSTER", "SETSLOT", "100", "NODE", ids[1].ID), "it takes the slot")

	_, err := Start(options(t, load(t, 2, port, "--dir", dir)))
	require.ErrorContains(t, err, "in use by another process")
	stop(first)

	again := start(t, load(t, 2, port, "--dir", dir)).Nodes()
	require.Equal(t, ids[1].ID, again[1].ID)
	require.Contains(t, again[1].Slots, "(100-100 8192-16383)")

	_, err = Start(options(t, load(t, 3, port, "--dir", dir)))
	require.Error(t, err)
	_, err = Start(options(t, load(t, 2, port+1, "--dir", dir)))
	require.ErrorContains(t, err, "in use by another process")
}

func TestHalfAClusterIsRefused(t *testing.T) {
	dir, port := t.TempDir(), freePorts(t, 3)
	stop(start(t, load(t, 2, port, "--dir", dir)))
	_, err := Start(options(t, load(t, 3, port, "--dir", dir)))
	require.ErrorContains(t, err, "cluster files of 2 of the 3 nodes")
	stop(start(t, load(t, 2, port, "--dir", dir)))
}

func TestATakenPort(t *testing.T) {
	port := freePorts(t, 3)
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+2)))
	require.NoError(t, err)
	defer l.Close()
	_, err = Start(options(t, load(t, 3, port)))
	require.ErrorContains(t, err, "address already in use")
	require.ErrorContains(t, err, "--port")
}

func TestTooFewFiles(t *testing.T) {
	require.NoError(t, enoughFiles(3))
	require.ErrorContains(t, enoughFiles(1_000_000), "ulimit -n")
}
