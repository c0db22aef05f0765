package clustertest

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// resharded is how many slots move under load. What a test of every change has
// time for is little.
var resharded = flag.Int("reshard", 30, "how many slots TestOperation reshards under load")

// TestOperation does to clusters of slotcast nodes what redis-cli --cluster can
// do, and the same to one of redis-servers: the tool says the same of both.
func TestOperation(t *testing.T) {
	redistest.Bin(t, "redis-server")
	sessions := map[string]*session{}
	t.Run("all", func(t *testing.T) {
		for _, c := range []struct {
			name      string
			kind      kind
			primaries int
		}{{"redis-server", redis, 3}, {"three", slotcast, 3}, {"five", slotcast, 5}} {
			// The one beside the primaries is added and removed.
			kinds := []kind{}
			for range c.primaries + 1 {
				kinds = append(kinds, c.kind)
			}
			var s *session
			t.Run(c.name, func(t *testing.T) {
				s = newSession(t, launchAll(t, kinds, append(nodeTimeout, "--cluster-allow-replica-migration", "no")...))
				s.operate(c.primaries)
				if c.kind == slotcast {
					s.refuseReplicas()
				}
			})
			sessions[c.name] = s
		}
	})
	if t.Failed() {
		return
	}
	judge := sessions["redis-server"].said
	for i, step := range sessions["three"].said[:len(judge)] {
		require.Equal(t, judge[i].text, step.text, step.name)
	}
}

// operate is the life of a cluster, from create to the end of its last node.
func (s *session) operate(primaries int) {
	t := s.t
	first, last := s.nodes[0], s.nodes[primaries-1]
	guest := s.nodes[primaries]
	s.create(primaries)

	// The keys that are moved below are used meanwhile: those of the first
	// node's lowest slots, which the tool moves first, and of some others.
	inUse := []int{}
	for i := range 2 * *resharded {
		inUse = append(inUse, i)
	}
	for i := range 60 {
		inUse = append(inUse, 2**resharded+i*(slots-2**resharded)/60)
	}
	load := startLoad(t, last, inUse)

	s.add("add-node", guest, first)
	// A weight keeps the number of moves small.
	s.run("rebalance", 0, "rebalance", first.addr, "--cluster-use-empty-masters", "--cluster-weight", guest.id+"=0.01")
	s.formOnly() // which of several equal nodes gives what depends on their ids
	s.agree()
	require.InDelta(t, slots*0.01/(float64(primaries)+0.01), owned(s.nodes)[primaries], 3)
	s.reshard("reshard", first, guest, *resharded)
	s.formOnly()
	s.agree()
	s.halfMove(last, first, inUse[len(inUse)-1], load)
	load.stop()

	s.run("give back", 0, "reshard", first.addr, "--cluster-from", guest.id, "--cluster-to", first.id,
		"--cluster-slots", strconv.Itoa(owned(s.nodes)[primaries]-5), "--cluster-yes")
	s.formOnly()
	s.agree()
	s.run("check", 0, "check", first.addr)
	s.formOnly()
	s.run("call", 0, "call", first.addr, "CONFIG", "GET", "cluster-node-timeout")
	s.run("no such command", 0, "call", first.addr, "NONSENSE")

	s.fixOpenSlots(first, last, inUse[len(inUse)-2])
	s.fixUncovered(first, last)
	s.importKeys(first)
	s.run("info", 0, "info", first.addr)
	s.formOnly()

	s.remove("del-node", guest, first)
	until(t, "the guest to be alone", func() string {
		if lines := strings.Count(guest.text("CLUSTER", "NODES"), "\n"); lines != 1 {
			return fmt.Sprintf("it knows %d nodes", lines)
		}
		return ""
	})
	s.run("check at the end", 0, "check", first.addr)
	s.formOnly()
}

// beginMove opens a slot at both ends and moves one of the two keys that the
// load uses.
func (s *session) beginMove(from, to *node, slot int) (moved string) {
	t, n := s.t, strconv.Itoa(slot)
	t.Helper()
	moved = "{" + tagIn(slot) + "}a"
	to.ok("CLUSTER", "SETSLOT", n, "IMPORTING", from.id)
	from.ok("CLUSTER", "SETSLOT", n, "MIGRATING", to.id)
	from.ok("MIGRATE", "127.0.0.1", strconv.Itoa(to.port), "", "0", "5000", "KEYS", moved)
	return moved
}

// halfMove leaves a slot in between while it is in use, and then moves the rest.
func (s *session) halfMove(from, to *node, slot int, load *load) {
	t := s.t
	moved := s.beginMove(from, to, slot)
	require.Equal(t, errorReply(fmt.Sprintf("ASK %d %s", slot, to.addr)), from.do("GET", moved))
	require.Equal(t, errorReply(fmt.Sprintf("MOVED %d %s", slot, from.addr)), to.do("GET", moved))
	load.meetsHalfMoved()
	command := []string{"MIGRATE", "127.0.0.1", strconv.Itoa(to.port), "", "0", "5000", "KEYS"}
	for _, key := range from.do("CLUSTER", "GETKEYSINSLOT", strconv.Itoa(slot), "100").([]any) {
		command = append(command, key.(string))
	}
	from.ok(command...)
	for _, n := range []*node{to, from} {
		n.ok("CLUSTER", "SETSLOT", strconv.Itoa(slot), "NODE", to.id)
	}
	s.agree()
}

