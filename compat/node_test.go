package compat

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// A node is a server under test, with a connection that the test itself uses
// to change slots and to publish.
type node struct {
	addr string
	port int
	id   string // of the node in the cluster

	// other is a further primary that the cluster file names, without slots
	// and without a process; only a node of startBeside has one.
	other struct {
		id   string
		port int
	}

	t       *testing.T
	conn    net.Conn
	replies *bufio.Reader
}

// startNode runs slotcast in a folder of its own, as "go run ." does: a
// cluster of one that owns all slots.
func startNode(t *testing.T, directives ...string) *node {
	t.Helper()
	return launch(t, buildSlotcast(t), func(int) []string {
		return append([]string{"--dir", t.TempDir()}, directives...)
	}, "Ready to accept connections")
}

// startBeside runs slotcast with a cluster file that names another node, so
// that there is somewhere to move a slot to.
func startBeside(t *testing.T) *node {
	t.Helper()
	const (
		myself = "5a1ad0c5b6f7e1d2c3b4a5968778695a4b3c2d1e"
		other  = "0123456789abcdef0123456789abcdef01234567"
	)
	otherPort, err := redistest.FreePort()
	require.NoError(t, err)
	n := launch(t, buildSlotcast(t), func(port int) []string {
		dir := t.TempDir()
		file := fmt.Sprintf("%s 127.0.0.1:%d@%d myself,master - 0 0 1 connected 0-16383\n"+
			"%s 127.0.0.1:%d@%d master - 0 0 2 connected\n"+
			"vars currentEpoch 2 lastVoteEpoch 0\n",
			myself, port, port+10000, other, otherPort, otherPort+10000)
		path := filepath.Join(dir, fmt.Sprintf("nodes-%d.conf", port))
		require.NoError(t, os.WriteFile(path, []byte(file), 0o644))
		// Nobody answers for the other node. The time after which it counts
		// as failed is longer than any test.
		return []string{"--dir", dir, "--cluster-node-timeout", "600000"}
	}, "Ready to accept connections")
	require.Equal(t, myself, n.id)
	n.other.id, n.other.port = other, otherPort
	return n
}

// awaitOK waits until the cluster is in order in the node's eyes, which takes
// some seconds after the start of one with others in its file.
func (n *node) awaitOK() {
	n.t.Helper()
	for begun := time.Now(); !strings.Contains(n.do("CLUSTER", "INFO"), "cluster_state:ok"); {
		require.Less(n.t, time.Since(begun), patience, "the cluster does not get in order")
	}
}

// startRedis runs redis-server as a cluster of one that owns all slots.
func startRedis(t *testing.T) *node {
	t.Helper()
	n := launch(t, redistest.Bin(t, "redis-server"), func(port int) []string {
		dir := t.TempDir()
		file := fmt.Sprintf("%040d 127.0.0.1:%d@%d myself,master - 0 0 1 connected 0-16383\n"+
			"vars currentEpoch 1 lastVoteEpoch 0\n", 1, port, port+10000)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "nodes.conf"), []byte(file), 0o644))
		return []string{"--dir", dir, "--bind", "127.0.0.1", "--save", "", "--cluster-enabled", "yes"}
	}, "Cluster state changed: ok")
	return n
}

// launch starts a server on a free port, again on another if somebody took it
// in between, and returns once it printed the words.
func launch(t *testing.T, program string, args func(port int) []string, words string) *node {
	t.Helper()
	var p *process
	for range 5 {
		port, err := redistest.FreePort()
		require.NoError(t, err)
		p = start(t, program, append([]string{"--port", strconv.Itoa(port)}, args(port)...)...)
		if !p.reaches(words) {
			continue
		}
		p.ignoreRest()
		n := dialNode(t, net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		n.port = port
		n.id = n.do("CLUSTER", "MYID")
		return n
	}
	require.FailNow(t, "the server does not start", p.story())
	return nil
}

// do sends one command and returns its reply: the text of a status, an error,
// an integer or a bulk string.
func (n *node) do(args ...string) string {
	n.t.Helper()
	n.send(args...)
	return n.reply(fmt.Sprintf("%q", args))
}

func (n *node) send(args ...string) {
	n.t.Helper()
	require.NoError(n.t, n.conn.SetDeadline(time.Now().Add(patience)))
	request := fmt.Sprintf("*%d\r\n", len(args))
	for _, a := range args {
		request += fmt.Sprintf("$%d\r\n%s\r\n", len(a), a)
	}
	_, err := io.WriteString(n.conn, request)
	require.NoError(n.t, err)
}

// reply reads one reply of one line, or a bulk string. After is what it comes
// after, for failures.
func (n *node) reply(after string) string {
	n.t.Helper()
	require.NoError(n.t, n.conn.SetDeadline(time.Now().Add(patience)))
	line, err := n.replies.ReadString('\n')
	require.NoError(n.t, err, "after %s", after)
	text := strings.TrimSuffix(line[1:], "\r\n")
	switch line[0] {
	case '+', '-', ':':
		return text
	case '$':
		size, err := strconv.Atoi(text)
		require.NoError(n.t, err)
		bulk := make([]byte, size+2)
		_, err = io.ReadFull(n.replies, bulk)
		require.NoError(n.t, err)
		return string(bulk[:size])
	}
	require.FailNow(n.t, "no reply of one line", "%q after %s", line, after)
	return ""
}

// ok sends a command whose reply is OK.
func (n *node) ok(args ...string) {
	n.t.Helper()
	require.Equal(n.t, "OK", n.do(args...), "%q", args)
}

// publish sends a message to an ordinary channel that has one subscriber.
func (n *node) publish(channel, message string) {
	n.t.Helper()
	require.Equal(n.t, "1", n.do("PUBLISH", channel, message))
}

// fill puts this node's facts into a text: {port} and {id} of this node,
// {other-port} and {other-id} of the one beside it.
func (n *node) fill(text string) string {
	return strings.NewReplacer(
		"{port}", strconv.Itoa(n.port), "{id}", n.id,
		"{other-port}", strconv.Itoa(n.other.port), "{other-id}", n.other.id,
	).Replace(text)
}
