package server

import (
	"sync"
	"sync/atomic"

	"slotcast/keyspace"
	"slotcast/tracking"
)

// caches are what clients have in caches of their own, as far as CLIENT
// TRACKING lets the server know, and how they are told that it has changed.
//
// The table and the actors are guarded by the slots' locks: they are touched
// where keys are read and changed. mu is taken under those, and under the
// commit lock, in the place of a registry shard's; outboxes come after it.
type caches struct {
	server *Server
	// awake is false while nobody tracks and nothing is tracked: then neither
	// reads nor writes look further.
	awake   atomic.Bool
	clients atomic.Int64 // connections that track
	table   tracking.Table[*tracker]
	// actors are who runs a command on each slot, nil when the server itself is at
	// work, or a command that goes through many slots. What all slots lose at once
	// has its actor at slot 0.
	actors   [keyspace.SlotCount]*conn
	prefixes tracking.Prefixes[*tracker]
	unsigned unsigned

	// mu guards members and the listeners of prefixes, and orders broadcasts.
	mu      sync.Mutex
	members map[*tracker]struct{} // those with tracking on

	// departed counts the trackers whose connections have ended.
	departed atomic.Int64
	sweep    sweep
}

// tracker is a connection in the role of one who tracks. It stays in the table
// when the connection has turned tracking off, since Redis goes on where it
// stopped when tracking is turned on again.
type tracker struct {
	conn atomic.Pointer[conn] // nil once the connection has ended
	mode atomic.Pointer[trackingMode]
}

// trackingMode is how a connection tracks. Only broken ever changes.
type trackingMode struct {
	broadcast, optIn, optOut, noLoop bool
	redirect                         int64    // the connection that is told instead, or zero
	prefixes                         []string // ascending
	// broken is set when the connection that was to be told is not there.
	broken atomic.Bool
}

// tracking returns the connection's mode, nil if it does not track. Any
// goroutine may ask.
func (c *conn) tracking() *trackingMode {
	if tr := c.tracker.Load(); tr != nil {
		return tr.mode.Load()
	}
	return nil
}

// hearsOfKeys reports whether invalidations can reach the connection.
func (c *conn) hearsOfKeys() bool { return c.tracking() != nil || c.redirects.Load() > 0 }

// enable turns tracking on, or changes it.
func (cs *caches) enable(c *conn, m *trackingMode) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	tr := c.tracker.Load()
	if tr == nil {
		tr = &tracker{}
		tr.conn.Store(c)
		c.tracker.Store(tr)
	}
	old := tr.mode.Load()
	if old != nil {
		cs.redirects(old.redirect, -1)
	} else {
		if cs.members == nil {
			cs.members = make(map[*tracker]struct{})
		}
		cs.members[tr] = struct{}{}
		cs.clients.Store(int64(len(cs.members)))
		cs.awake.Store(true)
	}
	cs.redirects(m.redirect, 1)
	for _, name := range m.prefixes {
		cs.prefixes.Join(name, tr)
	}
	tr.mode.Store(m)
}

// disable turns tracking off.
func (cs *caches) disable(c *conn) {
	tr := c.tracker.Load()
	if tr == nil || tr.mode.Load() == nil {
		return
	}
	c.caching = false
	cs.mu.Lock()
	defer cs.mu.Unlock()
	m := tr.mode.Swap(nil)
	for _, name := range m.prefixes {
		cs.prefixes.Leave(name, tr)
	}
	cs.redirects(m.redirect, -1)
	delete(cs.members, tr)
	cs.clients.Store(int64(len(cs.members)))
}

// redirects tells the connection with an id how many more are redirected to it.
func (cs *caches) redirects(id int64, more int32) {
	if id == 0 {
		return
	}
	if c := cs.server.conns.find(id); c != nil {
		c.redirects.Add(more)
	}
}

// leave is the end of a connection. What it has read is taken from the table
// in cron's time.
func (cs *caches) leave(c *conn) {
	if tr := c.tracker.Load(); tr != nil {
		cs.disable(c)
		tr.conn.Store(nil)
		cs.departed.Add(1)
	}
}

// run runs the handler of a command while somebody tracks: it lets it be known
// who changes keys, and files what was read. The locks of the keys are held.
func (cs *caches) run(cl *call) {
	switch {
	case cl.slot != nil:
		cl.acts = true
		cs.act(cl.slot.Number(), cl.conn)
		defer cs.act(cl.slot.Number(), nil)
	case cl.cmd.flags&allSlots != 0:
		cs.act(0, cl.conn)
		defer cs.act(0, nil)
	}
	cl.cmd.handler(cl)
	if tr := cl.conn.tracker.Load(); tr != nil && cl.slot != nil && cl.cmd.flags&(readonly|pubsub) == readonly {
		cs.remember(cl, tr)
	}
}

// act notes who is at work on a slot, which is locked.
func (cs *caches) act(slot uint16, c *conn) { cs.actors[slot] = c }

// remember files the keys that a command has named, whatever it answered.
func (cs *caches) remember(cl *call, tr *tracker) {
	m := tr.mode.Load()
	if m == nil || m.broadcast || m.optIn && !cl.conn.caching || m.optOut && cl.conn.caching {
		return
	}
	for i := range cl.cmd.keyIndexes(cl.args) {
		cs.table.Add(cl.slot.Number(), cl.args[i], tr)
		cl.conn.work.filed++
	}
}

// changed is told of every effect on keys, under the lock of the slot.
func (cs *caches) changed(slot uint16, e keyspace.Effect) {
	if !cs.awake.Load() {
		return
	}
	by := cs.actors[slot]
	switch e.Change {
	case keyspace.Notified:
	case keyspace.Flushed:
		cs.flushed()
	case keyspace.Dropped:
		cs.dropped(slot)
	default:
		cs.note(by, e.Key, e.Change == keyspace.Expired)
		cs.invalidate(slot, e.Key, by)
	}
}

// invalidate tells all who have read a key, but for the one who changed it
// himself and does not want to hear of that.
func (cs *caches) invalidate(slot uint16, key string, by *conn) {
	readers := cs.table.Take(slot, key)
	if readers == nil {
		return
	}
	var actor *tracker
	if by != nil {
		actor = by.tracker.Load()
	}
	message := &invalidation{keys: []string{key}}
	for tr := range readers.All {
		m := tr.mode.Load()
		if m == nil || m.broadcast || m.noLoop && tr == actor {
			continue
		}
		cs.tell(tr, m, message)
	}
}

// invalidateAhead tells of a key before its own effect does, for a command whose
// effects come in another order than Redis tells of its keys.
func (cs *caches) invalidateAhead(slot uint16, key string) {
	if cs.awake.Load() {
		cs.invalidate(slot, key, cs.actors[slot])
	}
}

// flushed tells everybody who tracks that no key is what it was.
func (cs *caches) flushed() {
	cs.table.Clear()
	cs.mu.Lock()
	defer cs.mu.Unlock()
	message := &invalidation{all: true}
	for tr := range cs.members {
		cs.tell(tr, tr.mode.Load(), message)
	}
}