// fixOpenSlots leaves a slot half moved, as an interrupted reshard does, and
// another one open at one end.
func (s *session) fixOpenSlots(to, from *node, slot int) {
	t, n := s.t, strconv.Itoa(slot)
	keys := from.do("CLUSTER", "COUNTKEYSINSLOT", n)
	s.beginMove(from, to, slot)
	s.run("fix a half moved slot", 0, "fix", to.addr)
	s.agree()
	// The tool gives it to the one that holds most of the keys.
	owner, other := to, from
	if strings.HasPrefix(slotsOf(to)[slot], "{"+from.addr+" ") {
		owner, other = from, to
	}
	require.Equal(t, keys, owner.do("CLUSTER", "COUNTKEYSINSLOT", n))
	require.Equal(t, 0, other.do("CLUSTER", "COUNTKEYSINSLOT", n))

	n = strconv.Itoa(slot + 1)
	from.ok("CLUSTER", "SETSLOT", n, "MIGRATING", to.id)
	s.run("fix a migrating slot", 0, "fix", to.addr)
	to.ok("CLUSTER", "SETSLOT", n, "IMPORTING", from.id)
	s.run("fix an importing slot", 0, "fix", to.addr)
	s.run("nothing to fix", 0, "fix", to.addr)
	s.agree()
}

// fixUncovered makes all nodes forget who owns two slots: one with keys, which
// has to go to the node that holds them, and one without.
func (s *session) fixUncovered(first, last *node) {
	t := s.t
	start, _ := share(1, len(s.members)-1)
	withKeys := slots - 1
	require.Equal(t, "OK", s.anywhere(last, "SET", "{"+tagIn(withKeys)+"}kept", "yes"))
	for _, slot := range []int{withKeys, start + 500} {
		until(t, "the slot to be nobody's", func() (amiss string) {
			for _, n := range s.members {
				n.do("CLUSTER", "DELSLOTS", strconv.Itoa(slot))
			}
			for _, n := range s.members {
				if slotsOf(n)[slot] != "" {
					amiss += n.addr + " still knows its owner\n"
				}
			}
			return amiss
		})
		s.run("fix an uncovered slot", 0, "fix", first.addr)
		if slot != withKeys {
			s.formOnly() // any node may be chosen
		}
		s.agree()
	}
	require.Contains(t, slotsOf(first)[withKeys], last.addr)
	require.Equal(t, "yes", last.do("GET", "{"+tagIn(withKeys)+"}kept"))
}

// anywhere gives a command to a node, or to the one that it names instead.
func (s *session) anywhere(n *node, words ...string) any {
	s.t.Helper()
	reply := n.do(words...)
	if fault, is := reply.(errorReply); is && strings.HasPrefix(string(fault), "MOVED ") {
		for _, other := range s.nodes {
			if other.addr == strings.Fields(string(fault))[2] {
				return other.do(words...)
			}
		}
	}
	return reply
}

// importKeys takes in the keys of a redis-server that is in no cluster, as a
// copy and then for good.
func (s *session) importKeys(into *node) {
	t := s.t
	alone := redistest.Start(t)
	c, err := dial(alone.Addr)
	require.NoError(t, err)
	defer c.close()
	for i := range 40 {
		reply, err := c.do("SET", fmt.Sprintf("imported:%d", i), strings.Repeat("v", i*i), "EX", "10000")
		require.NoError(t, err)
		require.Equal(t, "OK", reply)
	}
	s.run("import a copy", 0, "import", into.addr, "--cluster-from", alone.Addr, "--cluster-copy")
	s.formOnly() // it names the port
	reply, err := c.do("DBSIZE")
	require.NoError(t, err)
	require.Equal(t, 40, reply)
	s.run("import over it", 0, "import", into.addr, "--cluster-from", alone.Addr, "--cluster-replace")
	s.formOnly()
	reply, err = c.do("DBSIZE")
	require.NoError(t, err)
	require.Equal(t, 0, reply)
	for i := range 40 {
		key := fmt.Sprintf("imported:%d", i)
		require.Equal(t, strings.Repeat("v", i*i), s.anywhere(into, "GET", key))
		require.InDelta(t, 10000, s.anywhere(into, "TTL", key), 200)
	}
}

// refuseReplicas shows what slotcast has not: replicas of its own.
func (s *session) refuseReplicas() {
	t := s.t
	late := launch(t, slotcast, nodeTimeout...)
	first := s.nodes[0]
	out := s.run("add-node as a replica", 1, "add-node", late.addr, first.addr, "--cluster-slave", "--cluster-master-id", first.id)
	require.Contains(t, out, "slotcast has no replication")
	for _, line := range agree(t, append([]*node{late}, s.members...)) {
		require.NotContains(t, line, "slave")
	}
}
