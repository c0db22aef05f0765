package server

import (
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// exchange is what a target does on a connection: it reads so many commands and
// answers them with these bytes, whole or not.
type exchange struct {
	commands int
	answer   string
}

// visit is one connection to a target, which the target closes at its end.
type visit []exchange

// targetListener is a target that nobody has taught anything.
type targetListener struct {
	net.Listener
	t testing.TB
}

func listenAsTarget(t testing.TB) *targetListener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return &targetListener{l, t}
}

func (l *targetListener) port() string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// accept waits for the next connection.
func (l *targetListener) accept() *client {
	l.t.Helper()
	require.NoError(l.t, l.Listener.(*net.TCPListener).SetDeadline(time.Now().Add(patience)))
	nc, err := l.Accept()
	require.NoError(l.t, err)
	l.t.Cleanup(func() { nc.Close() })
	require.NoError(l.t, nc.SetDeadline(time.Now().Add(patience)))
	return newClient(l.t, nc)
}

// play receives the visits and returns all that it was sent. It ends early if
// nobody comes.
func (l *targetListener) play(visits []visit) (heard string, err error) {
	var all strings.Builder
	for _, v := range visits {
		nc, err := l.Accept()
		if err != nil {
			return all.String(), err
		}
		c := newClient(l.t, nc)
		for _, e := range v {
			for range e.commands {
				if err := c.read(&all); err != nil {
					break
				}
			}
			if _, err := nc.Write([]byte(e.answer)); err != nil {
				break
			}
		}
		all.WriteString("end of visit\n")
		nc.Close()
	}
	return all.String(), nil
}

// targetScripts are what a target may do while it is sent the keys {t}1 and
// {t}2. Answers are given once all commands have come.
var targetScripts = []struct {
	name   string
	args   string // of MIGRATE, after the timeout
	visits []visit
}{
	{"takes both", "KEYS {t}1 {t}2", []visit{{{3, "+OK\r\n+OK\r\n+OK\r\n"}}}},
	{"takes one of one", "KEYS {t}1", []visit{{{2, "+OK\r\n+OK\r\n"}}}},
	{"takes one that is there", "KEYS {t}1 {t}9", []visit{{{2, "+OK\r\n+OK\r\n"}}}},
	{"copy", "COPY KEYS {t}1 {t}2", []visit{{{3, "+OK\r\n+OK\r\n+OK\r\n"}}}},
	{"replace", "REPLACE KEYS {t}1 {t}2", []visit{{{3, "+OK\r\n+OK\r\n+OK\r\n"}}}},
	{"password", "AUTH pw KEYS {t}1 {t}2", []visit{{{4, "+OK\r\n+OK\r\n+OK\r\n+OK\r\n"}}}},
	{"user", "copy AUTH2 u pw replace KEYS {t}1 {t}2", []visit{{{4, "+OK\r\n+OK\r\n+OK\r\n+OK\r\n"}}}},
	{"empty password", "AUTH '' KEYS {t}1", []visit{{{3, "+OK\r\n+OK\r\n+OK\r\n"}}}},
	{"user, then password", "AUTH2 u p AUTH q KEYS {t}1", []visit{{{3, "+OK\r\n+OK\r\n+OK\r\n"}}}},
	{"refuses the password", "AUTH pw KEYS {t}1 {t}2", []visit{{{4, "-ERR no\r\n+OK\r\n-A b\r\n+OK\r\n"}}}},
	{"refuses the database", "KEYS {t}1 {t}2", []visit{{{3, "-ERR no db\r\n+OK\r\n+OK\r\n"}}}},
	{"refuses all", "KEYS {t}1 {t}2", []visit{{{3, "-ERR 1\r\n-ERR 2\r\n-ERR 3\r\n"}}}},
	{"refuses the first", "KEYS {t}1 {t}2", []visit{{{3, "+OK\r\n-BUSYKEY x\r\n+OK\r\n"}}}},
	{"refuses the second", "KEYS {t}1 {t}2", []visit{{{3, "+OK\r\n+OK\r\n-BUSYKEY x\r\n"}}}},
	{"refuses one key named twice", "KEYS {t}1 {t}1", []visit{{{3, "+OK\r\n+OK\r\n-BUSYKEY x\r\n"}}}},
	{"closes, then takes both", "KEYS {t}1 {t}2", []visit{{{3, ""}}, {{3, "+OK\r\n+OK\r\n+OK\r\n"}}}},
	{"closes twice", "KEYS {t}1 {t}2", []visit{{{3, ""}}, {{3, ""}}}},
	{"closes after SELECT, then takes both", "KEYS {t}1 {t}2", []visit{{{3, "+OK\r\n"}}, {{3, "+OK\r\n+OK\r\n+OK\r\n"}}}},
	{"closes in the middle of the first answer", "KEYS {t}1 {t}2", []visit{{{3, "+OK\r\n+O"}}, {{3, "+OK\r\n+OK\r\n-ERR x\r\n"}}}},
	{"takes one and closes", "KEYS {t}1 {t}2", []visit{{{3, "+OK\r\n+OK\r\n"}}}},
	{"takes one and closes in the middle of the second answer", "KEYS {t}1 {t}2", []visit{{{3, "+OK\r\n+OK\r\n+O"}}}},
	{"refuses one and closes", "KEYS {t}1 {t}2", []visit{{{3, "+OK\r\n-X y\r\n"}}}},
	{"a long refusal", "KEYS {t}1", []visit{{{2, "+OK\r\n-" + strings.Repeat("x", 900) + "\r\n"}}}},
}

