package clustertest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// nodeTimeout makes the tests wait less than the default would, and still more
// than a loaded machine pauses.
var nodeTimeout = []string{"--cluster-node-timeout", "3000"}

// opinion is what a node says of the cluster in CLUSTER NODES, but for times,
// and for which of the lines is its own: the same for all who agree.
func opinion(n *node) (lines []string, links string) {
	n.t.Helper()
	for line := range strings.Lines(n.text("CLUSTER", "NODES")) {
		f := strings.Fields(line)
		if f[7] != "connected" {
			links += fmt.Sprintf("%s has no link to %s\n", n.addr, f[1])
		}
		flags := strings.TrimPrefix(f[2], "myself,")
		lines = append(lines, strings.Join(append([]string{f[0], f[1], flags, f[3], f[6]}, f[8:]...), " "))
	}
	slices.Sort(lines)
	return lines, links
}

// agree waits until all nodes have the same opinion, reach each other, and see
// a cluster that serves; and returns the opinion.
func agree(t testing.TB, nodes []*node) (lines []string) {
	t.Helper()
	until(t, "one opinion of all nodes", func() (amiss string) {
		lines = nil
		for _, n := range nodes {
			mine, links := opinion(n)
			amiss += links
			if len(mine) != len(nodes) {
				amiss += fmt.Sprintf("%s knows %d nodes of %d\n", n.addr, len(mine), len(nodes))
			}
			if lines == nil {
				lines = mine
			} else if !slices.Equal(lines, mine) {
				amiss += fmt.Sprintf("%s says\n%s\nbut %s says\n%s\n", nodes[0].addr, strings.Join(lines, "\n"), n.addr, strings.Join(mine, "\n"))
			}
			if state := n.info("cluster_state"); state != "ok" {
				amiss += fmt.Sprintf("%s: cluster_state is %s\n", n.addr, state)
			}
		}
		return amiss
	})
	return lines
}

// form makes a cluster of nodes that know nothing yet. Of the first primaries
// each gets its share of the slots, and an epoch, in order; the others stay
// empty.
func form(t testing.TB, nodes []*node, primaries int) {
	t.Helper()
	for i, n := range nodes {
		n.ok("CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1))
		if i < primaries {
			first, last := share(i, primaries)
			n.ok("CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(first), strconv.Itoa(last))
		}
		if i > 0 {
			n.ok("CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(nodes[0].port))
		}
	}
	agree(t, nodes)
}

// share is the range of slots of the i-th of n primaries.
func share(i, n int) (first, last int) { return i * slots / n, (i+1)*slots/n - 1 }

// replicate makes a redis-server a replica and waits until all of these see it
// hold the data.
func replicate(replica, primary *node, seenBy ...*node) {
	t := replica.t
	t.Helper()
	until(t, "REPLICATE to be possible", func() string {
		if reply := replica.do("CLUSTER", "REPLICATE", primary.id); reply != "OK" {
			return fmt.Sprint(reply)
		}
		return ""
	})
	for _, n := range seenBy {
		until(t, "the replica to be seen", func() string {
			if slices.ContainsFunc(nodesIn(n.do("CLUSTER", "SLOTS")), func(id string) bool { return id == replica.id }) {
				return ""
			}
			return n.addr + " does not list it"
		})
	}
}

// nodesIn returns the ids in a reply to CLUSTER SLOTS.
func nodesIn(reply any) (ids []string) {
	rows, _ := reply.([]any)
	for _, row := range rows {
		for _, entry := range row.([]any)[2:] {
			ids = append(ids, entry.([]any)[2].(string))
		}
	}
	return ids
}

// moveSlot moves a slot without keys as the tool does: the new owner is told
// first.
func moveSlot(slot int, from, to *node, others ...*node) {
	from.t.Helper()
	s := strconv.Itoa(slot)
	to.ok("CLUSTER", "SETSLOT", s, "IMPORTING", from.id)
	from.ok("CLUSTER", "SETSLOT", s, "MIGRATING", to.id)
	for _, n := range append([]*node{to, from}, others...) {
		n.ok("CLUSTER", "SETSLOT", s, "NODE", to.id)
	}
}
