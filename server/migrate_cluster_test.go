package server

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/config"
	"slotcast/nodesfile"
	"slotcast/redistest"
)

// The nodes of a cluster of two. Neither reaches the other's bus, and both are
// told to be patient with that: what one learns of a slot, it learns by SETSLOT.
var pairIDs = [2]string{strings.Repeat("a", 40), strings.Repeat("b", 40)}

// pair is a cluster of two nodes, of which the first owns all slots but the last.
type pair struct {
	t     testing.TB
	addrs [2]string
	admin [2]*client
	// ours are the nodes that are slotcast, theirs those that are redis.
	ours   [2]*testServer
	theirs [2]*redistest.Server
}

// pairConf is the cluster file of one of the nodes.
func pairConf(myself int, ports [2]string) string {
	var b strings.Builder
	for i, slots := range [2]string{"0-16382", "16383"} {
		flags := "master"
		if i == myself {
			flags = "myself,master"
		}
		fmt.Fprintf(&b, "%s 127.0.0.1:%s@1 %s - 0 0 %d connected %s\n", pairIDs[i], ports[i], flags, i+1, slots)
	}
	return b.String() + "vars currentEpoch 2 lastVoteEpoch 0\n"
}

// startPair starts a cluster of two, of "slotcast" or "redis" each, at most one
// of them redis.
func startPair(t testing.TB, kinds [2]string) *pair {
	t.Helper()
	p := &pair{t: t}
	var ports [2]string
	var listeners [2]net.Listener
	for i, kind := range kinds {
		if kind == "slotcast" {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			listeners[i] = l
			_, ports[i], _ = net.SplitHostPort(l.Addr().String())
		}
	}
	patient := []string{"--cluster-node-timeout", "3600000"}
	for i, kind := range kinds {
		if kind == "redis" {
			conf := filepath.Join(t.TempDir(), "nodes.conf")
			require.NoError(t, os.WriteFile(conf, []byte(pairConf(i, ports)), 0o600))
			// A master that lost its last slot stays one.
			args := append([]string{"--cluster-enabled", "yes", "--dir", filepath.Dir(conf), "--cluster-allow-replica-migration", "no"}, patient...)
			p.theirs[i] = redistest.Start(t, args...)
			p.addrs[i] = p.theirs[i].Addr
			_, ports[i], _ = net.SplitHostPort(p.addrs[i])
		}
	}
	for i, l := range listeners {
		if l != nil {
			p.addrs[i] = l.Addr().String()
			p.ours[i] = startNode(t, pairConf(i, ports), l, append(patient, "--port", ports[i])...)
		}
	}
	for i := range p.admin {
		p.admin[i] = dialAddr(t, "tcp", p.addrs[i])
	}
	for _, c := range p.admin {
		waitForCluster(t, c)
	}
	return p
}

// startNode starts a slotcast with a cluster file on a listener.
func startNode(t testing.TB, conf string, l net.Listener, directives ...string) *testServer {
	t.Helper()
	c, _, err := config.Load(directives, strings.NewReader(""))
	require.NoError(t, err)
	storage := nodesfile.NewMemory()
	require.NoError(t, storage.Save([]byte(conf), true))
	s, err := New(Options{
		Config:  c,
		Log:     slog.New(slog.DiscardHandler),
		Storage: storage,
		Version: "test",
		Fatal:   func(err error) { t.Errorf("the node had to end: %v", err) },
	})
	require.NoError(t, err)
	ts := &testServer{Server: s, addr: l.Addr().String()}
	ts.Listen(l)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		s.Close(ctx)
	})
	return ts
}

// open begins the move of a slot.
func (p *pair) open(slot string, from int) {
	p.t.Helper()
	p.admin[1-from].want("+OK\r\n", "CLUSTER", "SETSLOT", slot, "IMPORTING", pairIDs[from])
	p.admin[from].want("+OK\r\n", "CLUSTER", "SETSLOT", slot, "MIGRATING", pairIDs[1-from])
}

// finish ends the move of a slot, the new owner first.
func (p *pair) finish(slot string, from int) {
	p.t.Helper()
	p.admin[1-from].want("+OK\r\n", "CLUSTER", "SETSLOT", slot, "NODE", pairIDs[1-from])
	p.admin[from].want("+OK\r\n", "CLUSTER", "SETSLOT", slot, "NODE", pairIDs[1-from])
}

// keysOf lists at most ten keys of a slot.
func keysOf(c *client, slot string) []string {
	lines := strings.Split(c.do("CLUSTER", "GETKEYSINSLOT", slot, "10"), "\r\n")
	var keys []string
	for i := 2; i < len(lines); i += 2 {
		keys = append(keys, lines[i])
	}
	return keys
}

