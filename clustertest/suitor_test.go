package clustertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// TestReplicaWinsNothing points a replica of redis-server at a slotcast
// primary, which gives it no data, and tells it to take over in each way that
// there is. At the end the keys are served by slotcast as before.
func TestReplicaWinsNothing(t *testing.T) {
	t.Parallel() // it mostly waits
	redistest.Bin(t, "redis-server")
	for _, c := range []struct {
		name  string
		kinds []kind
	}{
		{"among slotcast nodes", []kind{slotcast, slotcast, slotcast, redis}},
		// Here the votes of redis-servers are a majority.
		{"among redis-servers", []kind{slotcast, redis, redis, redis}},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes := launchAll(t, c.kinds, "--cluster-node-timeout", "2000", "--cluster-allow-replica-migration", "no")
			primary, replica := nodes[0], nodes[3]
			form(t, nodes, 3)
			keys := []string{}
			for slot := range 50 {
				key := "{" + tagIn(slot) + "}key"
				keys = append(keys, key)
				require.Equal(t, "OK", primary.do("SET", key, "value"))
			}
			before := slotsOf(primary)

			attempts := 0
			for _, option := range []string{"", "FORCE", "TAKEOVER"} {
				replicateInVain(primary, replica, nodes)
				require.Equal(t, replica.id, primary.info("cluster_replicas_without_data"))
				command := []string{"CLUSTER", "FAILOVER"}
				if option != "" {
					command = append(command, option)
				}
				reply := replica.do(command...)
				if reply == "OK" {
					attempts++
					over(t, replica, option, attempts)
				}
				t.Logf("FAILOVER %s: %v", option, reply)
				for _, n := range nodes {
					until(t, "the slots to be slotcast's", func() string {
						if d := slotsOf(n).difference(before); d != "" {
							return n.addr + " " + d
						}
						return ""
					})
				}
				for _, key := range keys {
					require.Equal(t, "value", primary.do("GET", key))
				}
			}
			agree(t, nodes)
			for _, n := range nodes {
				require.NoError(t, votedTwice(n))
			}
		})
	}
}

// replicateInVain makes the redis-server a replica of the slotcast node, as
// everyone sees, and waits until it is refused.
func replicateInVain(primary, replica *node, nodes []*node) {
	t := primary.t
	agree(t, nodes)
	until(t, "REPLICATE to be possible", func() string {
		if reply := replica.do("CLUSTER", "REPLICATE", primary.id); reply != "OK" {
			return fmt.Sprint(reply)
		}
		return ""
	})
	for _, n := range nodes {
		until(t, "the replica to be known", func() string {
			for line := range strings.Lines(n.text("CLUSTER", "NODES")) {
				if f := strings.Fields(line); f[0] == replica.id && f[3] == primary.id {
					return ""
				}
			}
			return n.addr + " does not know it"
		})
	}
}

// over waits until the attempt to take over has come to its end, in the words
// of redis-server's log.
func over(t *testing.T, replica *node, option string, attempt int) {
	ends := []string{"Manual failover timed out", "Failover election won", "Taking over the master"}
	until(t, "the end of FAILOVER "+option, func() string {
		count := 0
		for _, end := range ends {
			count += strings.Count(replica.logText(), end)
		}
		if count >= attempt {
			return ""
		}
		return "not over"
	})
}
