package compat

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/testcluster"
)

// TestRecipes runs examples that read and then write the key greeting once a
// second, and moves its slot to another node after each write. Their cluster
// clients have the time up to the next read to learn of it; one that is not told
// is sent on after each move.
func TestRecipes(t *testing.T) {
	for name, command := range map[string]func(t *testing.T) []string{
		"redis-py": func(t *testing.T) []string {
			return []string{pythonProgram("redis-py-8")(t, "")[0], filepath.Join(root, "examples", "redis-py", "watch.py")}
		},
		"node-redis": func(t *testing.T) []string {
			return nodeScript(t, "node-redis-6", filepath.Join(root, "examples", "node-redis", "watch.js"))
		},
		"ioredis": func(t *testing.T) []string {
			return nodeScript(t, "ioredis-6", filepath.Join(root, "examples", "ioredis", "watch.js"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			argv := command(t)
			t.Parallel()
			// The programs leave SMIGRATED on, which would do the same.
			c := testcluster.Start(t, 3, testcluster.NodeTimeout(10*time.Minute),
				testcluster.Directive("notify-keyspace-events", "K$"),
				testcluster.Directive("cluster-maint-notifications", "no"))
			const key = "greeting"
			writes := map[*testcluster.Node]*witness{}
			for _, n := range c.Nodes() {
				writes[n] = &witness{dialNode(t, n.Addr())}
				writes[n].subscribe("__keyspace@0__:"+key, news)
			}
			number, err := c.Node(0).Do("CLUSTER", "KEYSLOT", key)
			require.NoError(t, err)
			slot := int(number.(int64))
			host, port, _ := strings.Cut(c.Node(2).Addr(), ":")
			p := start(t, argv[0], append(argv[1:], host, port)...)
			require.True(t, p.reaches("map "), p.story())
			p.ignoreRest()

			// written waits for a write on a node that comes after this moment.
			written := func(n *testcluster.Node, moment string) {
				t.Helper()
				_, err := n.Do("PUBLISH", news, moment)
				require.NoError(t, err)
				for what := ""; what != moment; {
					_, what = writes[n].message()
				}
				_, what := writes[n].message()
				require.Equal(t, "set", what)
			}
			written(c.Owner(slot), "begun")
			before := sentOn(t, c)
			const moves = 4 // half of them may take too long on a busy machine
			for i := range moves {
				home := c.Node(i % 3)
				if home == c.Owner(slot) {
					home = c.Node((i + 1) % 3)
				}
				c.MoveSlot(slot, home)
				written(home, "moved "+strconv.Itoa(i))
			}
			require.LessOrEqual(t, sentOn(t, c)-before, moves/2, "too many commands were sent on\n%s", p.story())
		})
	}
}

// sentOn adds up how often the nodes have answered MOVED.
func sentOn(t *testing.T, c *testcluster.Cluster) int {
	t.Helper()
	sum := 0
	for _, n := range c.Nodes() {
		info, err := n.Do("INFO", "errorstats")
		require.NoError(t, err)
		if _, count, found := strings.Cut(info.(string), "errorstat_MOVED:count="); found {
			count, _, _ = strings.Cut(count, "\r\n")
			number, err := strconv.Atoi(count)
			require.NoError(t, err)
			sum += number
		}
	}
	return sum
}