// move moves a slot as redis-cli does, and returns how many keys it had. Clients
// may delete keys meanwhile: NOKEY says that all that were listed are gone. No
// key that was listed once may be listed again, since none is made in a slot
// that is leaving.
func (p *pair) move(slot string, from int) (moved int) {
	p.t.Helper()
	p.open(slot, from)
	host, port, err := net.SplitHostPort(p.addrs[1-from])
	require.NoError(p.t, err)
	gone := make(map[string]bool)
	for {
		keys := keysOf(p.admin[from], slot)
		if len(keys) == 0 {
			break
		}
		for _, key := range keys {
			require.False(p.t, gone[key], "%s was sent or deleted before", key)
			gone[key] = true
		}
		reply := p.admin[from].do(append([]string{"MIGRATE", host, port, "", "0", "60000", "KEYS"}, keys...)...)
		if reply == "+NOKEY\r\n" {
			continue
		}
		require.Equal(p.t, "+OK\r\n", reply)
		moved += len(keys)
	}
	p.finish(slot, from)
	return moved
}

// migrate sends keys of a slot from a node to the other one.
func (p *pair) migrate(from int, options ...string) string {
	p.t.Helper()
	host, port, err := net.SplitHostPort(p.addrs[1-from])
	require.NoError(p.t, err)
	return p.admin[from].do(append([]string{"MIGRATE", host, port, "", "0", "60000"}, options...)...)
}

// TestMigrateGoesWhereTheSlotIsOpen has keys on the wrong side of a move, and
// asks both servers for the same.
func TestMigrateGoesWhereTheSlotIsOpen(t *testing.T) {
	for _, kinds := range [][2]string{{"slotcast", "redis"}, {"redis", "slotcast"}, {"slotcast", "slotcast"}} {
		t.Run(kinds[0]+" to "+kinds[1], func(t *testing.T) {
			p := startPair(t, kinds)
			slot := slotOf("{t}")
			moved := func(node int) string { return "-MOVED " + slot + " " + p.addrs[node] + "\r\n" }
			ask := "-ASK " + slot + " " + p.addrs[1] + "\r\n"
			require.Equal(t, moved(0), p.migrate(1, "KEYS", "{t}1", "{t}2"))
			require.Equal(t, "+NOKEY\r\n", p.migrate(0, "KEYS", "{t}1", "{t}2"))
			p.admin[0].want("+OK\r\n", "MSET", "{t}1", "v", "{t}2", "v", "{t}3", "v")
			p.admin[0].want(":1\r\n", "PEXPIRE", "{t}3", "3600000")
			// The target takes keys for a slot that is open there, and no others.
			require.Equal(t, "-ERR Target instance replied with error: "+moved(0)[1:], p.migrate(0, "KEYS", "{t}1"))
			p.open(slot, 0)
			require.Equal(t, "+NOKEY\r\n", p.migrate(0, "KEYS", "{t}4", "{t}5"))
			require.Equal(t, "+OK\r\n", p.migrate(0, "KEYS", "{t}4", "{t}1", "{t}5"))
			require.Equal(t, ask, p.admin[0].do("GET", "{t}1"))
			require.Equal(t, "-TRYAGAIN Multiple keys request during rehashing of slot\r\n", p.admin[0].do("MGET", "{t}1", "{t}2"))
			require.Equal(t, moved(0), p.admin[1].do("GET", "{t}1"))
			p.admin[1].want("+OK\r\n", "ASKING")
			p.admin[1].want(bulk("v"), "GET", "{t}1")
			// There and back again, by a node that is not the owner.
			require.Equal(t, "-ERR Target instance replied with error: "+ask[1:], p.migrate(1, "KEYS", "{t}1", "{t}2"))
			p.admin[0].want("+OK\r\n", "CLUSTER", "SETSLOT", slot, "STABLE")
			require.Equal(t, "+OK\r\n", p.migrate(1, "KEYS", "{t}1", "{t}2"))
			p.admin[0].want(bulk("v"), "GET", "{t}1")
			require.Equal(t, "+OK\r\n", p.migrate(0, "COPY", "KEYS", "{t}1"))
			require.Equal(t, "-ERR Target instance replied with error: BUSYKEY Target key name already exists.\r\n", p.migrate(0, "KEYS", "{t}1", "{t}2"))
			p.admin[0].want("+OK\r\n", "SET", "{t}1", "new")
			require.Equal(t, "+OK\r\n", p.migrate(0, "REPLACE", "KEYS", "{t}1", "{t}3"))
			p.finish(slot, 0)
			p.admin[1].want("*3\r\n"+bulk("new")+bulk("v")+bulk("v"), "MGET", "{t}1", "{t}2", "{t}3")
			ttl, err := strconv.Atoi(strings.TrimSpace(p.admin[1].do("PTTL", "{t}3")[1:]))
			require.NoError(t, err)
			require.InDelta(t, 3600000, ttl, float64(patience.Milliseconds()))
			p.admin[1].want(":-1\r\n", "PTTL", "{t}1")
			p.admin[0].want(":0\r\n", "DBSIZE")
			p.admin[1].want(":3\r\n", "DBSIZE")
		})
	}
}

