package server

import (
	"math/rand/v2"

	"slotcast/keyspace"
)

// trimBudget is how many keys more than it has added a connection takes from a
// table above its limit: after CONFIG SET has lowered that, the rest is left to
// cron.
const trimBudget = 100

// trim takes keys from the table until it is within tracking-table-max-keys, and
// tells their readers as if the keys had changed: they will not hear of them any
// more. It takes one slot's lock at a time, and no more than budget keys.
func (cs *caches) trim(budget int) {
	for ; budget > 0 && cs.full(); budget-- {
		slot, ok := cs.table.Filled(rand.IntN(keyspace.SlotCount))
		if !ok {
			if slot, ok = cs.table.Filled(0); !ok {
				return
			}
		}
		cs.trimSlot(slot)
	}
}

func (cs *caches) trimSlot(n uint16) {
	slot := cs.server.keys.Slot(n)
	slot.Lock()
	defer slot.Unlock()
	if key, ok := cs.table.Any(n); ok {
		cs.invalidate(n, key, nil)
	}
}

// full reports a table above its limit.
func (cs *caches) full() bool {
	limit := cs.server.config.Values().TrackingTableMax
	return limit > 0 && cs.table.Keys() > limit
}

// sweep is how far cron has come with taking readers from the table that have
// gone. It begins a whole round anew whenever another one has.
type sweep struct {
	departed int64
	at, left int // the slot that is next, and how many there are to go
}

// What cron does for the table in one round: about a millisecond's work.
const (
	sweepBudget    = 1 << 13 // keys looked at
	sweepSlotLimit = 1 << 12 // of one slot, in one hold of its lock
	cronTrimBudget = 1 << 12
)

// tick trims the table, and takes from it readers whose connections have ended.
// In a slot with more keys than it looks at it finds some of these; the rest is
// found by another sweep, or goes when the key changes or is trimmed.
func (cs *caches) tick() {
	if !cs.awake.Load() {
		return
	}
	cs.trim(cronTrimBudget)
	sw := &cs.sweep
	if n := cs.departed.Load(); n != sw.departed {
		sw.departed, sw.left = n, keyspace.SlotCount
	}
	for budget := sweepBudget; budget > 0 && sw.left > 0; {
		slot, ok := cs.table.Filled(sw.at)
		next := keyspace.SlotCount
		if ok {
			budget -= cs.sweepSlot(slot)
			next = int(slot) + 1
		}
		sw.left -= next - sw.at
		sw.at = next % keyspace.SlotCount
	}
	cs.sleep()
}

func (cs *caches) sweepSlot(n uint16) (looked int) {
	slot := cs.server.keys.Slot(n)
	slot.Lock()
	defer slot.Unlock()
	return cs.table.Sweep(n, sweepSlotLimit, func(tr *tracker) bool { return tr.conn.Load() == nil })
}

// sleep spares reads and writes the look at the table when there is nobody to
// tell. Only those who track fill it.
func (cs *caches) sleep() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if len(cs.members) == 0 && cs.table.Keys() == 0 {
		cs.awake.Store(false)
	}
}