// migrateScript plays a script against one source and returns what its client
// saw and what the target heard.
func migrateScript(t *testing.T, source *client, args string, visits []visit) (seen, heard string) {
	l := listenAsTarget(t)
	type result struct {
		heard string
		err   error
	}
	done := make(chan result, 1)
	go func() { // ends with the last visit
		heard, err := l.play(visits)
		done <- result{heard, err}
	}()
	source.want("+OK\r\n", "SET", "{t}1", "one")
	source.want("+OK\r\n", "SET", "{t}2", "2", "PXAT", "33177117420123")
	words := []string{"MIGRATE", "127.0.0.1", l.port(), "", "0", "10000"}
	for w := range strings.FieldsSeq(args) {
		words = append(words, strings.Trim(w, "'"))
	}
	seen = source.do(words...)
	r := <-done
	require.NoError(t, r.err)
	for _, key := range []string{"{t}1", "{t}2"} {
		seen += key + " " + source.do("EXISTS", key)
	}
	return seen, r.heard
}

// TestMigrateTalksAsRedisDoes compares what MIGRATE tells the target and the
// client, and which keys it leaves, with what redis-server does.
func TestMigrateTalksAsRedisDoes(t *testing.T) {
	redis := startAlone(t)
	ours := startServer(t).dial(t)
	for _, script := range targetScripts {
		t.Run(script.name, func(t *testing.T) {
			theirSeen, theirHeard := migrateScript(t, redis, script.args, script.visits)
			seen, heard := migrateScript(t, ours, script.args, script.visits)
			require.Equal(t, theirSeen, seen)
			require.Equal(t, sameTTL(theirHeard), sameTTL(heard))
		})
	}
}

// sameTTL drops the time to live of {t}2, since it passes.
func sameTTL(heard string) string { return farFuture.ReplaceAllString(heard, "ttl") }

var farFuture = regexp.MustCompile(`\$14\r\n3\d{13}\r\n`)

// startAlone starts a redis-server that is a cluster of its own.
func startAlone(t testing.TB) *client {
	redis := redistest.Start(t, "--cluster-enabled", "yes")
	c := dialAddr(t, "tcp", redis.Addr)
	c.want("+OK\r\n", "CLUSTER", "ADDSLOTSRANGE", "0", "16383")
	waitForCluster(t, c)
	return c
}

// waitForCluster asks until the cluster is up: after its start a node waits for
// a while before it takes writes.
func waitForCluster(t testing.TB, c *client) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(patience); !strings.Contains(c.do("CLUSTER", "INFO"), "cluster_state:ok"); <-ticker.C {
		require.True(t, time.Now().Before(deadline), "the cluster does not come up")
	}
}

