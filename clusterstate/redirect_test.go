package clusterstate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// held is a Presence with fixed counts.
type held struct {
	existing, missing int
	distinct          bool
}

func (h *held) CountKeys() (int, int, bool) { return h.existing, h.missing, h.distinct }

// asked fails the test if keys are counted.
type asked struct{ t *testing.T }

func (a asked) CountKeys() (int, int, bool) {
	a.t.Error("keys were counted for a slot that is not open")
	return 0, 0, false
}

func TestDecide(t *testing.T) {
	const mine, theirs, nobodys, migrating, importing = 1, 10000, 2, 3, 16000
	base := edited(evenly(3), func(e *Editor) {
		e.SetOwner(nobodys, "")
		e.SetMigrating(migrating, testID(1))
		e.SetImporting(importing, testID(2))
		e.SetMigrating(theirs, testID(2)) // outlived the ownership: no effect
	})
	down := edited(base, func(e *Editor) { e.SetClusterOK(false) })
	reads := edited(down, func(e *Editor) { e.SetSettings(Settings{AllowReadsWhenDown: true}) })
	shards := edited(down, func(e *Editor) { e.SetSettings(Settings{AllowPubSubShardWhenDown: true}) })
	replica := edited(base, func(e *Editor) { e.SetNode(testReplica(0, 1)) })
	all := &held{existing: 2, distinct: true}
	some := &held{existing: 1, missing: 1, distinct: true}
	none := &held{missing: 2, distinct: true}
	noneSame := &held{missing: 2}

	for _, c := range []struct {
		name string
		v    *View
		q    Query
		want string // empty is Serve
	}{
		{"mine", base, Query{Slot: mine, Presence: asked{t}}, ""},
		{"another's", base, Query{Slot: theirs, Presence: asked{t}}, "MOVED 10000 127.0.0.1:7001"},
		{"asking for another's that is not importing", base, Query{Slot: theirs, Asking: true, Presence: asked{t}}, "MOVED 10000 127.0.0.1:7001"},
		{"cross slot", base, Query{Slot: mine, CrossSlot: true}, "CROSSSLOT Keys in request don't hash to the same slot"},
		{"cross slot, the first another's", base, Query{Slot: theirs, CrossSlot: true}, "CROSSSLOT Keys in request don't hash to the same slot"},
		{"cross slot, the first unserved", base, Query{Slot: nobodys, CrossSlot: true}, "CLUSTERDOWN Hash slot not served"},
		{"cross slot, migrating", base, Query{Slot: migrating, CrossSlot: true, Presence: asked{t}}, "CROSSSLOT Keys in request don't hash to the same slot"},
		{"unserved, down", down, Query{Slot: nobodys}, "CLUSTERDOWN Hash slot not served"},
		{"cross slot, down", down, Query{Slot: mine, CrossSlot: true}, "CROSSSLOT Keys in request don't hash to the same slot"},
		{"down", down, Query{Slot: mine}, "CLUSTERDOWN The cluster is down"},
		{"down comes before moved", down, Query{Slot: theirs}, "CLUSTERDOWN The cluster is down"},
		{"down, reads allowed", reads, Query{Slot: mine}, ""},
		{"down, reads allowed, another's", reads, Query{Slot: theirs}, "MOVED 10000 127.0.0.1:7001"},
		{"down, write", reads, Query{Slot: mine, Write: true}, "CLUSTERDOWN The cluster is down and only accepts read commands"},
		{"down, shard pub/sub", reads, Query{Slot: mine, ShardPubSub: true}, "CLUSTERDOWN The cluster is down"},
		{"down, shard pub/sub allowed", shards, Query{Slot: mine, ShardPubSub: true}, ""},
		{"down comes before MIGRATE", down, Query{Slot: migrating, Migrate: true}, "CLUSTERDOWN The cluster is down"},
		{"migrating, all here", base, Query{Slot: migrating, Presence: all}, ""},
		{"migrating, some here", base, Query{Slot: migrating, Presence: some}, "TRYAGAIN Multiple keys request during rehashing of slot"},
		{"migrating, none here", base, Query{Slot: migrating, Presence: none}, "ASK 3 127.0.0.1:7001"},
		{"migrating, none here, asking", base, Query{Slot: migrating, Asking: true, Presence: none}, "ASK 3 127.0.0.1:7001"},
		{"migrating, MIGRATE", base, Query{Slot: migrating, Migrate: true}, ""},
		{"migrating, shard pub/sub", base, Query{Slot: migrating, ShardPubSub: true, Presence: asked{t}}, ""},
		{"importing, not asking", base, Query{Slot: importing, Presence: all}, "MOVED 16000 127.0.0.1:7002"},
		{"importing, asking, all here", base, Query{Slot: importing, Asking: true, Presence: all}, ""},
		{"importing, asking, some here", base, Query{Slot: importing, Asking: true, Presence: some}, "TRYAGAIN Multiple keys request during rehashing of slot"},
		{"importing, asking, none here", base, Query{Slot: importing, Asking: true, Presence: none}, "TRYAGAIN Multiple keys request during rehashing of slot"},
		{"importing, asking, one key twice", base, Query{Slot: importing, Asking: true, Presence: noneSame}, ""},
		{"importing, MIGRATE", base, Query{Slot: importing, Migrate: true}, ""},
		{"importing, shard pub/sub", base, Query{Slot: importing, ShardPubSub: true}, "MOVED 16000 127.0.0.1:7002"},
		{"replica", replica, Query{Slot: theirs}, "MOVED 10000 127.0.0.1:7001"},
		{"replica, readonly", replica, Query{Slot: theirs, ReadOnly: true}, ""},
		{"replica, readonly, write", replica, Query{Slot: theirs, ReadOnly: true, Write: true}, "MOVED 10000 127.0.0.1:7001"},
		{"replica, readonly, not its primary's", replica, Query{Slot: importing + 1, ReadOnly: true}, "MOVED 16001 127.0.0.1:7002"},
		{"replica, shard pub/sub", replica, Query{Slot: theirs, ShardPubSub: true}, ""},
		{"primary, readonly", base, Query{Slot: theirs, ReadOnly: true}, "MOVED 10000 127.0.0.1:7001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, Decide(c.v, c.q).Text(c.v, Variant{}))
		})
	}
}

func TestDecideDoesNotAllocate(t *testing.T) {
	v := edited(evenly(1000), func(e *Editor) { e.SetMigrating(1, testID(5)) })
	all := &held{existing: 1}
	for _, q := range []Query{{Slot: 1, Presence: all}, {Slot: 2, Presence: all}, {Slot: 9000, Presence: all}} {
		require.Zero(t, testing.AllocsPerRun(100, func() { Decide(v, q) }))
	}
}

func BenchmarkDecide(b *testing.B) {
	quiet := evenly(1000)
	open := edited(quiet, func(e *Editor) { e.SetMigrating(1, testID(5)) })
	all := &held{existing: 1}
	for _, c := range []struct {
		name string
		v    *View
		slot uint16
	}{{"serve", quiet, 2}, {"serve, others open", open, 2}, {"open", open, 1}, {"moved", quiet, 9000}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Decide(c.v, Query{Slot: c.slot, Presence: all})
			}
		})
	}
}

func BenchmarkOwner(b *testing.B) {
	v := evenly(1000)
	var slot uint16
	for b.Loop() {
		slot = (slot + 4099) & (Slots - 1)
		if v.Owner(slot) == nil {
			b.Fatal("unassigned")
		}
	}
}
