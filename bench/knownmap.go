//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"

	"slotcast/clusterstate"
)

// knownNode is a node of the cluster that a server is started in: a line of
// its nodes.conf.
type knownNode struct {
	id      string
	port    int    // zero for the server itself
	primary string // whose replica it is, empty for a primary
	epoch   int
}

// knownID is an id that is the same in every run, for the node of that number.
func knownID(number int) string { return strings.Repeat(string(rune('a'+number)), 40) }

// nodesConf is a nodes.conf, to be filled in by whoever starts the server, with
// the slots dealt in turn to the first nodes, as many as owners says: no two
// neighbours have one owner.
func nodesConf(nodes []knownNode, owners int) string {
	var b strings.Builder
	for i, n := range nodes {
		where, flags, primary := fmt.Sprintf("127.0.0.1:%d@%d", n.port, n.port+busOffset), "master", "-"
		if n.port == 0 {
			where, flags = "127.0.0.1:{port}@{bus}", "myself,master"
		}
		if n.primary != "" {
			flags, primary = "slave", n.primary
		}
		fmt.Fprintf(&b, "%s %s %s %s 0 0 %d connected", n.id, where, flags, primary, n.epoch)
		for slot := i; i < owners && slot < clusterstate.Slots; slot += owners {
			fmt.Fprintf(&b, " %d", slot)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "vars currentEpoch %d lastVoteEpoch 0\n", len(nodes))
	return b.String()
}

// inCluster is the server as a node of the cluster of that nodes.conf. The
// others need not exist: the timeout after which they would be missed is far.
func inCluster(c *contender, conf string) *contender {
	v := *c
	v.Command = append(slices.Clone(c.Command), "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
		"--cluster-node-timeout", "3600000", "--cluster-require-full-coverage", "no")
	v.files = map[string]string{"nodes.conf": conf}
	return &v
}