// TestMigrateKeepsItsConnection sends keys one after the other over one
// connection, selects the database when it is another one or in doubt, and
// takes a new connection when the kept one was closed.
func TestMigrateKeepsItsConnection(t *testing.T) {
	redis := startAlone(t)
	ours := startServer(t).dial(t)
	for name, source := range map[string]*client{"redis": redis, "slotcast": ours} {
		t.Run(name, func(t *testing.T) {
			l := listenAsTarget(t)
			steps := make(chan exchange)
			heard := make(chan string)
			go func() { // ends when steps is closed
				defer close(heard)
				nc, err := l.Accept()
				for e := range steps {
					if e.commands == 0 {
						nc.Close()
						nc, err = l.Accept()
						continue
					}
					var b strings.Builder
					c := newClient(t, nc)
					for range e.commands {
						if err == nil {
							err = c.read(&b)
						}
					}
					if err == nil {
						_, err = nc.Write([]byte(e.answer))
					}
					heard <- b.String()
				}
				nc.Close()
			}()
			send := func(db string, commands int, answer string) (commandsHeard string, reply string) {
				source.want("+OK\r\n", "SET", "k", "v")
				source.send("MIGRATE", "127.0.0.1", l.port(), "k", db, "10000")
				steps <- exchange{commands, answer}
				return <-heard, source.reply()
			}
			const payload = "\x00\x01v\x0a\x00"
			first, reply := send("0", 2, "+OK\r\n+OK\r\n")
			require.Equal(t, "+OK\r\n", reply)
			require.Contains(t, first, request("SELECT", "0"))
			require.Contains(t, first, payload)
			second, reply := send("0", 1, "+OK\r\n")
			require.Equal(t, "+OK\r\n", reply)
			require.NotContains(t, second, "SELECT")
			third, reply := send("1", 2, "+OK\r\n+OK\r\n")
			require.Equal(t, "+OK\r\n", reply)
			require.Contains(t, third, request("SELECT", "1"))
			_, reply = send("1", 1, "-ERR x\r\n")
			require.Equal(t, "-ERR Target instance replied with error: ERR x\r\n", reply)
			fifth, reply := send("1", 2, "+OK\r\n+OK\r\n")
			require.Equal(t, "+OK\r\n", reply)
			require.Contains(t, fifth, request("SELECT", "1"))
			// A target that has closed the kept connection costs nothing.
			source.want("+OK\r\n", "SET", "k", "v")
			steps <- exchange{}
			source.send("MIGRATE", "127.0.0.1", l.port(), "k", "1", "10000")
			steps <- exchange{2, "+OK\r\n+OK\r\n"}
			require.Contains(t, <-heard, request("SELECT", "1"))
			require.Equal(t, "+OK\r\n", source.reply())
			close(steps)
			<-heard
		})
	}
}

// TestMigrateWaitsForEachAnswer has a target that is slow, but not too slow, and
// then one that drips a line so that it never ends.
func TestMigrateWaitsForEachAnswer(t *testing.T) {
	s := startServer(t)
	c, l := s.dial(t), listenAsTarget(t)
	c.want("+OK\r\n", "SET", "{t}1", "v")
	c.want("+OK\r\n", "SET", "{t}2", "v")
	c.send("MIGRATE", "127.0.0.1", l.port(), "", "0", "1000", "KEYS", "{t}1", "{t}2")
	target := l.accept()
	for range 3 {
		target.reply()
	}
	pause := time.NewTicker(500 * time.Millisecond)
	defer pause.Stop()
	for range 3 {
		<-pause.C
		target.raw("+OK\r\n")
	}
	require.Equal(t, "+OK\r\n", c.reply())

	c.want("+OK\r\n", "SET", "{t}1", "v")
	start := time.Now()
	c.send("MIGRATE", "127.0.0.1", l.port(), "{t}1", "0", "1000")
	target.reply()
	drip := time.NewTicker(100 * time.Millisecond)
	defer drip.Stop()
	target.raw("-")
	for range 1000 {
		<-drip.C
		if _, err := target.Write([]byte("x")); err != nil {
			break
		}
	}
	require.Equal(t, "-IOERR error or timeout reading to target instance\r\n", c.reply())
	require.Less(t, time.Since(start), patience/2)
	c.want(":1\r\n", "EXISTS", "{t}1")
}

