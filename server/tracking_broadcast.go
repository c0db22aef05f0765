package server

import (
	"sync"
	"sync/atomic"

	"slotcast/tracking"
)

// change is a key that changed and whom not to tell if it does not want to hear
// of its own changes.
type change = tracking.Change[*tracker]

// unsigned are changes that belong to no command of a single connection: keys
// that the server has deleted since their time had come, slots that went.
type unsigned struct {
	waiting atomic.Int64 // those not yet told to everybody
	mu      sync.Mutex   // guards changes
	changes []change
}

// note keeps a change until broadcast. What a command or a transaction changes
// stays with its connection, whatever others tell meanwhile: it is told in one
// message. by is the connection at work on the slot, which is locked, or nil.
func (cs *caches) note(by *conn, key string, expired bool) {
	if !cs.prefixes.Matches(key) {
		return
	}
	if by == nil {
		u := &cs.unsigned
		u.mu.Lock()
		defer u.mu.Unlock()
		u.changes = append(u.changes, change{Key: key})
		u.waiting.Add(1)
		return
	}
	c := change{Key: key}
	if !expired { // that is nobody's doing
		c.By = by.tracker.Load()
	}
	by.work.changed = append(by.work.changed, c)
}

// broadcast tells the listeners of prefixes what the commands of a connection, or
// nil, have changed, and what nobody signs. It is called before the replies of
// those commands leave, so that whoever has read such a reply knows that the
// listeners are told.
func (cs *caches) broadcast(c *conn) {
	signed := c != nil && c.work != nil && len(c.work.changed) > 0
	if !signed && cs.unsigned.waiting.Load() == 0 {
		return
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if signed {
		cs.tellListeners(c.work.changed)
		clear(c.work.changed)
		c.work.changed = c.work.changed[:0]
		if cap(c.work.changed) > keptArgs {
			c.work.changed = nil
		}
	}
	u := &cs.unsigned
	u.mu.Lock()
	changes := u.changes
	u.changes = nil
	u.mu.Unlock()
	if len(changes) > 0 {
		cs.tellListeners(changes)
		// Whoever finds them waiting until now has to wait as well.
		u.waiting.Add(-int64(len(changes)))
	}
}

// tellListeners sends a message for each prefix; mu is held.
func (cs *caches) tellListeners(changes []change) {
	cs.prefixes.Tell(changes, func(changes []change, listeners map[*tracker]struct{}) {
		message := &invalidation{keys: make([]string, len(changes))}
		for i, c := range changes {
			message.keys[i] = c.Key
		}
		for tr := range listeners {
			m := tr.mode.Load()
			if !m.noLoop {
				cs.tell(tr, m, message)
				continue
			}
			others := &invalidation{}
			for _, c := range changes {
				if c.By != tr {
					others.keys = append(others.keys, c.Key)
				}
			}
			if len(others.keys) > 0 {
				cs.tell(tr, m, others)
			}
		}
	})
}
