package server

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// TestConfigAnswersAsRedis compares CONFIG GET and SET, mostly of what fails.
func TestConfigAnswersAsRedis(t *testing.T) {
	redis := redistest.Start(t, "--cluster-enabled", "yes")
	s := startServer(t)
	lines := strings.Split(strings.TrimSpace(`
CONFIG
CONFIG GET
CONFIG GET maxclients MAXCLIENTS
CONFIG GET slowlog-m*
CONFIG GET nosuch
CONFIG SET maxclients
CONFIG SET maxclients 100 timeout
CONFIG SET maxclients abc
CONFIG SET nosuch 1
CONFIG SET databases 3
CONFIG SET timeout 5 timeout 5
CONFIG SET port 99999
CONFIG SET maxclients 500000
CONFIG SET timeout 5 bind 192.0.2.1
CONFIG GET timeout
CONFIG SET slowlog-max-len 100 latency-monitor-threshold 5
CONFIG GET latency-monitor-threshold
CONFIG SET loglevel loud
CONFIG SET loglevel warning
CONFIG SET notify-keyspace-events KEA
CONFIG GET notify-keyspace-events
CONFIG SET requirepass secret
CONFIG GET requirepass
CONFIG SET requirepass ""
CONFIG REWRITE
CONFIG RESETSTAT
CONFIG FOO
`), "\n")
	for _, protocol := range []string{"2", "3"} {
		theirs, ours := dialAddr(t, "tcp", redis.Addr), s.dial(t)
		theirs.do("HELLO", protocol)
		ours.do("HELLO", protocol)
		for _, line := range lines {
			args := strings.Fields(strings.ReplaceAll(line, `""`, "\x00"))
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "\x00", "")
			}
			require.Equal(t, strconv.Quote(theirs.do(args...)), strconv.Quote(ours.do(args...)), line)
		}
	}
}

func TestConfigSetOfAnAddressIsPushed(t *testing.T) {
	s := startServer(t)
	listener, c := s.dial(t), s.dial(t)
	listener.do("SUBSCRIBE", "__cluster-slots__:json")
	c.want("+OK\r\n", "CONFIG", "SET", "cluster-announce-hostname", "here.example", "cluster-announce-port", "7777")
	row := listener.reply()
	require.Contains(t, row, `[0,16383,[`)
	require.Contains(t, row, `7777`)
	require.Contains(t, row, `"hostname":"here.example"`)
	require.Contains(t, c.do("CLUSTER", "SLOTS"), "here.example")

	// Two changes in one EXEC are one row.
	c.do("MULTI")
	c.do("CONFIG", "SET", "cluster-announce-port", "7778")
	c.do("CONFIG", "SET", "cluster-announce-hostname", "there.example")
	c.want("*2\r\n+OK\r\n+OK\r\n", "EXEC")
	row = listener.reply()
	require.Contains(t, row, `7778`)
	require.Contains(t, row, `there.example`)
	listener.want("*3\r\n"+bulk("unsubscribe")+bulk("__cluster-slots__:json")+":0\r\n", "UNSUBSCRIBE")
}

func TestConfigSetChangesTheFormOfRows(t *testing.T) {
	s := startServer(t)
	listener, c := s.dial(t), s.dial(t)
	listener.do("SUBSCRIBE", "__cluster-slots__")
	c.do("CLUSTER", "DELSLOTS", "5")
	require.Equal(t, "*3\r\n"+bulk("message")+bulk("__cluster-slots__")+"*2\r\n:5\r\n:5\r\n", listener.reply())
	c.want("+OK\r\n", "CONFIG", "SET", "cluster-slots-payload", "json")
	c.do("CLUSTER", "DELSLOTS", "6")
	require.Equal(t, "*3\r\n"+bulk("message")+bulk("__cluster-slots__")+bulk("[6,6]"), listener.reply())
}

func TestConfigSetPushNoEndsTheFamily(t *testing.T) {
	s := startServer(t)
	listener, other, c := s.dial(t), s.dial(t), s.dial(t)
	listener.do("SUBSCRIBE", "__cluster-slots__")
	other.do("PSUBSCRIBE", "__cluster-slots__*")
	c.want("+OK\r\n", "CONFIG", "SET", "cluster-slots-push", "no")
	require.Equal(t, "", listener.closed())
	require.Equal(t, "", other.closed())
	refusal := "-" + string(errPushDisabled) + "\r\n"
	c.want(refusal, "SUBSCRIBE", "__cluster-slots__:json")
	c.want(refusal, "PSUBSCRIBE", "__cluster-slots__:*")

	// Who turns it off is answered first.
	c.want("+OK\r\n", "CONFIG", "SET", "cluster-slots-push", "yes")
	c.do("HELLO", "3")
	c.do("SUBSCRIBE", "__cluster-slots__")
	c.send("CONFIG", "SET", "cluster-slots-push", "no")
	require.Equal(t, "+OK\r\n", c.closed())
}

func TestConfigSetPortMovesTheListener(t *testing.T) {
	s := startServer(t, "--bind", "127.0.0.1", "--port", freePort(t))
	require.NoError(t, s.OpenListeners())
	old := net.JoinHostPort("127.0.0.1", strconv.Itoa(s.config.Values().Port))
	stays := dialAddr(t, "tcp", old)
	next := freePort(t)
	stays.want("+OK\r\n", "CONFIG", "SET", "port", next)
	dialAddr(t, "tcp", net.JoinHostPort("127.0.0.1", next)).want("+PONG\r\n", "PING")
	stays.want("+PONG\r\n", "PING")
	_, err := net.Dial("tcp", old)
	require.Error(t, err)
	require.Contains(t, stays.do("CLUSTER", "SLOTS"), ":"+next)

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	stays.want("-ERR CONFIG SET failed (possibly related to argument 'port') - Unable to listen on this port. Check server logs.\r\n",
		"CONFIG", "SET", "timeout", "9", "port", port)
	stays.want("*2\r\n"+bulk("timeout")+bulk("0"), "CONFIG", "GET", "timeout")
}

func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

func TestTakingThePasswordAwayLetsEveryoneIn(t *testing.T) {
	s := startServer(t)
	inside := s.dial(t)
	inside.want("+OK\r\n", "CONFIG", "SET", "requirepass", "secret")
	outside := s.dial(t)
	outside.want("-NOAUTH Authentication required.\r\n", "PING")
	inside.want("+PONG\r\n", "PING")
	inside.want("+OK\r\n", "CONFIG", "SET", "requirepass", "")
	outside.want("+PONG\r\n", "PING")
}

// TestPushEndsInTheExecThatSubscribed: the subscription takes effect after the
// commit, when there is nothing to listen to any more.
func TestPushEndsInTheExecThatSubscribed(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	c.do("MULTI")
	c.do("SUBSCRIBE", "__cluster-slots__")
	c.do("CONFIG", "SET", "cluster-slots-push", "no")
	c.send("EXEC")
	require.Equal(t, "*2\r\n*3\r\n"+bulk("subscribe")+bulk("__cluster-slots__")+":1\r\n+OK\r\n", c.closed())
}

func TestConfigRewriteWaitsForTheDiskOutsideOfLocksAlone(t *testing.T) {
	c := startServer(t).dial(t)
	c.do("MULTI")
	c.do("CONFIG", "REWRITE")
	c.want("*1\r\n-"+string(errRewriteInExec)+"\r\n", "EXEC")
}
