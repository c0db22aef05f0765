package server

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const megabyte = 1 << 20

// limitMemory sets maxmemory to so much above what is in use.
func limitMemory(t *testing.T, s *testServer, c *client, room int64) {
	runtime.GC()
	s.memory.sample()
	c.want("+OK\r\n", "CONFIG", "SET", "maxmemory", fmt.Sprint(s.memory.used()+room))
}

// TestGarbageIsNotInUse makes garbage far above maxmemory, between writes that
// there is room for.
func TestGarbageIsNotInUse(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	limitMemory(t, s, c, 16*megabyte)
	// A collection counts what is allocated meanwhile, so there shall be none.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var garbage []byte
	for range 64 {
		garbage = make([]byte, megabyte)
		s.memory.sample()
		c.want("+OK\r\n", "SET", "k", "v")
	}
	runtime.KeepAlive(garbage)
}

// TestFreedMemoryIsNoticed refuses writes while memory is in use that is no
// key's, and takes them soon after it is let go.
func TestFreedMemoryIsNoticed(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	limitMemory(t, s, c, 16*megabyte)
	held := make([]byte, 64*megabyte)
	runtime.GC()
	s.memory.sample()
	c.want("-OOM command not allowed when used memory > 'maxmemory'.\r\n", "SET", "k", "v")
	runtime.KeepAlive(held)
	held = nil
	for until := time.Now().Add(patience); c.do("SET", "k", "v") != "+OK\r\n"; runtime.Gosched() {
		require.True(t, time.Now().Before(until), "writes are still refused")
	}
}

// TestGrowthIsInUse counts keys at once.
func TestGrowthIsInUse(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	limitMemory(t, s, c, 16*megabyte)
	c.want(":16777216\r\n", "SETRANGE", "k", fmt.Sprint(16*megabyte-1), "x")
	c.want("-OOM command not allowed when used memory > 'maxmemory'.\r\n", "SET", "l", "v")
	c.want(":1\r\n", "DEL", "k")
	c.want("+OK\r\n", "SET", "l", "v")
}
