package clustertest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVotes shows a replica of another server take over from its primary with
// the votes of two slotcast nodes: without them it has no majority.
func TestVotes(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, k := range []kind{redis, redis8, valkey9} {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			votes(t, k)
		})
	}
}

func votes(t *testing.T, k kind) {
	k.program(t)
	nodes := launchAll(t, []kind{slotcast, slotcast, k, k}, "--cluster-node-timeout", "2000")
	primary, replica, voters := nodes[2], nodes[3], nodes[:2]
	form(t, nodes, 3)
	replicate(replica, primary, nodes...)
	first, last := share(2, 3)
	key := "{" + tagIn(first) + "}key"
	require.Equal(t, "OK", primary.do("SET", key, "value"))
	require.Equal(t, 1, primary.do("WAIT", "1", "20000"))

	// Twice: the second time the roles are the other way round.
	for round := 1; round <= 2; round++ {
		primary.kill()
		survivors := append([]*node{replica}, voters...)
		for _, n := range survivors {
			until(t, "the replica's election to be known", func() string {
				m := slotsOf(n)
				if strings.HasPrefix(m[first], "{"+replica.addr+" ") && strings.HasPrefix(m[last], "{"+replica.addr+" ") {
					return ""
				}
				return n.addr + " says " + m[first]
			})
			until(t, "a cluster that serves", func() string {
				if state := n.info("cluster_state"); state != "ok" {
					return n.addr + ": " + state
				}
				return ""
			})
		}
		require.Equal(t, "value", replica.do("GET", key))
		epoch := ""
		for line := range strings.Lines(replica.text("CLUSTER", "NODES")) {
			if f := strings.Fields(line); f[0] == replica.id {
				epoch = f[6]
			}
		}
		for _, v := range voters {
			require.Equal(t, strconv.Itoa(round), v.info("cluster_stats_messages_auth-ack_sent"), v.addr)
			require.Contains(t, v.logText(), "Vote for node "+replica.id+" in epoch "+epoch)
			require.NoError(t, votedTwice(v))
			saved, err := os.ReadFile(filepath.Join(v.dir, "nodes.conf"))
			require.NoError(t, err)
			require.Contains(t, string(saved), " lastVoteEpoch "+epoch+"\n")
		}
		require.NoError(t, primary.start())
		replicateAgain(primary, replica, nodes)
		primary, replica = replica, primary
	}
}

// replicateAgain waits until a former primary is seen as the replica of its
// successor.
func replicateAgain(former, successor *node, nodes []*node) {
	agree(former.t, nodes)
	for _, n := range nodes {
		until(former.t, "the former primary as a replica with data", func() string {
			for _, shard := range slotsOf(n) {
				if strings.HasPrefix(shard, "{"+successor.addr+" ") && strings.Contains(shard, former.id) {
					return ""
				}
			}
			return n.addr + " does not list it"
		})
	}
}

var voteLine = regexp.MustCompile(`Vote for node (\w+) in epoch (\d+)`)

// votedTwice finds two votes in one epoch in a node's log.
func votedTwice(n *node) error {
	given := map[string]string{}
	for _, vote := range voteLine.FindAllStringSubmatch(n.logText(), -1) {
		if before, voted := given[vote[2]]; voted {
			return fmt.Errorf("%s voted for %s and %s in epoch %s", n.addr, before, vote[1], vote[2])
		}
		given[vote[2]] = vote[1]
	}
	return nil
}
