package server

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"slotcast/channels"
	"slotcast/clusterstate"
	"slotcast/keyspace"
)

// topology is the one place where a view becomes valid and where a change of
// it is told. Only the owner commits.
type topology struct {
	server *Server
	// view is the current one. Whoever must not be overtaken by a change of a
	// slot's redirection loads it with that slot locked.
	view atomic.Pointer[clusterstate.View]
	// rendered is the published view: the current one but for replica lists
	// that are held back.
	rendered atomic.Pointer[rendered]

	// mu is the commit lock. It guards publisher, and is held while rows are
	// queued, so that a subscription and its snapshot fall between two changes.
	mu        sync.Mutex
	publisher *clusterstate.Publisher
}

func newTopology(s *Server, v *clusterstate.View) *topology {
	t := &topology{server: s, publisher: clusterstate.NewPublisher(v)}
	t.view.Store(v)
	t.rendered.Store(render(v, t.publisher.Version(), nil))
	return t
}

func (t *topology) current() *clusterstate.View { return t.view.Load() }
func (t *topology) published() *rendered        { return t.rendered.Load() }

// slotLocks says which slot locks a committer already holds.
type slotLocks struct {
	all  bool
	slot int // the one held, -1 for none
}

var noSlotLocks = slotLocks{slot: -1}

func (l slotLocks) cover(slot uint16) bool { return l.all || l.slot == int(slot) }

// commit makes next the current view and queues the rows of what changed. It
// takes the locks of the slots whose redirection changes, as far as the caller
// does not hold them; a caller that holds one lock has seen to it that no other
// is needed. quiet is for RESET, whose listeners are closed instead of being
// told of 16384 unassigned slots. moved are told after the rows. It returns when it wants hold back to be
// looked at again, zero for never.
func (t *topology) commit(now time.Duration, next *clusterstate.View, held slotLocks, quiet bool, moved []telling) (wake time.Duration) {
	old := t.current()
	slots, all := clusterstate.RedirectDiff(old, next)
	switch {
	case held.all:
	case all:
		t.server.keys.LockAll()
		defer t.server.keys.UnlockAll()
	default:
		t.eachSlot(slots, held, (*keyspace.Slot).Lock)
		defer t.eachSlot(slots, held, (*keyspace.Slot).Unlock)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.view.Store(next)
	wake = t.publish(t.publisher.Offer(now, next), quiet)
	t.tellMoves(moved)
	lost := func(slot uint16) bool {
		return old.Owner(slot) == old.Myself() && next.Owner(slot) != next.Myself()
	}
	if all || slices.ContainsFunc(slots, lost) {
		t.server.dropShardChannels(lost) // which looks at every shard channel
	}
	t.server.caches.viewChanged(old, next, slots, all)
	return wake
}

// eachSlot locks or unlocks slots, but for those that the committer held before.
func (t *topology) eachSlot(slots []uint16, held slotLocks, do func(*keyspace.Slot)) {
	for _, n := range slots {
		if !held.cover(n) {
			do(t.server.keys.Slot(n))
		}
	}
}

// release publishes what was held back long enough.
func (t *topology) release(now time.Duration) (wake time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.publish(t.publisher.Tick(now), false)
}

// publish is called with mu held.
func (t *topology) publish(p clusterstate.Publication, quiet bool) (wake time.Duration) {
	if p.View != nil {
		old := t.published()
		t.rendered.Store(render(p.View, t.publisher.Version(), old))
		if !quiet && t.server.family.any() {
			t.push(newViewChange(old.view, p.View))
		}
	}
	if p.Wake {
		return p.WakeAt
	}
	return 0
}

// push queues a change on every channel of the family that tells changes.
func (t *topology) push(ch *viewChange) {
	batch := func(channel, pattern string) *rowsBatch {
		return &rowsBatch{viewChange: ch, channel: channel, pattern: pattern, pushed: &t.server.family.rows}
	}
	for _, channel := range []string{channels.Slots, channels.SlotsRow, channels.SlotsJSON, channels.SlotsMoved} {
		t.server.channels.PublishBatch(channel, batch(channel, ""), func(pattern string) channels.Batch {
			return batch(channel, pattern)
		})
	}
	bare := batch("", "")
	bare.bare = true
	t.server.family.pushBare(bare)
}