// TestSetSlotWaitsForKeysOnTheirWay gives a slot away while its last key has not
// been acknowledged.
func TestSetSlotWaitsForKeysOnTheirWay(t *testing.T) {
	for _, inExec := range []bool{false, true} {
		for _, acknowledged := range []bool{true, false} {
			p := startPair(t, [2]string{"slotcast", "slotcast"})
			s, slot := p.ours[0], slotOf("{t}")
			p.admin[0].want("+OK\r\n", "SET", "{t}k", "v")
			p.open(slot, 0)
			mover, target := onItsWay(t, s, "{t}k")
			w, giver := s.dial(t), s.dial(t)
			w.send("GET", "{t}k")
			w.waits(s)
			if inExec {
				giver.want("+OK\r\n", "MULTI")
				giver.want("+QUEUED\r\n", "CLUSTER", "SETSLOT", slot, "NODE", pairIDs[1])
				giver.want("+QUEUED\r\n", "CLUSTER", "COUNTKEYSINSLOT", slot)
				giver.send("EXEC")
			} else {
				giver.send("CLUSTER", "SETSLOT", slot, "NODE", pairIDs[1])
			}
			giver.waits(s)
			// The owner is free meanwhile, and SETSLOT of another kind, or slot, does not wait.
			require.Contains(t, p.admin[0].do("CLUSTER", "NODES"), "["+slot+"->-"+pairIDs[1]+"]")
			p.admin[0].want("+OK\r\n", "CLUSTER", "SETSLOT", "7", "NODE", pairIDs[1])
			p.admin[0].want("+OK\r\n", "CLUSTER", "SETSLOT", slot, "MIGRATING", pairIDs[1])

			refused := "-ERR Can't assign hashslot " + slot + " to a different node while I still hold keys for this hash slot.\r\n"
			want, count, read := "+OK\r\n", ":0\r\n", "-ASK "
			if acknowledged {
				target.raw("+OK\r\n+OK\r\n")
				require.Equal(t, "+OK\r\n", mover.reply())
			} else {
				target.raw("+OK\r\n-ERR no\r\n")
				require.Equal(t, "-ERR Target instance replied with error: ERR no\r\n", mover.reply())
				want, count, read = refused, ":1\r\n", bulk("v")
			}
			if inExec {
				want = "*2\r\n" + want + count
			}
			require.Equal(t, want, giver.reply())
			// The reader decides anew, before or after the slot has gone.
			got := w.reply()
			if acknowledged {
				got = strings.Replace(got, "-MOVED ", read, 1)
			}
			require.True(t, strings.HasPrefix(got, read), got)
		}
	}
}

// TestTargetIsKilledInTheMiddle moves a slot to a redis-server that dies. What it
// has not acknowledged stays, and is served.
func TestTargetIsKilledInTheMiddle(t *testing.T) {
	p := startPair(t, [2]string{"slotcast", "redis"})
	slot := slotOf("{t}")
	const keys = 2000
	for i := range keys {
		p.admin[0].want("+OK\r\n", "SET", fmt.Sprintf("{t}%d", i), strings.Repeat("v", 1000))
	}
	p.open(slot, 0)
	gone := 0
	for ; gone < 200; gone += 10 {
		require.Equal(t, "+OK\r\n", p.migrate(0, append([]string{"KEYS"}, keysOf(p.admin[0], slot)...)...))
	}
	rest := strings.Split(p.admin[0].do("CLUSTER", "GETKEYSINSLOT", slot, fmt.Sprint(keys)), "\r\n")
	names := []string{"KEYS"}
	for i := 2; i < len(rest); i += 2 {
		names = append(names, rest[i])
	}
	host, port, err := net.SplitHostPort(p.addrs[1])
	require.NoError(t, err)
	mover := p.ours[0].dial(t)
	// Stopped, it takes what its buffers hold and answers nothing; then it dies.
	require.NoError(t, syscall.Kill(p.theirs[1].Pid, syscall.SIGSTOP))
	dead := false
	defer func() {
		if !dead {
			_ = syscall.Kill(p.theirs[1].Pid, syscall.SIGKILL)
		}
	}()
	mover.send(append([]string{"MIGRATE", host, port, "", "0", "60000"}, names...)...)
	mover.waitsFor(p.ours[0], waitsForTarget)
	reader := p.ours[0].dial(t)
	reader.send("STRLEN", names[1])
	reader.waits(p.ours[0])
	require.NoError(t, syscall.Kill(p.theirs[1].Pid, syscall.SIGKILL))
	dead = true
	require.Contains(t, []string{
		"-IOERR error or timeout writing to target instance\r\n", "-IOERR error or timeout reading to target instance\r\n",
	}, mover.reply())
	require.Equal(t, ":1000\r\n", reader.reply())
	p.admin[0].want(fmt.Sprintf(":%d\r\n", keys-gone), "DBSIZE")
	for _, name := range names[1:] {
		p.admin[0].want(":1000\r\n", "STRLEN", name)
	}
}
