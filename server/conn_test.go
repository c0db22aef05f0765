package server

import (
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// rested waits until nobody runs a connection.
func rested(c *conn) {
	for !c.idle.Load() {
		runtime.Gosched()
	}
}

func TestAParkedConnectionGoesOn(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	require.Equal(t, "+OK\r\n", c.do("SET", "k", "v"))
	sc := s.connOf(t, c)
	for range 3 {
		rested(sc)
		require.Equal(t, "$1\r\nv\r\n", c.do("GET", "k"))
	}
	c.raw("*2\r\n$3\r\nGET\r\n$1\r") // half a command is kept
	for sc.unread.Load() == 0 {
		runtime.Gosched()
	}
	rested(sc)
	c.raw("\nk\r\n")
	require.Equal(t, "$1\r\nv\r\n", c.reply())
}

func TestAParkedSubscriberIsServed(t *testing.T) {
	s := startServer(t)
	c, publisher := s.dial(t), s.dial(t)
	require.Contains(t, c.do("SUBSCRIBE", "c"), "subscribe")
	rested(s.connOf(t, c))
	require.Equal(t, ":1\r\n", publisher.do("PUBLISH", "c", "m"))
	require.Equal(t, "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n", c.reply())
}

func TestParkedConnectionsEnd(t *testing.T) {
	s := startServer(t)
	killed, leaving, staying := s.dial(t), s.dial(t), s.dial(t)
	for _, c := range []*client{killed, leaving, staying} {
		require.Contains(t, c.do("SUBSCRIBE", "c"), "subscribe")
		rested(s.connOf(t, c))
	}
	admin := s.dial(t)
	require.Equal(t, ":1\r\n", admin.do("CLIENT", "KILL", "ADDR", killed.LocalAddr().String()))
	_, err := killed.Read(make([]byte, 1))
	require.Error(t, err)
	require.NoError(t, leaving.Close())
	for admin.do("PUBSUB", "NUMSUB", "c") != "*2\r\n$1\r\nc\r\n:1\r\n" {
		runtime.Gosched()
	}
	// The one that stays is ended by the server's Close, at the end of the test.
}

// TestParkingAgainstWaking lets the three who may give a parked connection a
// goroutine meet the one who parks it.
func TestParkingAgainstWaking(t *testing.T) {
	s := startServer(t)
	for range 200 {
		c := s.dial(t)
		require.Equal(t, "+PONG\r\n", c.do("PING"))
		sc := s.connOf(t, c)
		var wg sync.WaitGroup
		for _, f := range []func(){
			func() { io.WriteString(c, request("WAIT", "1", "1")) },
			func() { io.WriteString(c, request("PING")) },
			func() { sc.outbox.closeSoon("the test") },
		} {
			wg.Add(1)
			go func() {
				defer wg.Done()
				f()
			}()
		}
		wg.Wait()
		_, err := io.Copy(io.Discard, c) // ends: the connection is closed
		require.NoError(t, ignoreReset(err))
	}
}

func TestAPanicEndsItsConnectionAlone(t *testing.T) {
	s := startServer(t)
	s.commands.find([]byte("get")).handler = func(*call) { panic("a fault in a handler") }
	s.addr = s.listen(t, "tcp", "127.0.0.1:0") // whose connections see that handler
	c, other := s.dial(t), s.dial(t)
	c.send("GET", "k")
	_, err := c.Read(make([]byte, 1))
	require.Error(t, err)
	require.Equal(t, "+OK\r\n", other.do("SET", "k", "v"), "the slot's lock was given back")
}

// TestALargeBufferGoesWithItsCommand: a client that goes on with small commands,
// of which there is always a part in the buffer, is read in small pieces.
func TestALargeBufferGoesWithItsCommand(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	c.want("+PONG\r\n", "PING") // so that the server's side is there
	sc := s.connOf(t, c)
	ping := request("PING")
	c.raw(request("SET", "k", strings.Repeat("v", 1<<20)) + ping[:5])
	require.Equal(t, "+OK\r\n", c.reply())
	for i := range 3 {
		rested(sc)
		require.EqualValues(t, readBufferSize, sc.readCap.Load(), "round %d", i)
		c.raw(ping[5:] + ping[:5])
		require.Equal(t, "+PONG\r\n", c.reply())
	}
	c.raw(ping[5:])
	require.Equal(t, "+PONG\r\n", c.reply())
}
