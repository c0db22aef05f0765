package server

import (
	"sync"
	"time"

	"slotcast/gossip"
	"slotcast/keyspace"
)

// busyWaits are the connections whose command has found a key on its way to
// another node. They wait in goroutines of their own, holding no lock and no
// bracket, until MIGRATE is done with a key of that slot or the slot's keys are
// gone, and then begin anew: what to do is decided by the view of that moment.
type busyWaits struct {
	mu      sync.Mutex // guards waiting
	waiting map[*conn]uint16
}

// join announces that a connection is going to wait for keys of a slot. The
// slot's lock is held, so that whoever frees a key later finds it here.
func (b *busyWaits) join(c *conn, slot *keyspace.Slot) {
	c.arm(waitsForKey)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(map[*conn]uint16)
	}
	b.waiting[c] = slot.Number()
}

// wait returns when the command of a connection that has joined is to begin
// anew, and false when the connection is to end instead.
func (b *busyWaits) wait(c *conn) bool {
	out := c.await(time.Time{})
	b.leave(c)
	return out != outcomeEnd
}

// leave takes back what join announced.
func (b *busyWaits) leave(c *conn) {
	b.mu.Lock()
	delete(b.waiting, c)
	b.mu.Unlock()
	c.disarm()
}

// wake makes those who wait at a slot look again once its lock, which is held,
// is given back.
func (b *busyWaits) wake(slot uint16) { b.wakeAll(func(n uint16) bool { return n == slot }) }

func (b *busyWaits) wakeAll(at func(slot uint16) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c, n := range b.waiting {
		if at(n) {
			c.release(waitsForKey, outcomeAgain)
		}
	}
}

// gone tells the waiting that all keys of a slot, or of all slots, go whether
// they are busy or not.
func (b *busyWaits) gone(slot uint16, change keyspace.Change) {
	switch change {
	case keyspace.Dropped:
		b.wake(slot)
	case keyspace.Flushed:
		b.wakeAll(func(uint16) bool { return true })
	}
}

// mustWait reports that a command finds a busy key in its slot, which is
// locked, and has joined those who wait. Channels only hash like keys.
func (s *Server) mustWait(c *conn, cmd *command, args [][]byte, slot *keyspace.Slot) bool {
	if slot == nil || !slot.AnyBusy() || cmd.flags&pubsub != 0 {
		return false
	}
	for i := range cmd.keyIndexes(args) {
		if slot.Busy(args[i]) {
			s.busy.join(c, slot)
			return true
		}
	}
	return false
}

// queueMustWait is mustWait for what an EXEC is about to run, with the slots of
// all of it locked.
func (s *Server) queueMustWait(c *conn) bool {
	if !c.inMulti() || c.tx.aborted {
		return false
	}
	for _, q := range c.tx.queue {
		if n, keyed := q.cmd.slot(q.args); keyed && s.mustWait(c, q.cmd, q.args, s.keys.Slot(n)) {
			return true
		}
		if n, gives := givesSlot(q.cmd, q.args); gives && s.slotMustWait(c, s.keys.Slot(n)) {
			return true
		}
	}
	return false
}

// slotMustWait is mustWait for SETSLOT NODE, which wants no key of its slot on
// its way: whether the slot may be given away depends on the keys in it.
func (s *Server) slotMustWait(c *conn, slot *keyspace.Slot) bool {
	if slot.AnyBusy() {
		s.busy.join(c, slot)
		return true
	}
	return false
}

// giverMustWait is slotMustWait before the owner is asked. A key that becomes
// busy thereafter is one of those that SETSLOT NODE counts.
func (s *Server) giverMustWait(cl *call) bool {
	n, gives := givesSlot(cl.cmd, cl.args)
	if !gives {
		return false
	}
	slot := s.keys.Slot(n)
	slot.Lock()
	defer slot.Unlock()
	return s.slotMustWait(cl.conn, slot)
}

// givesSlot returns the slot of a SETSLOT NODE.
func givesSlot(cmd *command, args [][]byte) (slot uint16, gives bool) {
	if cmd.flags&setsSlot == 0 {
		return 0, false
	}
	in := gossip.ParseSetSlot(args[2:])
	return in.Slot, in.Invalid == nil && in.Action == gossip.SlotNode
}

// unlocked runs f while the command waits for somebody who may take long: with
// its slot unlocked, its bracket closed, and earlier replies sent. When it
// returns, f's caller holds them again, and must look anew at whatever it knew
// of the slot.
func (cl *call) unlocked(f func()) {
	s := cl.server
	if cl.acts {
		s.caches.act(cl.slot.Number(), nil)
	}
	cl.slot.Unlock()
	defer func() { // also when f panics: withSlot gives both back
		cl.slot.Lock()
		if cl.acts {
			s.caches.act(cl.slot.Number(), cl.conn)
		}
		s.enter(cl)
	}()
	cl.letGo()
	f()
}
