package clustertest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An observer is a slotcast node without slots in a cluster of other servers,
// with subscribers of every form.
type observer struct {
	*node
	t           *testing.T
	subscribers []*subscriber
	alive       []*node // of the other servers

	// What there was when all settled last: the map, and how many messages
	// each subscriber had.
	last slotMap
	said []int
}

// TestObserver shows what a team gets that adds one slotcast node to its
// cluster, whichever server that is of: whatever happens there, each stream of
// rows, applied to the map it began with, gives the map of the others.
func TestObserver(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, k := range []kind{redis, redis8, valkey9} {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			observe(t, k)
		})
	}
}

func observe(t *testing.T, k kind) {
	k.program(t)
	quick := []string{"--cluster-node-timeout", "2000", "--cluster-allow-replica-migration", "no"}
	kinds := []kind{k, k, k, k, k, k}
	servers := launchAll(t, kinds, quick...)
	o := &observer{t: t, node: launch(t, slotcast, quick...), alive: servers}
	form(t, append(servers, o.node), 3)
	for i, replica := range servers[3:] {
		replicate(replica, servers[i], append(servers, o.node)...)
	}
	for _, f := range pushForms {
		o.subscribers = append(o.subscribers, subscribe(t, o.node, f))
	}
	o.said = make([]int, len(o.subscribers))
	o.settle("the beginning", func(*slotMap) bool { return true })
	a, b, c, replicaOfA, replicaOfB, replicaOfC := servers[0], servers[1], servers[2], servers[3], servers[4], servers[5]

	s := newSession(t, servers)
	s.reshard("reshard", a, b, 20)
	o.tells("a reshard", all)

	require.Equal(t, "OK", replicaOfC.do("CLUSTER", "FAILOVER"))
	o.waitForPrimary(replicaOfC, c)
	o.tells("a failover by hand", all)

	c.ok("CONFIG", "SET", "cluster-announce-hostname", "c.example.com")
	o.tells("a hostname", rowsOnly)
	c.ok("CONFIG", "SET", "cluster-announce-hostname", "")
	o.tells("a hostname taken back", rowsOnly)

	replicaOfB.kill()
	o.without(replicaOfB)
	o.tells("a dead replica", rowsOnly)
	require.NoError(t, replicaOfB.start())
	o.alive = append(o.alive, replicaOfB)
	o.tells("a replica that came back", rowsOnly)

	late := launch(t, k, quick...)
	late.ok("CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(b.port))
	o.alive = append(o.alive, late)
	agree(t, o.everyone())
	replicate(late, b)
	o.tells("a new replica", rowsOnly)
	o.without(late)
	for _, n := range o.everyone() {
		n.ok("CLUSTER", "FORGET", late.id)
	}
	o.tells("a forgotten replica", rowsOnly)

	a.kill()
	o.without(a)
	o.waitForPrimary(replicaOfA, a)
	o.tells("a killed primary", all)
	require.NoError(t, a.start())
	o.alive = append(o.alive, a)
	o.tells("the killed one as a replica", rowsOnly)
	o.without(a)
	for _, n := range o.everyone() {
		n.ok("CLUSTER", "FORGET", a.id)
	}
	o.tells("a forgotten node", rowsOnly)

	// Until its owner's next ping this node knows of none.
	o.ok("CLUSTER", "DELSLOTS", "100")
	o.settle("a slot that was nobody's", func(*slotMap) bool { return o.subscribers[0].count() >= o.said[0]+2 })
	o.comparedOften()
}

// comparedOften checks that rows were held against CLUSTER SLOTS, after each of
// the dozen events above at least once.
func (o *observer) comparedOften() {
	o.t.Helper()
	for _, s := range o.subscribers {
		if s.form.asks() {
			messages, compared := s.counts()
			require.GreaterOrEqual(o.t, compared, 12, s.form.name)
			o.t.Logf("%s: %d rows, %d times as CLUSTER SLOTS says", s.form.name, messages, compared)
		}
	}
}

// audience is which subscribers are told of a change.
type audience bool

const (
	all      audience = true
	rowsOnly audience = false // the channel of MOVED texts tells owners and addresses alone
)

// tells waits until the map is another one, the same for all, and checks that
// the subscribers were told since the last time.
func (o *observer) tells(what string, who audience) {
	o.t.Helper()
	o.settle(what, func(m *slotMap) bool { return m.difference(&o.last) != "" })
	for i, s := range o.subscribers {
		count := s.count()
		if who == all || !s.form.moved {
			require.Greater(o.t, count, o.said[i], "%s: no message for %s", s.form.name, what)
		}
		o.said[i] = count
	}
}

// settle waits until the other servers, the observer and its subscribers have
// one map, and it is as wanted.
func (o *observer) settle(what string, wanted func(*slotMap) bool) {
	o.t.Helper()
	until(o.t, "one map after "+what, func() (amiss string) {
		want := slotsOf(o.alive[0])
		for _, n := range append(o.alive[1:], o.node) {
			if d := slotsOf(n).difference(want); d != "" {
				amiss += n.addr + ": " + d + "\n"
			}
		}
		for _, s := range o.subscribers {
			if d := s.amiss(want); d != "" {
				amiss += d + "\n"
			}
		}
		if amiss == "" && !wanted(want) {
			return "not so yet"
		}
		if amiss == "" {
			o.last = *want
		}
		return amiss
	})
}

// without is how the cluster goes on without a node.
func (o *observer) without(gone *node) {
	o.alive = slices.DeleteFunc(slices.Clone(o.alive), func(n *node) bool { return n == gone })
}

func (o *observer) everyone() []*node { return append(slices.Clone(o.alive), o.node) }

// waitForPrimary waits until everyone knows that one node has the slots of
// another.
func (o *observer) waitForPrimary(successor, old *node) {
	o.t.Helper()
	for _, n := range o.everyone() {
		until(o.t, "the successor to be known", func() string {
			has := false
			for _, shard := range slotsOf(n) {
				if strings.HasPrefix(shard, "{"+old.addr+" ") {
					return n.addr + " knows the old one"
				}
				has = has || strings.HasPrefix(shard, "{"+successor.addr+" ")
			}
			if !has {
				return n.addr + " does not know it"
			}
			return ""
		})
	}
}
