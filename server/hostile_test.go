package server

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// heap is the number of bytes that live objects take.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestHostileLengths(t *testing.T) {
	s := startServer(t)
	good := s.dial(t)
	for _, c := range []struct{ request, reply string }{
		{"*1\r\n$9223372036854775807\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
		{"*9223372036854775807\r\n$1\r\na\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
		{"*1000000000\r\n$1\r\na\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
		{"*1\r\n$-5\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
		{"*1\r\n$99999999999999999999999999\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
	} {
		bad := s.dial(t)
		bad.raw("*1\r\n$4\r\nPING\r\n" + c.request)
		got, err := io.ReadAll(bad)
		require.NoError(t, err)
		require.Equal(t, "+PONG\r\n"+c.reply, string(got), "%q", c.request)
		require.Equal(t, "+PONG\r\n", good.do("PING"))
	}
}

func TestHostileDrip(t *testing.T) {
	s := startServer(t)
	good := s.dial(t)
	drip := s.dial(t)
	const size = 200_000
	value := strings.Repeat("v", size)
	for _, b := range []byte(fmt.Sprintf("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s\r\n", size, value)) {
		_, err := drip.Write([]byte{b})
		require.NoError(t, err)
	}
	require.Equal(t, "+OK\r\n", drip.reply())
	require.Equal(t, fmt.Sprintf(":%d\r\n", size), good.do("STRLEN", "k"))
}

// TestAnnouncedAndNotSent opens connections that promise half a gigabyte each
// and send none of it. What they cost must not depend on what they promise.
func TestAnnouncedAndNotSent(t *testing.T) {
	s := startServer(t)
	good := s.dial(t)
	require.Equal(t, "+PONG\r\n", good.do("PING"))
	before := heap()
	const clients = 100
	for range clients {
		c := s.dial(t)
		require.Equal(t, "+PONG\r\n", c.do("PING")) // so that it is accepted
		c.raw("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$536870912\r\nabc")
		for s.connOf(t, c).unread.Load() == 0 {
			runtime.Gosched()
		}
	}
	grown := heap() - before
	require.Less(t, grown/clients, int64(40<<10), "bytes for each, of which 16 KiB are its read buffer")
	require.Equal(t, "+OK\r\n", good.do("SET", "k", "v"))
}

// TestSilentConnections opens as many connections as the limit on files allows,
// up to ten thousand, that never send a byte.
func TestSilentConnections(t *testing.T) {
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	clients := min(10_000, int(limit.Cur)/2-200) // both ends are in this process
	s := startServer(t)
	good := s.dial(t)
	require.Equal(t, "+PONG\r\n", good.do("PING"))
	before := heap()
	silent := make([]net.Conn, clients)
	for i := range silent {
		c, err := net.Dial("tcp", s.addr)
		require.NoError(t, err)
		defer c.Close()
		silent[i] = c
	}
	for s.conns.len() < clients {
		runtime.Gosched()
	}
	grown := heap() - before
	require.Less(t, grown/int64(clients), int64(6<<10), "heap bytes for each, both ends counted")
	require.Equal(t, "+PONG\r\n", good.do("PING"))
	require.Contains(t, good.do("INFO", "clients"), fmt.Sprintf("connected_clients:%d\r\n", clients+1))
}

// TestASubscriberThatNeverReads publishes far more than its limit, which a
// subscriber that reads must get whole, while memory stays within the limit.
func TestASubscriberThatNeverReads(t *testing.T) {
	s := startServer(t, "--client-output-buffer-limit", "pubsub", "8mb", "0", "0")
	never, reads, publisher := s.dial(t), s.dial(t), s.dial(t)
	require.Contains(t, never.do("SUBSCRIBE", "c"), "subscribe")
	require.Contains(t, reads.do("SUBSCRIBE", "c"), "subscribe")
	o := &s.connOf(t, never).outbox
	payload := strings.Repeat("p", 64<<10)
	frame := fmt.Sprintf("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$%d\r\n%s\r\n", len(payload), payload)
	got := make([]byte, len(frame))
	receivers := 2
	for i := 0; receivers == 2 || i < 400; i++ {
		reply := publisher.do("PUBLISH", "c", payload)
		if reply == ":1\r\n" {
			receivers = 1
		}
		_, err := io.ReadFull(reads.r, got)
		require.NoError(t, err)
		require.Equal(t, frame, string(got))
		o.mu.Lock()
		require.LessOrEqual(t, o.pending, 8<<20)
		o.mu.Unlock()
	}
	require.Contains(t, o.closeReason(), "hard limit")
	require.Contains(t, publisher.do("PUBSUB", "NUMSUB", "c"), ":1\r\n")
}
