package server

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/dump"
)

// onItsWay starts a MIGRATE of keys and returns once they are with the target,
// which has not answered yet. mover gets the reply.
func onItsWay(t *testing.T, s *testServer, keys ...string) (mover, target *client) {
	t.Helper()
	l := listenAsTarget(t)
	mover = s.dial(t)
	mover.send(append([]string{"MIGRATE", "127.0.0.1", l.port(), "", "0", "60000", "KEYS"}, keys...)...)
	target = l.accept()
	for range 1 + len(keys) {
		target.reply()
	}
	return mover, target
}

// waits returns once the command of a client waits for a key.
func (c *client) waits(s *testServer) {
	c.t.Helper()
	c.waitsFor(s, waitsForKey)
}

// waitsFor looks for the connection anew each time: the server may not even have
// accepted it.
func (c *client) waitsFor(s *testServer, kind waitKind) {
	c.t.Helper()
	waiting := func(sc *conn) bool {
		return sc.remoteAddr() == c.LocalAddr().String() && waitKind(sc.waits.kind.Load()) == kind
	}
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(patience); !slices.ContainsFunc(s.conns.all(), waiting); <-ticker.C {
		require.True(c.t, time.Now().Before(deadline), "the command does not wait")
	}
}

func slotOf(key string) string { return strconv.Itoa(int(clusterstate.KeySlot([]byte(key)))) }

// TestOthersAreServedWhileAKeyMoves has commands that do not need the key, and
// those that list keys.
func TestOthersAreServedWhileAKeyMoves(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	c.want("+OK\r\n", "MSET", "{t}moving", "v", "{t}staying", "w")
	mover, target := onItsWay(t, s, "{t}moving")

	c.want(bulk("w"), "GET", "{t}staying")
	c.want("+OK\r\n", "SET", "{t}new", "x")
	c.want(":3\r\n", "DBSIZE")
	require.Contains(t, c.do("KEYS", "*"), "{t}moving")
	require.Contains(t, c.do("SCAN", "0", "COUNT", "100"), "{t}moving")
	require.Contains(t, c.do("CLUSTER", "GETKEYSINSLOT", slotOf("{t}"), "10"), "{t}moving")
	c.want(":3\r\n", "CLUSTER", "COUNTKEYSINSLOT", slotOf("{t}"))
	c.want("*3\r\n"+bulk("ssubscribe")+bulk("{t}moving")+":1\r\n", "SSUBSCRIBE", "{t}moving")

	target.raw("+OK\r\n+OK\r\n")
	require.Equal(t, "+OK\r\n", mover.reply())
	s.dial(t).want(":2\r\n", "DBSIZE")
}

// TestBusyKeysAreWaitedFor has commands of every sort that need the key.

func TestBusyKeysAreWaitedFor(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	for _, moved := range []bool{true, false} {
		c.want("+OK\r\n", "MSET", "{t}k", "5", "{t}l", "w")
		mover, target := onItsWay(t, s, "{t}k")
		// Those that wait, and what they answer when the key is gone, or is still there.
		commands := []struct {
			args       string
			gone, left string
		}{
			{"GET {t}k", "$-1\r\n", bulk("5")},
			{"STRLEN {t}k", ":0\r\n", ":1\r\n"},
			{"EXISTS {t}l {t}k", ":1\r\n", ":2\r\n"},
			{"MGET {t}l {t}k", "*2\r\n" + bulk("w") + "$-1\r\n", "*2\r\n" + bulk("w") + bulk("5")},
			{"OBJECT ENCODING {t}k", "$-1\r\n", bulk("int")},
			{"TTL {t}k", ":-2\r\n", ":-1\r\n"},
			{"PERSIST {t}k", ":0\r\n", ":0\r\n"},
			{"WATCH {t}k", "+OK\r\n", "+OK\r\n"},
			{"DUMP {t}k", "$-1\r\n", bulk(string(dump.AppendString(nil, []byte("5"))))},
			{"MIGRATE 127.0.0.1 1 {t}k 0 10", "+NOKEY\r\n", "-IOERR error or timeout writing to target instance\r\n"},
		}
		var waiting []*client
		for _, cmd := range commands {
			w := s.dial(t)
			// What was asked before is answered before.
			w.raw(request("GET", "{t}l") + request(strings.Fields(cmd.args)...) + request("PING"))
			require.Equal(t, bulk("w"), w.reply(), cmd.args)
			w.waits(s)
			waiting = append(waiting, w)
		}
		c.want("$1\r\nw\r\n", "GET", "{t}l")
		if moved {
			target.raw("+OK\r\n+OK\r\n")
			require.Equal(t, "+OK\r\n", mover.reply())
		} else {
			target.raw("+OK\r\n-ERR no\r\n")
			require.Equal(t, "-ERR Target instance replied with error: ERR no\r\n", mover.reply())
		}
		for i, w := range waiting {
			want := commands[i].left
			if moved {
				want = commands[i].gone
			}
			require.Equal(t, strconv.Quote(want), strconv.Quote(w.reply()), commands[i].args)
			require.Equal(t, "+PONG\r\n", w.reply())
		}
	}
}

