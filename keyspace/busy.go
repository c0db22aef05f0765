package keyspace

// A key is busy while its value is on its way to another node. Whoever sends it
// holds no lock meanwhile, so the mark stands in for one: until it is taken back
// nobody may run a command on the key, and neither readers nor the sweep expire
// it. Walks and counts see it as any other key. It is Slot's users who heed the
// mark; should a write come all the same, the version tells.
//
// A slot that is dropped and a flush do not ask: the key goes with its mark, and
// one that is made in its place has none.

// MarkBusy marks a key. Who marks it asks Busy first, in the same hold of the
// lock, and takes the mark back with Release.
func (s *Slot) MarkBusy(e *Entry) {
	e.busy = true
	s.table.busy++
	s.unqueue(e) // the sweep looks at the earliest key alone, and must not find this one
}

// Release takes the mark of MarkBusy back and returns the key. It returns nil,
// and does nothing, if the key is no longer what it was at that version.
func (s *Slot) Release(key []byte, version uint64) *Entry {
	e := s.find(key)
	if e == nil || e.version != version {
		return nil
	}
	if e.busy {
		e.busy = false
		s.table.busy--
		if e.expireAt != 0 {
			s.enqueue(e)
		}
	}
	return e
}

// Busy tells whether the key is there and busy.
func (s *Slot) Busy(key []byte) bool {
	if !s.AnyBusy() {
		return false
	}
	e := s.find(key)
	return e != nil && e.busy
}

// AnyBusy tells whether any key of the slot is.
func (s *Slot) AnyBusy() bool { return s.table != nil && s.table.busy > 0 }

// mayExpire tells whether a key past its expiry time is to be deleted by those
// who come across it.
func (s *Slot) mayExpire(e *Entry) bool { return !e.busy && !s.ks.keepExpired.Load() }
