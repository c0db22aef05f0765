package server

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
	"slotcast/splitargs"
)

// TestServerCommandsAnswerAsRedis sends the same to redis-server, mostly what
// fails, since the rest differs from server to server.
func TestServerCommandsAnswerAsRedis(t *testing.T) {
	redis := redistest.Start(t, "--cluster-enabled", "yes", "--enable-debug-command", "yes")
	s := startServer(t, "--enable-debug-command", "yes", "--slowlog-log-slower-than", "-1")
	setup := dialAddr(t, "tcp", redis.Addr)
	setup.want("+OK\r\n", "CLUSTER", "ADDSLOTSRANGE", "0", "16383")
	require.Eventually(t, func() bool {
		return strings.Contains(setup.do("CLUSTER", "INFO"), "cluster_state:ok")
	}, patience, 20*time.Millisecond)
	for _, protocol := range []string{"2", "3"} {
		theirs, ours := dialAddr(t, "tcp", redis.Addr), s.dial(t)
		theirs.do("HELLO", protocol)
		ours.do("HELLO", protocol)
		for line := range strings.SplitSeq(strings.TrimSpace(serverLines), "\n") {
			words, ok := splitargs.Split([]byte(line))
			require.True(t, ok, line)
			args := make([]string, len(words))
			for i, w := range words {
				args[i] = string(w)
			}
			require.Equal(t, strconv.Quote(theirs.do(args...)), strconv.Quote(ours.do(args...)), "RESP%s %s", protocol, line)
		}
		// Two replies to one command, of which the first is a push in RESP3.
		for _, kind := range []string{"push", "attrib"} {
			require.Equal(t, theirs.do("DEBUG", "PROTOCOL", kind), ours.do("DEBUG", "PROTOCOL", kind))
			if kind == "push" && protocol == "3" {
				require.Equal(t, theirs.reply(), ours.reply())
			}
		}
	}
}

const serverLines = `
set a 1
set ab hello ex 10000
set big 123456789012
set neg -300
set big2 100000
time x
lolwut version 5 x
lolwut version a
shutdown foo
shutdown abort
shutdown save nosave
shutdown abort now
shutdown nosave force now abort
slowlog
slowlog foo
slowlog get 0
slowlog get -2
slowlog get a
slowlog get 1 2
slowlog len x
slowlog reset
slowlog reset x
latency latest
latency history nosuch
latency reset
latency reset a
latency graph nosuch
latency history
latency foo
latency histogram nosuch
memory usage nosuch
memory usage
memory usage a samples -1
memory usage a samples x
memory usage a samples
memory usage a foo 1
memory purge
memory purge x
memory malloc-stats x
memory foo
memory
swapdb 0 1
swapdb a b
swapdb a
replicaof no one
slaveof h 1
failover
failover to h 1
role
acl whoami
acl users
acl cat
acl cat nosuch
acl cat a b
acl genpass 0
acl genpass x
acl genpass 5000
acl genpass 1 2
acl foo
acl
module list
module foo
debug foo
debug
debug sleep 0
debug sleep a
debug sleep
debug sleep 0 x
debug object nosuch
debug object a fast
debug digest
debug digest-value a ab nosuch
debug digest-value
debug set-active-expire 1
debug set-active-expire x
debug set-active-expire 1
debug change-repl-id
debug jmap
debug protocol string
debug protocol integer
debug protocol double
debug protocol null
debug protocol array
debug protocol set
debug protocol map
debug protocol verbatim
debug protocol true
debug protocol false
debug protocol bignum
debug protocol foo
debug error hello
debug error "FOO bar"
debug error
debug log msg
debug log
config foo
info a b
info nosuch
command foo
command count 1
multi
shutdown nosave
exec
multi
debug object nosuch
time
role
discard
`

// The address is left out, which no two servers share.
func TestDebugObjectTellsWhatRedisTells(t *testing.T) {
	redis := redistest.Start(t, "--enable-debug-command", "yes")
	s := startServer(t, "--enable-debug-command", "local")
	theirs, ours := dialAddr(t, "tcp", redis.Addr), s.dial(t)
	for _, value := range []string{"1", "-300", "100000", "123456789012", "hello", strings.Repeat("ab1", 4)} {
		var lines []string
		for _, c := range []*client{theirs, ours} {
			c.want("+OK\r\n", "SET", "k", value)
			line := strings.Fields(c.do("DEBUG", "OBJECT", "k"))
			lines = append(lines, strings.Join(line[2:5], " ")) // refcount, encoding, length
		}
		require.Equal(t, lines[0], lines[1])
	}
}

func TestDebugIsClosedByDefault(t *testing.T) {
	startServer(t).dial(t).want("-"+string(errDebugProtected)+"\r\n", "DEBUG", "HELP")
}

