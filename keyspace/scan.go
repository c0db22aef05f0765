package keyspace

// A cursor of SCAN names a slot and a position in it: the top bits of the hash
// of the next key. Since buckets are ordered by hash, a position means the same
// whatever size the table has by then, so a key that is there from the first
// call to the last is returned, and only once. Cursors stay below 2^53, because
// some clients keep them in a double.
const (
	positionBits = 39
	positionMask = 1<<positionBits - 1
)

const (
	// scanStep is how many keys a walk visits in one hold of a slot's lock.
	scanStep = 128
	// emptyPerKey is how many empty buckets cost as much as one key. Who deletes
	// while scanning leaves long stretches of them behind.
	emptyPerKey = 10
	// scanMost bounds COUNT, far above what a node can hold.
	scanMost = 1 << 40
)

// scanBudget is what is left of the work that a walk may do.
type scanBudget struct{ keys, empty int }

func (b *scanBudget) spent() bool { return b.keys <= 0 || b.empty <= 0 }

// Scan visits about count keys from cursor on, in the order of slots and hashes,
// and returns the cursor to go on with, 0 after the last key. It takes the lock
// of one slot at a time, for a short step, unless the caller holds them all.
// Keys past their expiry time are not visited, and are deleted. The entry is
// good until visit returns; visit must not change any key.
func (ks *Keyspace) Scan(cursor uint64, count int, now int64, locks Locks, visit func(*Entry)) uint64 {
	count = max(1, min(count, scanMost))
	budget := scanBudget{keys: count, empty: count * emptyPerKey}
	at, position := cursor>>positionBits, cursor&positionMask
	room := make([]*Entry, 0, min(count, scanStep))
	for {
		if at >= SlotCount {
			return 0
		}
		n, ok := ks.NextSlot(int(at))
		if !ok {
			return 0
		}
		if uint64(n) != at {
			at, position = uint64(n), 0
		}
		if budget.spent() {
			return at<<positionBits | position
		}
		s := &ks.slots[n]
		step := scanBudget{min(budget.keys, scanStep), min(budget.empty, scanStep*emptyPerKey)}
		budget.keys -= step.keys
		budget.empty -= step.empty
		locks.lock(s)
		found, next, more := s.walk(position, &step, room)
		for _, e := range found {
			if !e.Expired(now) {
				visit(e)
			} else if s.mayExpire(e) {
				s.expire(e)
			}
		}
		locks.unlock(s)
		budget.keys += step.keys
		budget.empty += step.empty
		if more {
			position = next
		} else {
			at, position = at+1, 0
		}
	}
}

// walk collects the entries of whole buckets from position on, until the budget
// is spent. They are collected first because deleting one may move others.
func (s *Slot) walk(position uint64, budget *scanBudget, dst []*Entry) (found []*Entry, next uint64, more bool) {
	if s.table == nil {
		return dst, 0, false
	}
	hash := position << (64 - positionBits)
	for !budget.spent() {
		chain, last := s.table.region(hash)
		visited := 0
		for e := chain; e != nil; e = e.next {
			if e.hash >= hash {
				dst = append(dst, e)
				visited++
			}
		}
		if visited == 0 {
			budget.empty--
		}
		budget.keys -= visited
		if last == ^uint64(0) {
			return dst, 0, false
		}
		hash = last + 1
	}
	return dst, hash >> (64 - positionBits), true
}

// Keys returns the names of up to n keys of the slot, expired or not, in the
// order of their hashes, for CLUSTER GETKEYSINSLOT.
func (s *Slot) Keys(n int) []string {
	budget := scanBudget{min(n, s.Len()), scanMost}
	found, _, _ := s.walk(0, &budget, nil)
	found = found[:min(n, len(found))]
	keys := make([]string, len(found))
	for i, e := range found {
		keys[i] = e.key
	}
	return keys
}
