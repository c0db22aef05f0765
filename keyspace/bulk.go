package keyspace

// Drop deletes every key of the slot, for a slot that this node has lost, and
// returns how many there were. It is one effect without a key, in constant
// time: watchers are touched, no notification is raised. The hook runs before
// the keys go, see Walk.
func (s *Slot) Drop() int {
	n := s.Len()
	if n == 0 {
		return 0
	}
	s.version++
	s.touchAllWatched()
	if s.ks.hook != nil {
		s.ks.hook(s.number, Effect{Change: Dropped, Version: s.version})
	}
	s.discard()
	return n
}

// FlushAll deletes all keys. The caller holds every slot's lock. It is one
// effect, whatever the number of slots; c says how it is propagated.
func (ks *Keyspace) FlushAll(c Cause) {
	for n, ok := ks.NextSlot(0); ok; n, ok = ks.NextSlot(int(n) + 1) {
		ks.slots[n].version++
		ks.slots[n].touchAllWatched()
	}
	if ks.hook != nil {
		ks.hook(0, Effect{Change: Flushed, Cause: c})
	}
	for n, ok := ks.NextSlot(0); ok; n, ok = ks.NextSlot(int(n) + 1) {
		ks.slots[n].discard()
	}
}

// discard lets the table go, and takes what it held out of the counters. The
// garbage collector frees it, outside of any lock.
func (s *Slot) discard() {
	t := s.table
	s.group.keys.Add(-int64(t.length))
	s.group.bytes.Add(-t.bytes)
	s.group.expiring.Add(-int64(t.queue.length))
	s.group.expirySum.Add(-t.expirySum)
	s.clear()
	s.noteNextExpiry()
}

// Walk visits the keys of the slot, expired or not, in the order of their hashes,
// until visit returns false. visit must not change any key. It does not stop to
// let others in; Scan does.
func (s *Slot) Walk(visit func(*Entry) bool) {
	if s.table == nil {
		return
	}
	for hash := uint64(0); ; {
		chain, last := s.table.region(hash)
		for e := chain; e != nil; e = e.next {
			if e.hash >= hash && !visit(e) {
				return
			}
		}
		if hash = last + 1; hash == 0 {
			return
		}
	}
}
