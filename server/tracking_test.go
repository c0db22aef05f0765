package server

import (
	"fmt"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// caching is a client that keeps what it reads, as a library with a cache does:
// what comes on its connection is applied in the order in which it comes.
type caching struct {
	*client
	cache map[string]string
}

func (ts *testServer) dialCaching(t testing.TB, tracking ...string) *caching {
	c := &caching{ts.dial(t), map[string]string{}}
	c.do("HELLO", "3")
	c.want("+OK\r\n", append([]string{"CLIENT", "TRACKING"}, tracking...)...)
	return c
}

// next returns the next reply and applies the pushes before it.
func (c *caching) next() string {
	c.t.Helper()
	for {
		r := c.reply()
		if r[0] != '>' {
			return r
		}
		c.apply(r)
	}
}

func (c *caching) apply(push string) {
	rest, ok := strings.CutPrefix(push, ">2\r\n$10\r\ninvalidate\r\n")
	require.True(c.t, ok, "%q", push)
	if rest == "_\r\n" {
		clear(c.cache)
		return
	}
	require.Equal(c.t, byte('*'), rest[0], "%q", push)
	for lines := strings.Split(rest, "\r\n")[2:]; len(lines) > 0; lines = lines[2:] {
		delete(c.cache, lines[0])
		if len(lines) < 2 {
			break
		}
	}
}

// get reads keys in one pipeline, and keeps the answers.
func (c *caching) get(keys ...string) {
	for _, key := range keys {
		c.raw(request("GET", key))
	}
	for _, key := range keys {
		c.cache[key] = c.next()
	}
}

// upToDate applies all that has been sent so far.
func (c *caching) upToDate() {
	c.send("PING")
	require.Equal(c.t, "+PONG\r\n", c.next())
}

func (ts *testServer) until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !met(); runtime.Gosched() {
		require.True(t, time.Now().Before(deadline), what)
	}
}

// TestTrackedKeysAreBounded reads more keys than the table may hold. What is in
// the reader's cache is what the table has.
func TestTrackedKeysAreBounded(t *testing.T) {
	s := startServer(t, "--tracking-table-max-keys", "100")
	c, other := s.dialCaching(t, "ON", "NOLOOP"), s.dialCaching(t, "ON")
	for i := range 1000 {
		key := fmt.Sprint("key:", i)
		if i%3 == 0 {
			key = fmt.Sprint("{one}:", i)
		}
		c.get(key)
		require.LessOrEqual(t, s.caches.table.Keys(), int64(100))
		if i%100 == 99 {
			other.get("other", key)
		}
	}
	c.upToDate()
	other.upToDate()
	require.EqualValues(t, 100, s.caches.table.Keys())
	// A key that only the other has read is in the table as well.
	require.Equal(t, len(c.cache)+len(other.cache), int(s.caches.table.Items()))
	other.want("+OK\r\n", "CONFIG", "SET", "tracking-table-max-keys", "10")
	s.until(t, "the table is trimmed", func() bool { return s.caches.table.Keys() == 10 })
	c.upToDate()
	other.upToDate()
	require.Equal(t, len(c.cache)+len(other.cache), int(s.caches.table.Items()))

	c.send(append([]string{"MGET"}, strings.Fields(strings.Repeat("{one}a {one}b {one}c ", 500))...)...)
	c.next()
	require.LessOrEqual(t, s.caches.table.Keys(), int64(10))
}

// TestWhoLeavesIsForgotten has a connection end that has read a lot, and one that
// others redirect to.
func TestWhoLeavesIsForgotten(t *testing.T) {
	s := startServer(t)
	stays := s.dialCaching(t, "ON")
	stays.get("kept", "{one}kept")
	for _, how := range []string{"closes", "is killed", "resets"} {
		c := s.dialCaching(t, "ON")
		to := strings.TrimSpace(s.dial(t).do("CLIENT", "ID")[1:])
		d := s.dialCaching(t, "ON", "BCAST", "PREFIX", "a", "PREFIX", "b", "REDIRECT", to)
		for i := range 500 {
			c.get(fmt.Sprint("key:", i), fmt.Sprint("{one}", i), "kept")
		}
		switch how {
		case "closes":
			c.Close()
			d.Close()
		case "is killed":
			for _, one := range []*caching{c, d} {
				id := strings.TrimSpace(one.do("CLIENT", "ID")[1:])
				require.Equal(t, ":1\r\n", s.dial(t).do("CLIENT", "KILL", "ID", id))
			}
		case "resets":
			c.want("+RESET\r\n", "RESET")
			d.want("+RESET\r\n", "RESET")
			require.EqualValues(t, 0, s.caches.prefixes.Count())
			c.Close()
		}
		s.until(t, "the table is swept", func() bool { return s.caches.table.Items() == 2 })
		s.until(t, "nobody else tracks", func() bool { return s.caches.clients.Load() == 1 })
		require.EqualValues(t, 2, s.caches.table.Keys())
		require.EqualValues(t, 0, s.caches.prefixes.Count())
	}
	stays.want("+OK\r\n", "CLIENT", "TRACKING", "OFF")
	require.True(t, s.caches.awake.Load())
	s.dial(t).want(":0\r\n", "DEL", "kept") // no effect, no change
	s.dial(t).want("+OK\r\n", "MSET", "{one}kept", "v")
	s.dial(t).want("+OK\r\n", "SET", "kept", "v")
	s.until(t, "nobody pays for tracking any more", func() bool { return !s.caches.awake.Load() })
	stays.want("+OK\r\n", "CLIENT", "TRACKING", "ON")
	stays.get("kept")
	s.dial(t).want("+OK\r\n", "SET", "kept", "w")
	stays.upToDate()
	require.NotContains(t, stays.cache, "kept")
}

