package keyspace

import "math/bits"

const (
	// randomTries bounds the search for a random bucket with a key in it; a
	// table that is not being emptied needs ten on average.
	randomTries = 1024
	// chainRoom is the chain length up to which the choice is fair. With at most
	// one key per bucket on average, longer chains are one in a million.
	chainRoom = 8
	// hiddenTries is after how many expired keys that may not be deleted
	// RandomKey returns one of them.
	hiddenTries = 100
)

// RandomKey returns the name of a key, each with the same chance, and false if
// there is none. random is a source of uniformly distributed 64-bit numbers.
// Keys past their expiry time that come up are deleted. It takes the lock of
// one slot at a time, unless the caller holds them all.
func (ks *Keyspace) RandomKey(random func() uint64, now int64, locks Locks) (key string, ok bool) {
	for hidden := 0; ; {
		s := ks.randomSlot(random)
		if s == nil {
			return "", false
		}
		locks.lock(s)
		e := s.random(random)
		switch {
		case e == nil: // emptied since it was chosen
		case !e.Expired(now):
			key, ok = e.key, true
		case s.mayExpire(e):
			s.expire(e)
		default:
			hidden++
			key, ok = e.key, hidden == hiddenTries
		}
		locks.unlock(s)
		if ok {
			return key, true
		}
	}
}

// randomSlot chooses a slot, each with a chance in proportion to its keys: first
// the group, then the slot in it. Counts that change meanwhile only shift the
// odds. It returns nil if there are no keys.
func (ks *Keyspace) randomSlot(random func() uint64) *Slot {
	total := ks.Len()
	if total <= 0 {
		return nil
	}
	nth := int64(below(random, uint64(total)))
	for i := range ks.groups {
		if n := ks.groups[i].keys.Load(); nth >= n {
			nth -= n
			continue
		}
		slots := ks.slots[i*slotsPerGroup : (i+1)*slotsPerGroup]
		for j := range slots {
			if n := slots[j].length.Load(); nth >= n {
				nth -= n
				continue
			}
			return &slots[j]
		}
	}
	// Keys went away under our feet; any slot that has one will do.
	n, ok := ks.NextSlot(int(random() % SlotCount))
	if !ok {
		if n, ok = ks.NextSlot(0); !ok {
			return nil
		}
	}
	return &ks.slots[n]
}

// random returns one of the slot's entries, or nil.
func (s *Slot) random(random func() uint64) *Entry {
	if s.table == nil {
		return nil
	}
	return s.table.random(random)
}

// random throws a dart at the buckets, as fine as the finer of the two arrays,
// and at a place in the chain; where both hit, it is fair.
func (t *table) random(random func() uint64) *Entry {
	fine := max(t.buckets.bits, t.old.bits)
	shift := 64 - fine
	for range randomTries {
		hash, nth := random(), random()%chainRoom
		chain, _ := t.region(hash)
		for e := chain; e != nil; e = e.next {
			if e.hash>>shift != hash>>shift {
				continue
			}
			if nth == 0 {
				return e
			}
			nth--
		}
	}
	// A table that has just lost most of its keys. The next entry has to do; it
	// is near, because such a table shrinks with each deletion.
	start := random()
	for hash, wrapped := start, false; ; {
		chain, last := t.region(hash)
		for e := chain; e != nil; e = e.next {
			if e.hash >= hash {
				return e
			}
		}
		if hash = last + 1; hash == 0 {
			if wrapped {
				return nil
			}
			wrapped = true
		}
	}
}

// below returns a uniform number below n.
func below(random func() uint64, n uint64) uint64 {
	// The high half of the product is biased by at most n in 2^64.
	high, _ := bits.Mul64(random(), n)
	return high
}
