package testcluster_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"slotcast/testcluster"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds the waits on sockets; it is only reached when something is
// broken.
const patience = 30 * time.Second

// soon is a node timeout for tests that wait for failures. It is still long
// beside the pauses of a busy machine.
const soon = time.Second

// ask gives a node a command, and it has to answer what is wanted.
func ask(t *testing.T, n *testcluster.Node, want any, args ...string) {
	t.Helper()
	reply, err := n.Do(args...)
	require.NoError(t, err, "%s: %q", n, args)
	require.Equal(t, want, reply, "%s: %q", n, args)
}

// refused gives a node a command that it has to answer with this error.
func refused(t *testing.T, n *testcluster.Node, want string, args ...string) {
	t.Helper()
	_, err := n.Do(args...)
	require.Equal(t, testcluster.Error(want), err, "%s: %q", n, args)
}

// client is a connection of a test.
type client struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func connect(t *testing.T, n *testcluster.Node) *client {
	t.Helper()
	nc, err := net.Dial("tcp", n.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	require.NoError(t, nc.SetDeadline(time.Now().Add(patience)))
	return &client{t, nc, bufio.NewReader(nc)}
}

func (c *client) send(words string) {
	c.t.Helper()
	_, err := io.WriteString(c, words+"\r\n")
	require.NoError(c.t, err)
}

// lines reads so many lines.
func (c *client) lines(n int) string {
	c.t.Helper()
	var b strings.Builder
	for range n {
		line, err := c.in.ReadString('\n')
		require.NoError(c.t, err, "after %q", b.String())
		b.WriteString(line)
	}
	return b.String()
}

// subscribe subscribes to a channel, of which the confirmation has six lines.
func (c *client) subscribe(channel string) {
	c.t.Helper()
	c.send("SUBSCRIBE " + channel)
	c.lines(6)
}

// message is how a subscriber finds a payload.
func message(channel, payload string) string {
	return fmt.Sprintf("*3\r\n$7\r\nmessage\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", len(channel), channel, len(payload), payload)
}

// The slots of the keys that the tests use.
const (
	fooSlot = 12182 // of the third of three nodes, the fourth of five
	barSlot = 5061  // of the first of three
)
