package compat

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/testcluster"
)

// TestClientSideCache has libraries answer from their caches, while another
// connection changes, deletes and flushes what is in them.
func TestClientSideCache(t *testing.T) {
	eachCache(t, func(t *testing.T, c client) { useCache(t, startNode(t), c) })
}

// TestClientSideCacheOfRedis shows that a server which keeps the word makes no
// difference to the library.
func TestClientSideCacheOfRedis(t *testing.T) {
	eachCache(t, func(t *testing.T, c client) { useCache(t, startRedis(t), c) })
}

func eachCache(t *testing.T, test func(t *testing.T, c client)) {
	eachClient(t, func(l library) bool { return l.cache }, func(t *testing.T, c client) {
		if c.resp == "2" {
			return // without pushes the libraries refuse to keep a cache
		}
		test(t, c)
	})
}

// reader is a program at its cache task.
type reader struct{ *process }

func (r reader) read(key string) string {
	r.t.Helper()
	_, err := io.WriteString(r.stdin, key+"\n")
	require.NoError(r.t, err)
	line, ok := r.next()
	require.True(r.t, ok, r.story())
	return line
}

// settles reads a key until the answer is the expected one: what the server has
// sent takes its time through the library. Until then there is nothing but the
// old value, from the cache.
func (r reader) settles(key, old, want string) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		line := r.read(key)
		if line == want {
			return
		}
		require.Equal(r.t, old, line, r.story())
		require.True(r.t, time.Now().Before(deadline), r.story())
	}
}

func useCache(t *testing.T, n *node, c client) {
	n.ok("FLUSHALL")
	n.ok("SET", "greeting", "hello")
	r := reader{c.start(t, "cache", n.addr)}
	require.Equal(t, "server hello", r.read("greeting"))
	require.Equal(t, "cache hello", r.read("greeting"))
	require.Contains(t, n.do("INFO", "stats"), "tracking_total_keys:1\r\n")
	n.ok("SET", "greeting", "good bye")
	r.settles("greeting", "cache hello", "server good bye")
	require.Equal(t, "cache good bye", r.read("greeting"))
	require.Equal(t, "1", n.do("EXPIRE", "greeting", "100"))
	r.settles("greeting", "cache good bye", "server good bye")
	require.Equal(t, "1", n.do("DEL", "greeting"))
	r.settles("greeting", "cache good bye", "server ")
	require.Equal(t, "cache ", r.read("greeting"))
	n.ok("SET", "greeting", "again")
	r.settles("greeting", "cache ", "server again")
	for i := range 20 {
		key := fmt.Sprint("key:", i)
		require.Equal(t, "server ", r.read(key))
		require.Equal(t, "cache ", r.read(key))
	}
	n.ok("FLUSHALL")
	r.settles("greeting", "cache again", "server ")
	require.Equal(t, "server ", r.read("key:7"))
	r.finish()
}

// TestClientSideCacheFollowsSlots moves a slot to another node: what was read in
// it is not to be believed, since it is changed elsewhere from then on, also if
// it was not there to be moved.
func TestClientSideCacheFollowsSlots(t *testing.T) {
	eachCache(t, func(t *testing.T, c client) {
		if c.kind != "cluster" {
			return
		}
		cluster := testcluster.Start(t, 3, testcluster.NodeTimeout(10*time.Minute))
		const there, missing = "{key}there", "{key}missing"
		slot := int(slotOf(t, cluster, there))
		from := cluster.Owner(slot)
		to := cluster.Node(0)
		if to == from {
			to = cluster.Node(1)
		}
		must(t, from, "OK", "SET", there, "before")
		r := reader{c.start(t, "cache", from.Addr())}
		require.Equal(t, "server before", r.read(there))
		require.Equal(t, "server ", r.read(missing))
		require.Equal(t, "cache before", r.read(there))
		require.Equal(t, "cache ", r.read(missing))
		cluster.MoveSlot(slot, to)
		must(t, to, "OK", "SET", missing, "new")
		must(t, to, "OK", "SET", there, "after")
		r.settles(there, "cache before", "server after")
		r.settles(missing, "cache ", "server new")
		must(t, to, "OK", "SET", there, "later")
		r.settles(there, "cache after", "server later")
		r.finish()
	})
}

func must(t *testing.T, n *testcluster.Node, want string, args ...string) {
	t.Helper()
	got, err := n.Do(args...)
	require.NoError(t, err, strings.Join(args, " "))
	require.Equal(t, want, got, strings.Join(args, " "))
}

func slotOf(t *testing.T, c *testcluster.Cluster, key string) int64 {
	t.Helper()
	slot, err := c.Node(0).Do("CLUSTER", "KEYSLOT", key)
	require.NoError(t, err)
	return slot.(int64)
}