// TestTransactionsWaitAtExec queues commands on a busy key at once, and runs
// them when it is free.
func TestTransactionsWaitAtExec(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	c.want("+OK\r\n", "SET", "{t}k", "5")
	mover, target := onItsWay(t, s, "{t}k")
	here, owner, other := s.dial(t), s.dial(t), s.dial(t)
	for _, tx := range []*client{here, owner} {
		tx.want("+OK\r\n", "MULTI")
		tx.want("+QUEUED\r\n", "APPEND", "{t}k", "x")
	}
	owner.want("+QUEUED\r\n", "CLUSTER", "MYSHARDID")
	for _, tx := range []*client{here, owner} {
		tx.send("EXEC")
		tx.waits(s)
	}
	// Neither the slot nor the owner is kept from others.
	other.want(":0\r\n", "EXISTS", "{t}other")
	require.Contains(t, other.do("CLUSTER", "INFO"), "cluster_state:ok")
	other.want("+OK\r\n", "MULTI")
	other.want("+QUEUED\r\n", "SET", "{t}other", "x")
	other.want("+QUEUED\r\n", "CLUSTER", "BUMPEPOCH")
	require.Contains(t, other.do("EXEC"), "+OK\r\n+BUMPED")
	other.want("+OK\r\n", "MULTI")
	other.want("+QUEUED\r\n", "GET", "{t}k")
	other.want("-ERR unknown command 'NOPE', with args beginning with: \r\n", "NOPE")
	other.want("-EXECABORT Transaction discarded because of previous errors.\r\n", "EXEC")

	target.raw("+OK\r\n-ERR no\r\n")
	require.Equal(t, "-ERR Target instance replied with error: ERR no\r\n", mover.reply())
	lengths := here.reply() + owner.reply()
	require.Contains(t, lengths, ":2\r\n")
	require.Contains(t, lengths, ":3\r\n")
	c.want(bulk("5xx"), "GET", "{t}k")
}

// TestFlushDoesNotWait drops keys on their way in each manner that does not ask.
// The acknowledgement that comes later must not delete what has taken their
// place.
func TestFlushDoesNotWait(t *testing.T) {
	for name, flush := range map[string]func(*testServer, *client){
		"FLUSHALL": func(_ *testServer, c *client) { c.want("+OK\r\n", "FLUSHALL") },
		"in EXEC": func(_ *testServer, c *client) {
			c.want("+OK\r\n", "MULTI")
			c.want("+QUEUED\r\n", "FLUSHDB")
			c.want("*1\r\n+OK\r\n", "EXEC")
		},
		"a dropped slot": func(s *testServer, _ *client) {
			slot := s.keys.Slot(clusterstate.KeySlot([]byte("{t}")))
			slot.Lock()
			defer slot.Unlock()
			slot.Drop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t)
			c, w := s.dial(t), s.dial(t)
			c.want("+OK\r\n", "MSET", "{t}1", "v", "{t}2", "v")
			mover, target := onItsWay(t, s, "{t}1", "{t}2")
			w.send("APPEND", "{t}1", "new")
			w.waits(s)
			flush(s, c)
			require.Equal(t, ":3\r\n", w.reply())
			target.raw("+OK\r\n+OK\r\n+OK\r\n")
			require.Equal(t, "+OK\r\n", mover.reply())
			c.want(bulk("new"), "GET", "{t}1")
			c.want(":1\r\n", "DBSIZE")
		})
	}
}