func TestDebugSleepHoldsOneConnection(t *testing.T) {
	s := startServer(t, "--enable-debug-command", "yes", "--slowlog-log-slower-than", "15000")
	c := s.dial(t)
	c.raw(request("PING") + request("DEBUG", "SLEEP", "3600"))
	require.Equal(t, "+PONG\r\n", c.reply()) // before the sleep, which the end of the server ends
	other := s.dial(t)
	other.want("+OK\r\n", "DEBUG", "SLEEP", "0.02")
	require.Contains(t, other.do("SLOWLOG", "GET", "1"), bulk("0.02"))
	other.do("MULTI")
	other.do("DEBUG", "SLEEP", "3600")
	other.want("*1\r\n-"+string(errSleepInExec)+"\r\n", "EXEC")
}

func TestShutdownAsksMainAndEndsTheConnection(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	c.want("-"+string(errShutdownFailed)+"\r\n", "SHUTDOWN", "SAVE")
	c.raw(request("PING") + request("SHUTDOWN", "NOW") + request("PING"))
	require.Equal(t, "+PONG\r\n", c.closed())
	require.Equal(t, ShutdownRequest{Now: true}, <-s.Shutdown())
}

func TestSlowlogKeepsTheLatest(t *testing.T) {
	s := startServer(t, "--slowlog-log-slower-than", "0", "--slowlog-max-len", "3")
	c := s.dial(t)
	c.do("SET", "k", strings.Repeat("x", 200))
	c.do("CONFIG", "SET", "requirepass", "secret")
	c.do(append([]string{"DEL"}, strings.Fields(strings.Repeat("k ", 40))...)...)
	got := parseReply(t, c.do("SLOWLOG", "GET"))
	require.Len(t, got.items, 3)
	var words [][]string
	for _, e := range got.items {
		var args []string
		for _, a := range e.items[3].items {
			args = append(args, a.text)
		}
		words = append(words, args)
		require.Equal(t, c.LocalAddr().String(), e.items[4].text)
	}
	require.Len(t, words[0], 32)
	require.Equal(t, "... (10 more arguments)", words[0][31])
	require.Equal(t, []string{"CONFIG", "SET", "requirepass", "(redacted)"}, words[1])
	require.Equal(t, strings.Repeat("x", 128)+"... (72 more bytes)", words[2][2])
	require.Equal(t, ":3\r\n", c.do("SLOWLOG", "LEN"))
	c.want("+OK\r\n", "CONFIG", "SET", "slowlog-log-slower-than", "-1")
	c.want("+OK\r\n", "SLOWLOG", "RESET")
	c.want(":0\r\n", "SLOWLOG", "LEN")
}

func TestLatencyEvents(t *testing.T) {
	s := startServer(t, "--latency-monitor-threshold", "100")
	at := time.Unix(1000, 0)
	s.latency.add("command", at, 99*time.Millisecond)
	s.latency.add("command", at, 500*time.Millisecond)
	s.latency.add("command", at, 300*time.Millisecond)
	s.latency.add("command", at.Add(time.Minute), 200*time.Millisecond)
	s.latency.add("fast-command", at, 150*time.Millisecond)
	c := s.dial(t)
	c.want("*2\r\n*4\r\n"+bulk("command")+":1060\r\n:200\r\n:500\r\n"+
		"*4\r\n"+bulk("fast-command")+":1000\r\n:150\r\n:150\r\n", "LATENCY", "LATEST")
	c.want("*2\r\n*2\r\n:1000\r\n:500\r\n*2\r\n:1060\r\n:200\r\n", "LATENCY", "HISTORY", "command")
	graph := parseReply(t, c.do("LATENCY", "GRAPH", "command")).text
	require.Contains(t, graph, "command - high 500 ms, low 200 ms (all time high 500 ms)\n---")
	require.Contains(t, graph, "\n# \n# \n# \n##\n##\n")
	require.Contains(t, c.do("LATENCY", "DOCTOR"), "command: 2 seconds with a slow event, 350 ms on average, 500 ms at worst")
	c.want(":1\r\n", "LATENCY", "RESET", "command", "nosuch")
	c.want(":1\r\n", "LATENCY", "RESET")
	c.want("*0\r\n", "LATENCY", "LATEST")
}

func TestLatencyHistogramNamesSubcommands(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	c.do("CLUSTER", "MYID")
	c.do("GET", "k")
	c.do("GET", "k")
	got := parseReply(t, c.do("LATENCY", "HISTOGRAM", "cluster", "get", "nosuch", "set"))
	require.Len(t, got.items, 4)
	require.Equal(t, "cluster|myid", got.items[0].text)
	require.Equal(t, "get", got.items[2].text)
	require.Equal(t, "calls", got.items[3].items[0].text)
	require.Equal(t, "2", got.items[3].items[1].text)
}

func TestMemoryStatsHasTheNamesOfRedis(t *testing.T) {
	redis := redistest.Start(t, "--cluster-enabled", "yes")
	s := startServer(t)
	for _, protocol := range []string{"2", "3"} {
		theirs, ours := dialAddr(t, "tcp", redis.Addr), s.dial(t)
		var names [2][]string
		for i, c := range []*client{theirs, ours} {
			c.do("HELLO", protocol)
			n := parseReply(t, c.do("MEMORY", "STATS"))
			for j := 0; j < len(n.items); j += 2 {
				names[i] = append(names[i], n.items[j].text+" "+string(n.items[j+1].kind))
			}
		}
		require.Equal(t, names[0], names[1])
	}
}
