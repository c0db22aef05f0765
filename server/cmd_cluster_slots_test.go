package server

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fragment takes every second slot from a node that has all.
func fragment(c *client) {
	args := []string{"CLUSTER", "DELSLOTS"}
	for slot := 1; slot < 16384; slot += 2 {
		args = append(args, strconv.Itoa(slot))
	}
	c.want("+OK\r\n", args...)
}

// The bytes of a map are shared by all replies, and each stands where it
// belongs: between other replies, in both protocols, in an EXEC, on a
// connection that listens, and not at all where no reply is wanted.
func TestTheMapStandsBetweenOtherReplies(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	fragment(c)
	slots := c.do("CLUSTER", "SLOTS")
	require.True(t, strings.HasPrefix(slots, "*8192\r\n"), "%.20q", slots)
	require.Greater(t, len(slots), writeTurn)

	ask := request("CLUSTER", "SLOTS")
	c.raw(request("PING", "1") + ask + ask + request("PING", "2") + ask + request("ECHO", strings.Repeat("x", writeChunk)))
	for _, want := range []string{bulk("1"), slots, slots, bulk("2"), slots, bulk(strings.Repeat("x", writeChunk))} {
		require.True(t, want == c.reply(), "a reply begins otherwise than %.40q", want)
	}
	c.raw(request("CLIENT", "REPLY", "SKIP") + ask + request("PING", "3"))
	require.Equal(t, bulk("3"), c.reply())
	c.raw(request("CLIENT", "REPLY", "OFF") + ask + request("CLIENT", "REPLY", "ON") + request("PING", "4"))
	require.Equal(t, "+OK\r\n", c.reply())
	require.Equal(t, bulk("4"), c.reply())

	c.raw(request("MULTI") + ask + request("PING") + request("EXEC") + ask)
	for _, want := range []string{"+OK\r\n", "+QUEUED\r\n", "+QUEUED\r\n", "*2\r\n" + slots + "+PONG\r\n", slots} {
		require.True(t, want == c.reply(), "a reply begins otherwise than %.40q", want)
	}

	c.do("HELLO", "3")
	c.do("CLIENT", "TRACKING", "ON")
	nested := c.do("CLUSTER", "SLOTS")
	require.True(t, strings.HasPrefix(nested, "*8192\r\n"), "%.20q", nested)
	c.do("SUBSCRIBE", "__cluster-slots__")
	require.True(t, nested == c.do("CLUSTER", "SLOTS"))
	require.Equal(t, "+PONG\r\n", c.do("PING"))
}

// Who asks for the map costs nothing of its length.
func TestTheMapIsNotCopied(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	fragment(c)
	size := len(c.do("CLUSTER", "SLOTS"))
	buf := make([]byte, 64<<10)
	const replies = 50
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range replies {
		c.send("CLUSTER", "SLOTS")
		for left := size; left > 0; {
			n, err := c.r.Read(buf[:min(left, len(buf))])
			require.NoError(t, err)
			left -= n
		}
	}
	runtime.ReadMemStats(&after)
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)/replies, uint64(size/10))
}