// TestMigrateKeepsWhatWasNotAcknowledged has answers that Redis would take for a
// yes, or count as two.
func TestMigrateKeepsWhatWasNotAcknowledged(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	long := strings.Repeat("x", 10_000)
	for _, script := range []struct {
		answer, reply string
		left          string
	}{
		{"+OK\r\n:1\r\n+OK\r\n", "-IOERR error or timeout reading to target instance\r\n", ":2\r\n"},
		{"+OK\r\n\r\n+OK\r\n", "-IOERR error or timeout reading to target instance\r\n", ":2\r\n"},
		{"+OK\r\n+OK\r\n$-1\r\n", "-IOERR error or timeout reading to target instance\r\n", ":1\r\n"},
		{"+OK\r\n-" + long + "\r\n-ERR x\r\n", "-ERR Target instance replied with error: " + long[:longestReply-1] + "\r\n", ":2\r\n"},
	} {
		c.want("+OK\r\n", "MSET", "{t}1", "v", "{t}2", "v")
		l := listenAsTarget(t)
		c.send("MIGRATE", "127.0.0.1", l.port(), "", "0", "10000", "KEYS", "{t}1", "{t}2")
		target := l.accept()
		for range 3 {
			target.reply()
		}
		target.raw(script.answer)
		require.Equal(t, script.reply, c.reply(), "after %.20q", script.answer)
		c.want(script.left, "EXISTS", "{t}1", "{t}2")
	}
}

// TestMigrateTimesOut is about a target that takes the connection and no more.
func TestMigrateTimesOut(t *testing.T) {
	s := startServer(t)
	c, l := s.dial(t), listenAsTarget(t)
	c.want("+OK\r\n", "SET", "k", "v")
	c.want("-IOERR error or timeout reading to target instance\r\n", "MIGRATE", "127.0.0.1", l.port(), "k", "0", "50")
	c.want("+OK\r\n", "SET", "k", strings.Repeat("x", 32<<20))
	c.want("-IOERR error or timeout writing to target instance\r\n", "MIGRATE", "127.0.0.1", l.port(), "k", "0", "50")
	c.want(":1\r\n", "EXISTS", "k")
	for _, host := range []string{"", "no such host", "256.0.0.1"} {
		c.want("-IOERR error or timeout connecting to the client\r\n", "MIGRATE", host, l.port(), "k", "0", "1000")
	}
	// To oneself it is a wait for the key that is on its way.
	c.want("+OK\r\n", "SET", "k", "v")
	_, port, err := net.SplitHostPort(s.addr)
	require.NoError(t, err)
	c.want("-IOERR error or timeout reading to target instance\r\n", "MIGRATE", "127.0.0.1", port, "k", "0", "50")
	c.want(":1\r\n", "EXISTS", "k")
}

// TestTargetsAreSwept closes what was not used for ten seconds.
func TestTargetsAreSwept(t *testing.T) {
	s := startServer(t)
	c, l := s.dial(t), listenAsTarget(t)
	c.want("+OK\r\n", "SET", "k", "v")
	c.send("MIGRATE", "127.0.0.1", l.port(), "k", "0", "10000")
	target := l.accept()
	target.reply()
	target.reply()
	target.raw("+OK\r\n+OK\r\n")
	require.Equal(t, "+OK\r\n", c.reply())
	open := func() int {
		s.targets.mu.Lock()
		defer s.targets.mu.Unlock()
		require.Len(t, s.targets.open, s.targets.kept)
		return s.targets.kept
	}
	require.Contains(t, c.do("INFO", "stats"), "migrate_cached_sockets:1\r\n")
	s.targets.sweep(time.Now().Add(targetIdleTime / 2))
	require.Equal(t, 1, open())
	s.targets.sweep(time.Now().Add(targetIdleTime))
	require.Zero(t, open())
	require.Empty(t, target.closed())
}
