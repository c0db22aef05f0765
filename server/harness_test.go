package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"slotcast/config"
	"slotcast/nodesfile"
)

// TestMain fails the package when a goroutine outlives its tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait of these tests. It is only reached when something
// is broken.
const patience = 20 * time.Second

// testServer is a server that listens on a port of the loopback interface
// until its test ends. Its cluster state is kept in memory.
type testServer struct {
	*Server
	addr string
}

// startServer starts a server with the given directives, as on a command line:
// "--requirepass", "secret".
func startServer(t testing.TB, directives ...string) *testServer {
	t.Helper()
	return startServerFrom(t, nodesfile.NewMemory(), directives...)
}

// startServerFrom starts a server with a cluster state that was saved before.
func startServerFrom(t testing.TB, storage nodesfile.Storage, directives ...string) *testServer {
	t.Helper()
	c, _, err := config.Load(directives, strings.NewReader(""))
	require.NoError(t, err)
	s, err := New(Options{
		Config:  c,
		Log:     slog.New(slog.DiscardHandler),
		Storage: storage,
		Version: "test",
		Fatal:   func(err error) { t.Errorf("the node had to end: %v", err) },
	})
	require.NoError(t, err)
	ts := &testServer{Server: s}
	ts.addr = ts.listen(t, "tcp", "127.0.0.1:0")
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		s.Close(ctx)
	})
	return ts
}

// listen adds a listener and returns its address.
func (ts *testServer) listen(t testing.TB, network, addr string) string {
	t.Helper()
	l, err := net.Listen(network, addr)
	require.NoError(t, err)
	ts.Listen(l)
	return l.Addr().String()
}

// connOf is the server's side of a client.
func (ts *testServer) connOf(t testing.TB, c *client) *conn {
	t.Helper()
	for _, sc := range ts.conns.all() {
		if sc.remoteAddr() == c.LocalAddr().String() {
			return sc
		}
	}
	require.Fail(t, "no such connection")
	return nil
}

// client is a connection to a server, slotcast's or another, that works with
// raw bytes. Its methods fail the test when the server does not do its part.
type client struct {
	net.Conn
	t testing.TB
	r *bufio.Reader
}

func (ts *testServer) dial(t testing.TB) *client {
	t.Helper()
	return dialAddr(t, "tcp", ts.addr)
}

func dialAddr(t testing.TB, network, addr string) *client {
	t.Helper()
	nc, err := net.Dial(network, addr)
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	require.NoError(t, nc.SetDeadline(time.Now().Add(patience)))
	return newClient(t, nc)
}

func newClient(t testing.TB, nc net.Conn) *client {
	return &client{Conn: nc, t: t, r: bufio.NewReader(nc)}
}

// send sends one command as an array of bulk strings.
func (c *client) send(args ...string) {
	c.t.Helper()
	c.raw(request(args...))
}

// raw sends bytes as they are.
func (c *client) raw(b string) {
	c.t.Helper()
	_, err := io.WriteString(c, b)
	require.NoError(c.t, err)
}

// do sends one command and returns the raw bytes of one reply.
func (c *client) do(args ...string) string {
	c.t.Helper()
	require.NoError(c.t, c.SetDeadline(time.Now().Add(patience)))
	c.send(args...)
	return c.reply()
}

// want sends one command and compares the raw bytes of its reply.
func (c *client) want(reply string, args ...string) {
	c.t.Helper()
	require.Equal(c.t, strconv.Quote(reply), strconv.Quote(c.do(args...)), "reply to %q", args)
}

// reply reads one reply or message and returns its raw bytes.
func (c *client) reply() string {
	c.t.Helper()
	var b strings.Builder
	require.NoError(c.t, c.read(&b))
	return b.String()
}

// closed waits until the server has closed the connection, and returns what
// it sent before.
func (c *client) closed() string {
	c.t.Helper()
	b, err := io.ReadAll(c.r)
	require.NotErrorIs(c.t, err, os.ErrDeadlineExceeded)
	return string(b)
}

// read copies one value of RESP2 or RESP3 with all that is nested in it.
func (c *client) read(b *strings.Builder) error {
	line, err := c.r.ReadString('\n')
	b.WriteString(line)
	if err != nil {
		return fmt.Errorf("after %q: %w", b.String(), err)
	}
	n, nested := 0, 0
	switch line[0] {
	case '$', '=', '!':
		if n, err = strconv.Atoi(strings.TrimSpace(line[1:])); n < 0 || err != nil {
			return err
		}
		body := make([]byte, n+2)
		_, err = io.ReadFull(c.r, body)
		b.Write(body)
		return err
	case '*', '>', '~':
		nested, err = strconv.Atoi(strings.TrimSpace(line[1:]))
	case '%':
		nested, err = strconv.Atoi(strings.TrimSpace(line[1:]))
		nested *= 2
	case '|': // attributes come before the value that they belong to
		nested, err = strconv.Atoi(strings.TrimSpace(line[1:]))
		nested = 2*nested + 1
	}
	for range nested {
		if err == nil {
			err = c.read(b)
		}
	}
	return err
}

// request spells a command in the wire format.
func request(args ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b.String()
}

func bulk(s string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(s), s) }
