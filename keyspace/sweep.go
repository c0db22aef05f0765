package keyspace

// sweepBatch is how many keys are deleted in one hold of a slot's lock: some
// twenty microseconds, which a client on that slot does not notice.
const sweepBatch = 64

// ExpireDue deletes keys that are past their expiry time, at most budget of
// them, taking one slot's lock at a time. It returns how many it deleted and
// when the next key will be due: now if the budget was too small for all, and a
// time in the far future if no key expires. One goroutine calls it, several
// times a second, because a key set later may be due earlier.
func (ks *Keyspace) ExpireDue(now int64, budget int) (deleted int, next int64) {
	if ks.keepExpired.Load() {
		return 0, never
	}
	first := ks.sweepFrom.Load()
	for i := range uint32(groupCount) {
		n := (first + i) % groupCount
		if ks.groups[n].nextExpiry.Load() >= now {
			continue
		}
		deleted += ks.sweepGroup(int(n), now, budget-deleted)
		if deleted >= budget {
			// The next call goes on behind this group, so that a slot in which
			// keys expire without end does not starve the others.
			ks.sweepFrom.Store((n + 1) % groupCount)
			return deleted, now
		}
	}
	next = never
	for i := range ks.groups {
		if at := ks.groups[i].nextExpiry.Load(); at != never {
			next = min(next, at+1)
		}
	}
	return deleted, next
}

// sweepGroup sweeps the slots of one group and works out the group's next
// expiry time. A slot lowers the group's time after its own, so what changes
// while we look is either seen here or lowers the result afterwards.
func (ks *Keyspace) sweepGroup(n int, now int64, budget int) (deleted int) {
	g := &ks.groups[n]
	g.nextExpiry.Store(never)
	slots := ks.slots[n*slotsPerGroup : (n+1)*slotsPerGroup]
	for i := range slots {
		s := &slots[i]
		for deleted < budget && s.nextExpiry.Load() < now {
			s.Lock()
			deleted += s.expireDue(now, min(sweepBatch, budget-deleted))
			s.Unlock()
		}
		g.lowerNextExpiry(s.nextExpiry.Load())
	}
	return deleted
}

func (s *Slot) expireDue(now int64, limit int) (deleted int) {
	for deleted < limit && s.table != nil {
		e := s.table.queue.first()
		if e == nil || !e.Expired(now) {
			break
		}
		s.expire(e)
		deleted++
	}
	return deleted
}
