package server

import (
	"slices"

	"slotcast/clusterstate"
	"slotcast/keyspace"
	"slotcast/tracking"
)

// losses are keys that readers will not hear of any more, by reader.
type losses map[*tracker][]string

func (l losses) add(taken map[string]*tracking.Readers[*tracker]) {
	for key, readers := range taken {
		for tr := range readers.All {
			l[tr] = append(l[tr], key)
		}
	}
}

// tellLosses tells each reader of all its keys in one message. NOLOOP does not
// matter: who gave a slot away has not changed the keys in it.
func (cs *caches) tellLosses(l losses) {
	for tr, keys := range l {
		if m := tr.mode.Load(); m != nil && !m.broadcast {
			slices.Sort(keys)
			cs.tell(tr, m, &invalidation{keys: keys})
		}
	}
}

// viewChanged invalidates what was read in slots that are no longer served
// here: what happens to their keys, other nodes know. It also invalidates what
// was not found in a slot that now migrates, since such a key may come to be on
// the node it migrates to. The locks of the slots, and the commit lock, are held.
func (cs *caches) viewChanged(old, next *clusterstate.View, slots []uint16, all bool) {
	if !cs.awake.Load() {
		return
	}
	gone := make(losses)
	look := func(n uint16) {
		switch {
		case serves(old, n) && !serves(next, n):
			gone.add(cs.table.TakeSlot(n))
		case old.Migrating(n) == nil && next.Migrating(n) != nil:
			now := cs.server.clock.unixMilli(cs.server.clock.now())
			slot := cs.server.keys.Slot(n)
			gone.add(cs.table.TakeFrom(n, func(key string) bool {
				return slot.Lookup([]byte(key), now, keyspace.Peek) == nil
			}))
		}
	}
	if all {
		for n, ok := cs.table.Filled(0); ok; n, ok = cs.table.Filled(int(n) + 1) {
			look(n)
		}
	} else {
		for _, n := range slots {
			look(n)
		}
	}
	cs.tellLosses(gone)
}

// serves reports whether keys of the slot may be read on this node.
func serves(v *clusterstate.View, slot uint16) bool {
	return v.Owner(slot) == v.Myself() || v.Importing(slot) != nil
}

// dropped tells of the keys of a slot that are about to go with it.
func (cs *caches) dropped(slot uint16) {
	if cs.prefixes.Count() > 0 {
		cs.server.keys.Slot(slot).Walk(func(e *keyspace.Entry) bool {
			cs.note(nil, e.Key(), false)
			return true
		})
	}
	gone := make(losses)
	gone.add(cs.table.TakeSlot(slot))
	cs.tellLosses(gone)
}
