package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// untilFlagged asks for a connection's line until it shows a flag.
func untilFlagged(t testing.TB, asker *client, id, flag string) {
	t.Helper()
	for {
		line := asker.do("CLIENT", "LIST", "ID", id)
		if strings.Contains(clientFields(t, line)["flags"], flag) {
			return
		}
	}
}

func TestWaitSendsWhatCameBeforeAndKeepsWhatComesAfter(t *testing.T) {
	s := startServer(t)
	c, other := s.dial(t), s.dial(t)
	id := c.id()
	c.raw(request("PING") + request("WAIT", "1", "0") + request("ECHO", "a") + request("ECHO", "b")[:9])
	require.Equal(t, "+PONG\r\n", c.reply())
	untilFlagged(t, other, id, "b")
	c.raw(request("ECHO", "b")[9:] + request("ECHO", "c"))
	other.want(":1\r\n", "CLIENT", "UNBLOCK", id)
	for _, want := range []string{":0\r\n", bulk("a"), bulk("b"), bulk("c")} {
		require.Equal(t, want, c.reply())
	}
	other.want(":0\r\n", "CLIENT", "UNBLOCK", id)
	c.send("WAIT", "1", "0")
	untilFlagged(t, other, id, "b")
	other.want(":1\r\n", "CLIENT", "UNBLOCK", id, "ERROR")
	require.Equal(t, "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n", c.reply())
	c.want("+PONG\r\n", "PING")
	c.want(":0\r\n", "WAIT", "1", "1")
	c.want(":0\r\n", "WAIT", "0", "0")
	c.want("+PONG\r\n", "PING")
}

func TestWaitLetsMessagesThrough(t *testing.T) {
	s := startServer(t)
	c, other := s.dial(t), s.dial(t)
	id := c.id()
	c.do("HELLO", "3")
	c.do("SUBSCRIBE", "ch")
	c.send("WAIT", "1", "0")
	untilFlagged(t, other, id, "b")
	other.want(":1\r\n", "PUBLISH", "ch", "x")
	require.Equal(t, ">3\r\n"+bulk("message")+bulk("ch")+bulk("x"), c.reply())
	other.want(":1\r\n", "CLIENT", "UNBLOCK", id)
	require.Equal(t, ":0\r\n", c.reply())
}

func TestWaitEndsWithItsConnection(t *testing.T) {
	s := startServer(t)
	other := s.dial(t)
	// goes starts a WAIT and returns when end has made the connection go.
	goes := func(end func(c *client, id string)) *client {
		c := s.dial(t)
		id := c.id()
		c.send("WAIT", "1", "0")
		untilFlagged(t, other, id, "b")
		end(c, id)
		for strings.Contains(other.do("CLIENT", "LIST"), "id="+id+" ") {
		}
		return c
	}
	goes(func(c *client, id string) { c.Close() })
	goes(func(c *client, id string) {
		c.send("PING") // the end of the stream is behind unread bytes
		c.Close()
	})
	killed := goes(func(c *client, id string) { other.want(":1\r\n", "CLIENT", "KILL", "ID", id) })
	require.Empty(t, killed.closed())

	last := s.dial(t)
	id := last.id()
	last.send("WAIT", "1", "0")
	untilFlagged(t, other, id, "b")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.Close(ctx)
	require.NoError(t, ctx.Err())
	last.closed()
}

func TestWhatIsReadAheadIsBounded(t *testing.T) {
	s := startServer(t, "--client-query-buffer-limit", "1mb")
	c, other := s.dial(t), s.dial(t)
	id := c.id()
	c.send("WAIT", "1", "0")
	untilFlagged(t, other, id, "b")
	// The server may be gone before all is written.
	_, _ = c.Write([]byte(strings.Repeat(request("ECHO", strings.Repeat("x", 1000)), 2<<10)))
	c.closed()
}

func TestPauseHoldsCommandsUntilItsEnd(t *testing.T) {
	s := startServer(t)
	c, monitor, other := s.dial(t), s.dial(t), s.dial(t)
	id := c.id()
	gone := s.dial(t)
	goneID := gone.id()
	monitor.want("+OK\r\n", "MONITOR")
	other.want("+OK\r\n", "CLIENT", "PAUSE", "100000", "WRITE")
	c.want("$-1\r\n", "GET", "key")
	c.want("-ERR wrong number of arguments for 'set' command\r\n", "SET", "key")
	c.raw(request("PING") + request("SET", "key", "1") + request("GET", "key"))
	require.Equal(t, "+PONG\r\n", c.reply())
	untilFlagged(t, other, id, "b")
	gone.send("PUBLISH", "ch", "x")
	untilFlagged(t, other, goneID, "b")
	other.want(":0\r\n", "CLIENT", "UNBLOCK", id)
	gone.Close() // noticed although its command waits
	for strings.Contains(other.do("CLIENT", "LIST"), "id="+goneID+" ") {
	}
	other.want("+OK\r\n", "CLIENT", "UNPAUSE")
	require.Equal(t, "+OK\r\n", c.reply())
	require.Equal(t, bulk("1"), c.reply())

	// A pause of everything holds even UNPAUSE, but not who monitors.
	other.want("+OK\r\n", "CLIENT", "PAUSE", "100000")
	c.send("PING")
	monitor.send("CLIENT", "UNPAUSE")
	require.Equal(t, "+PONG\r\n", c.reply())
}

// TestAWaitIsOverWhileItsClientGoesOnSending: what comes meanwhile is read, but
// must not keep the command from its end.
func TestAWaitIsOverWhileItsClientGoesOnSending(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	id := c.id()
	sc := s.connOf(t, c)
	nothing := strings.Repeat("\r\n", readBufferSize) // empty requests
	c.send("WAIT", "1", "200")
	untilFlagged(t, s.dial(t), id, "b")
	start := time.Now()
	for sc.isWaiting() {
		require.Less(t, time.Since(start), patience)
		c.raw(nothing)
	}
	require.Equal(t, ":0\r\n", c.reply())
	require.Less(t, time.Since(start), patience)
}
