package server

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARetiredConnectionGoesOn(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	require.Equal(t, "+OK\r\n", c.do("SET", "k", "v"))
	sc := s.connOf(t, c)
	for range 3 {
		require.True(t, sc.grown.Load())
		sc.retire()
		for sc.retiring.Load() { // until the fresh goroutine has taken over
		}
		require.False(t, sc.grown.Load())
		require.Equal(t, "$1\r\nv\r\n", c.do("GET", "k"))
	}
	c.raw("*2\r\n$3\r\nGET\r\n$1\r") // half a command is kept
	for sc.unread.Load() == 0 {
	}
	sc.retire()
	for sc.retiring.Load() {
	}
	c.raw("\nk\r\n")
	require.Equal(t, "$1\r\nv\r\n", c.reply())
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
