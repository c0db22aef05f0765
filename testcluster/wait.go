package testcluster

import (
	"fmt"
	"strings"
	"time"

	"slotcast/clusterstate"
)

// patience bounds every wait; it is only reached when something is broken, or
// when a test waits for what will not come.
const patience = 30 * time.Second

// await waits until nothing is amiss.
func (c *Cluster) await(what string, amiss func() string) {
	c.tb.Helper()
	late := time.NewTimer(c.patience)
	defer late.Stop()
	poll := time.NewTicker(500 * time.Microsecond)
	defer poll.Stop()
	for {
		why := amiss()
		if why == "" {
			return
		}
		select {
		case <-poll.C:
		case <-late.C:
			c.tb.Fatalf("testcluster: waited %v for %s: %s", c.patience, what, why)
		}
	}
}

// WaitReady waits until the nodes that run serve, have links to all that run and
// that they are not cut off from, and agree on whose the slots are.
func (c *Cluster) WaitReady() {
	c.tb.Helper()
	c.await("a cluster that is ready", c.unready)
}

// unready tells what WaitReady waits for.
func (c *Cluster) unready() string {
	for _, n := range c.nodes {
		v := n.view()
		if v == nil {
			continue
		}
		if !v.ClusterOK() {
			return n.String() + " does not serve, cluster_state is fail"
		}
		for _, other := range c.nodes[:n.number] {
			if w := other.view(); w != nil && !c.network.isCut(n.number, other.number) {
				if slot := difference(v, w); slot >= 0 {
					return fmt.Sprintf("%s and %s do not agree on slot %d", other, n, slot)
				}
			}
		}
	}
	for _, n := range c.nodes {
		if n.view() == nil {
			continue
		}
		if why := c.unlinked(n); why != "" {
			return why
		}
	}
	return ""
}

// difference is the first slot whose owners differ, -1 if there is none.
func difference(v, w *clusterstate.View) int {
	id := func(n *clusterstate.Node) clusterstate.NodeID {
		if n == nil {
			return ""
		}
		return n.ID
	}
	for slot := range clusterstate.Slots {
		if id(v.Owner(uint16(slot))) != id(w.Owner(uint16(slot))) {
			return slot
		}
	}
	return -1
}

// unlinked tells what is amiss with the links of a node, and with what it thinks
// of the nodes at their other ends.
func (c *Cluster) unlinked(n *Node) string {
	reply, err := n.Do("CLUSTER", "NODES")
	if err != nil {
		return fmt.Sprintf("%s: %v", n, err)
	}
	text, _ := reply.(string)
	for _, other := range c.nodes {
		if other == n || other.view() == nil || c.network.isCut(n.number, other.number) {
			continue
		}
		known := false
		for line := range strings.Lines(text) {
			// id, address, flags, primary, ping, pong, epoch, link, slots
			f := strings.Fields(line)
			if len(f) < 8 || f[0] != other.id {
				continue
			}
			known = true
			if f[7] != "connected" {
				return fmt.Sprintf("%s has no link to %s", n, other)
			}
			if strings.Contains(f[2], "fail") {
				return fmt.Sprintf("%s shows %s as %s", n, other, f[2])
			}
		}
		if !known {
			return fmt.Sprintf("%s does not know %s", n, other)
		}
	}
	return ""
}

// WaitFailed waits until all that do not reach a node, because it is down or cut
// off, show it as failed. That takes most of the primaries, and the node timeout.
func (c *Cluster) WaitFailed(node *Node) {
	c.tb.Helper()
	var witnesses []*Node
	for _, n := range c.nodes {
		if n != node && n.view() != nil && (node.view() == nil || c.network.isCut(n.number, node.number)) {
			witnesses = append(witnesses, n)
		}
	}
	if len(witnesses) == 0 {
		c.tb.Fatalf("testcluster: nobody will find %s to have failed: it is in reach of all that run", node)
	}
	c.await("the failure of "+node.String(), func() string {
		for _, n := range witnesses {
			if v := n.view(); v != nil {
				if seen := v.Node(clusterstate.NodeID(node.id)); seen == nil || !seen.Failed {
					return n.String() + " does not show it"
				}
			}
		}
		return ""
	})
}

// WaitDown waits until these nodes do not serve keys any more: since a slot is not
// covered, or because they see only a minority of the cluster. Clients are
// answered CLUSTERDOWN.
func (c *Cluster) WaitDown(nodes ...*Node) {
	c.tb.Helper()
	c.await("nodes that do not serve", func() string {
		for _, n := range nodes {
			if v := n.view(); v != nil && v.ClusterOK() {
				return "cluster_state of " + n.String() + " is ok"
			}
		}
		return ""
	})
}