// TestRedirectionIsCounted looks at what makes a connection open its bracket.
func TestRedirectionIsCounted(t *testing.T) {
	s := startServer(t)
	to := s.dial(t)
	id := strings.TrimSpace(to.do("CLIENT", "ID")[1:])
	target := s.connOf(t, to)
	a, b := s.dialCaching(t, "ON", "REDIRECT", id), s.dialCaching(t, "ON", "REDIRECT", id)
	require.EqualValues(t, 2, target.redirects.Load())
	a.want("+OK\r\n", "CLIENT", "TRACKING", "ON", "REDIRECT", id)
	require.EqualValues(t, 2, target.redirects.Load())
	a.want("+OK\r\n", "CLIENT", "TRACKING", "ON")
	require.EqualValues(t, 1, target.redirects.Load())
	b.want("+OK\r\n", "CLIENT", "TRACKING", "OFF")
	require.False(t, target.hearsOfKeys())
	b.want("+OK\r\n", "CLIENT", "TRACKING", "ON", "REDIRECT", id)
	require.True(t, target.hearsOfKeys())
	b.Close()
	s.until(t, "the end is noticed", func() bool { return !target.hearsOfKeys() })
}

// unserved is a connection whose commands the test runs itself.
func unserved(t testing.TB, s *testServer) *conn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	theirs, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { theirs.Close() })
	ours, err := l.Accept()
	require.NoError(t, err)
	c, err := s.newConn(ours)
	require.NoError(t, err)
	t.Cleanup(func() { c.socket.close() })
	c.begin()
	return c
}

// TestInvalidationFollowsTheReplyItIsAbout has another connection change a key
// between its being read and the reply leaving: the pipeline goes on.
func TestInvalidationFollowsTheReplyItIsAbout(t *testing.T) {
	s := startServer(t)
	c := unserved(t, s)
	s.conns.add(c)
	defer s.conns.remove(c)
	run := func(args ...string) {
		var raw [][]byte
		for _, a := range args {
			raw = append(raw, []byte(a))
		}
		s.dispatch(c, raw)
	}
	w := s.dial(t)
	run("HELLO", "3")
	run("CLIENT", "TRACKING", "ON")
	c.reply.buf = c.reply.buf[:0]
	run("GET", "k")
	w.want("+OK\r\n", "SET", "k", "1")
	require.Equal(t, "_\r\n", string(c.reply.buf), "it waits for the next command, or the end of the batch")
	run("GET", "k")
	push := ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n"
	require.Equal(t, "_\r\n"+bulk("1")+push, string(c.reply.buf))
	w.want("+OK\r\n", "SET", "k", "2")
	require.Equal(t, "_\r\n"+bulk("1")+push, string(c.reply.buf))
	c.outbox.mu.Lock()
	require.True(t, c.outbox.bracket)
	require.Equal(t, push, string(c.outbox.parked[0]))
	require.Equal(t, len(push), c.outbox.pending)
	c.outbox.mu.Unlock()
	c.outbox.kill("the test is over")
}

// TestTrackingAllocatesOncePerKey is the price of a read: nothing where nobody
// tracks (TestGetAndSetAllocateNothingButTheValue) and nothing for a key that
// the connection has read before.
func TestTrackingAllocatesOncePerKey(t *testing.T) {
	s := startServer(t)
	s.dialCaching(t, "ON") // another one
	for _, tracking := range []bool{false, true} {
		c := unserved(t, s)
		run := func(args ...string) func() {
			var raw [][]byte
			for _, a := range args {
				raw = append(raw, []byte(a))
			}
			return func() {
				c.reply.buf = c.reply.buf[:0]
				s.dispatch(c, raw)
			}
		}
		run("HELLO", "3")()
		if tracking {
			run("CLIENT", "TRACKING", "ON")()
		}
		require.Zero(t, testing.AllocsPerRun(200, run("GET", "key")))
		require.Zero(t, testing.AllocsPerRun(200, run("MGET", "key", "{key}2")))
		require.Equal(t, 1.0, testing.AllocsPerRun(200, run("SET", "other", "value of some length")))
	}
}

// BenchmarkGet is GET through the whole dispatch, without a socket.
func BenchmarkGet(b *testing.B) {
	for _, mode := range []string{"nobody tracks", "another tracks", "optin", "tracking"} {
		b.Run(mode, func(b *testing.B) {
			s := startServer(b)
			c := unserved(b, s)
			do := func(args ...string) {
				var raw [][]byte
				for _, a := range args {
					raw = append(raw, []byte(a))
				}
				s.dispatch(c, raw)
			}
			do("HELLO", "3")
			switch mode {
			case "another tracks":
				s.dialCaching(b, "ON")
			case "optin":
				do("CLIENT", "TRACKING", "ON", "OPTIN")
			case "tracking":
				do("CLIENT", "TRACKING", "ON")
			}
			keys := make([][][]byte, 1024)
			for i := range keys {
				keys[i] = [][]byte{[]byte("GET"), []byte("key:" + strconv.Itoa(i))}
				do("SET", string(keys[i][1]), "value")
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				c.reply.buf = c.reply.buf[:0]
				s.dispatch(c, keys[i&1023])
				i++
			}
		})
	}
}