// TestBusyKeyExpiresAfterwards passes the expiry time of a key on its way.
func TestBusyKeyExpiresAfterwards(t *testing.T) {
	for _, answer := range []string{"+OK\r\n", "-ERR no\r\n"} {
		s := startServer(t, "--notify-keyspace-events", "KA")
		c, events := s.dial(t), s.dial(t)
		events.do("SUBSCRIBE", "__keyspace@0__:k", "__keyspace@0__:mark")
		events.reply()
		event := func(key, name string) string {
			return "*3\r\n" + bulk("message") + bulk("__keyspace@0__:"+key) + bulk(name)
		}
		c.want("+OK\r\n", "SET", "k", "v")
		require.Equal(t, event("k", "set"), events.reply())
		c.want(":1\r\n", "PEXPIRE", "k", "1000")
		require.Equal(t, event("k", "expire"), events.reply())
		mover, target := onItsWay(t, s, "k")
		// The mark expires later than the key, and is swept: so is all that was due.
		c.want("+OK\r\n", "SET", "mark", "v", "PX", "1000")
		for _, name := range []string{"set", "expire", "expired"} {
			require.Equal(t, event("mark", name), events.reply())
		}
		c.want(":1\r\n", "DBSIZE")
		target.raw("+OK\r\n" + answer)
		if answer == "+OK\r\n" {
			require.Equal(t, "+OK\r\n", mover.reply())
			require.Equal(t, event("k", "del"), events.reply())
		} else {
			require.Equal(t, "-ERR Target instance replied with error: ERR no\r\n", mover.reply())
			require.Equal(t, event("k", "expired"), events.reply())
		}
		c.want(":0\r\n", "DBSIZE")
	}
}

// TestCopyHoldsNobody sends a key away that stays.
func TestCopyHoldsNobody(t *testing.T) {
	s := startServer(t)
	c, l := s.dial(t), listenAsTarget(t)
	c.want("+OK\r\n", "SET", "k", "v")
	mover := s.dial(t)
	mover.send("MIGRATE", "127.0.0.1", l.port(), "k", "0", "60000", "COPY")
	target := l.accept()
	target.reply()
	sent := target.reply()
	c.want(":2\r\n", "APPEND", "k", "w")
	target.raw("+OK\r\n+OK\r\n")
	require.Equal(t, "+OK\r\n", mover.reply())
	require.Contains(t, sent, "\x00\x01v\n\x00")
	c.want(bulk("vw"), "GET", "k")
}

// TestWaitingEndsWithTheConnection has a client that goes while its command
// waits, one that is killed, and a server that ends with a key on its way.
func TestWaitingEndsWithTheConnection(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	c.want("+OK\r\n", "SET", "k", "v")
	mover, _ := onItsWay(t, s, "k")
	goes, killed, stays := s.dial(t), s.dial(t), s.dial(t)
	for _, w := range []*client{goes, killed, stays} {
		w.send("DEL", "k")
		w.waits(s)
	}
	goes.Close()
	require.Equal(t, ":1\r\n", c.do("CLIENT", "KILL", "ID", fmt.Sprint(s.connOf(t, killed).id)))
	require.Empty(t, killed.closed())
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(patience); s.conns.len() > 3; <-ticker.C {
		require.True(t, time.Now().Before(deadline), "the connections do not end")
	}
	c.want(":1\r\n", "DBSIZE")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.Close(ctx)
	require.NoError(t, ctx.Err())
	require.Empty(t, stays.closed())
	require.Equal(t, "-IOERR error or timeout connecting to the client\r\n", mover.closed())
}
