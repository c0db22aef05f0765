package server

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// clientFields are the fields of a line of CLIENT INFO.
func clientFields(t testing.TB, reply string) map[string]string {
	t.Helper()
	_, text, _ := strings.Cut(reply, "\r\n")
	text = strings.TrimPrefix(text, "txt:")
	require.Equal(t, 1, strings.Count(text, "id="), "%q is one line", reply)
	fields := make(map[string]string)
	for _, f := range strings.Fields(text) {
		name, value, ok := strings.Cut(f, "=")
		require.True(t, ok, "%q is a field", f)
		fields[name] = value
	}
	return fields
}

func (c *client) id() string {
	c.t.Helper()
	return strings.Trim(c.do("CLIENT", "ID"), ":\r\n")
}

func TestClientInfoTellsTheState(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	other := s.dial(t)
	id := c.id()
	info := func() map[string]string { return clientFields(t, other.do("CLIENT", "LIST", "ID", id)) }

	require.Equal(t, map[string]string{
		"addr": c.LocalAddr().String(), "laddr": s.addr, "name": "", "flags": "N", "db": "0", "multi": "-1",
		"cmd": "client|id", "user": "default", "redir": "-1", "resp": "2", "events": "r", "lib-name": "", "lib-ver": "", "cluster-slots-payload": "row",
		"argv-mem": "0", "multi-mem": "0", "omem": "0", "oll": "0", "qbuf": "0",
	}, only(info(), "addr", "laddr", "name", "flags", "db", "multi", "cmd", "user", "redir", "resp", "events", "lib-name", "lib-ver", "cluster-slots-payload",
		"argv-mem", "multi-mem", "omem", "oll", "qbuf"))

	c.do("HELLO", "3")
	c.do("SUBSCRIBE", "a", "b")
	c.reply()
	c.do("PSUBSCRIBE", "p*")
	c.do("SSUBSCRIBE", "s")
	c.do("CLIENT", "NO-EVICT", "on")
	c.do("READONLY")
	c.do("MULTI")
	c.do("GET", "key")
	require.Equal(t, map[string]string{
		"sub": "2", "psub": "1", "ssub": "1", "flags": "Pxre", "multi": "1", "multi-mem": "6", "resp": "3", "cmd": "get",
	}, only(info(), "sub", "psub", "ssub", "flags", "multi", "multi-mem", "resp", "cmd"))

	c.raw("*2\r\n$4\r\nECHO\r\n$5\r\nhel") // a command that is not whole
	fields := info()
	for fields["qbuf"] == "0" {
		fields = info()
	}
	require.Equal(t, "21", fields["qbuf"])
}

func only(m map[string]string, names ...string) map[string]string {
	out := make(map[string]string)
	for _, name := range names {
		if v, has := m[name]; has {
			out[name] = v
		}
	}
	return out
}

func TestClientListOfAType(t *testing.T) {
	s := startServer(t)
	a, b := s.dial(t), s.dial(t)
	a.do("PING")
	b.do("SUBSCRIBE", "ch")
	require.Contains(t, a.do("CLIENT", "LIST", "TYPE", "pubsub"), "addr="+b.LocalAddr().String())
	require.NotContains(t, a.do("CLIENT", "LIST", "TYPE", "normal"), "addr="+b.LocalAddr().String())
	require.Equal(t, "$0\r\n\r\n", a.do("CLIENT", "LIST", "TYPE", "replica"))
	require.Equal(t, 2, strings.Count(a.do("CLIENT", "LIST"), "id="))
}

func TestUnixSocketClientsAreNamedByItsPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	s := startServer(t, "--unixsocket", path)
	s.listen(t, "unix", path)
	m := s.dial(t)
	m.want("+OK\r\n", "MONITOR")
	u := dialAddr(t, "unix", path)
	u.want("+PONG\r\n", "PING")
	require.Regexp(t, `^\+\d+\.\d{6} \[0 unix:`+path+`\] "PING"\r\n$`, m.reply())
	fields := clientFields(t, u.do("CLIENT", "INFO"))
	require.Equal(t, path+":0", fields["addr"])
	require.Equal(t, path+":0", fields["laddr"])
	require.Equal(t, "U", fields["flags"])
	m.reply()
	other := s.dial(t)
	other.want("+OK\r\n", "CLIENT", "KILL", path+":0")
	u.closed()
}

func TestClientKillTakesThoseThatPassEveryFilter(t *testing.T) {
	s := startServer(t)
	me, normal, subscriber := s.dial(t), s.dial(t), s.dial(t)
	id := normal.id()
	subscriber.do("SUBSCRIBE", "ch")
	me.want(":0\r\n", "CLIENT", "KILL", "ID", id, "TYPE", "pubsub")
	me.want(":0\r\n", "CLIENT", "KILL", "ID", id, "ADDR", me.LocalAddr().String())
	me.want(":0\r\n", "CLIENT", "KILL", "LADDR", "127.0.0.1:1", "SKIPME", "no")
	me.want(":1\r\n", "CLIENT", "KILL", "TYPE", "pubsub", "LADDR", s.addr)
	require.Empty(t, subscriber.closed())
	me.want(":1\r\n", "CLIENT", "KILL", "USER", "default")
	require.Empty(t, normal.closed())
	me.want("$0\r\n\r\n", "CLIENT", "LIST", "ID", id)
	me.want("-ERR No such client\r\n", "CLIENT", "KILL", normal.LocalAddr().String())
	me.want("+OK\r\n", "CLIENT", "KILL", me.LocalAddr().String())
	require.Empty(t, me.closed())
}

// TestClientKillOfItselfInExec ends an EXEC's reply in its middle, as Redis
// does.
func TestClientKillOfItselfInExec(t *testing.T) {
	c := startServer(t).dial(t)
	id := c.id()
	c.do("MULTI")
	c.do("CLIENT", "KILL", "ID", id, "SKIPME", "no")
	c.do("PING")
	c.send("EXEC")
	require.Equal(t, "*2\r\n:1\r\n", c.closed())
}

func TestClientReplyInExec(t *testing.T) {
	c := startServer(t).dial(t)
	c.raw(request("MULTI") + request("PING") + request("CLIENT", "REPLY", "OFF") + request("PING") + request("EXEC") +
		request("PING") + request("MULTI") + request("CLIENT", "REPLY", "ON") + request("PING") + request("EXEC") + request("QUIT"))
	require.Equal(t, "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*3\r\n+PONG\r\n"+"+OK\r\n+PONG\r\n"+"+OK\r\n", c.closed())
}

func TestClientReplyOffLetsMessagesThrough(t *testing.T) {
	s := startServer(t)
	c, speaker := s.dial(t), s.dial(t)
	c.send("CLIENT", "REPLY", "OFF")
	c.send("PING")
	c.want("*3\r\n"+bulk("subscribe")+bulk("ch")+":1\r\n", "SUBSCRIBE", "ch")
	speaker.want(":1\r\n", "PUBLISH", "ch", "x")
	require.Equal(t, "*3\r\n"+bulk("message")+bulk("ch")+bulk("x"), c.reply())
	c.want("+RESET\r\n", "RESET")
	c.want("+PONG\r\n", "PING")
}
