// Package tracking remembers what clients may have in caches of their own, so
// that they can be told when it is no longer true.
//
// A [Table] knows for each key who has read it since it last changed; its
// entries go when the key changes, and the client is told once. [Prefixes]
// know who wants to hear of every key that begins in a certain way. Neither sends
// anything: what a reader is, and how it is told, is the caller's affair.
//
// The table is filed by hash slot like the keys themselves, and each slot's part
// is guarded by the lock under which the caller reads and writes the keys of
// that slot. So a key cannot change between its being read and its being filed,
// and two slots never wait for each other. Prefixes have a lock of their own.
package tracking

import (
	"math/bits"
	"sync/atomic"
)

const slotCount = 16384

// Table is who has read what. The methods that name a slot, and those of Readers,
// want that slot's lock; Clear wants those of all slots. The zero value is an
// empty table.
type Table[R comparable] struct {
	keys, items atomic.Int64
	// filled has a bit for each slot with an entry, so that a walk over few
	// entries does not touch 16384 slots.
	filled [slotCount / 64]atomic.Uint64
	slots  [slotCount]map[string]*Readers[R]
}

// Keys counts the keys in the table.
func (t *Table[R]) Keys() int64 { return t.keys.Load() }

// Items counts the readers of all keys.
func (t *Table[R]) Items() int64 { return t.items.Load() }

// Add files a reader of a key. It allocates nothing for one who is known.
func (t *Table[R]) Add(slot uint16, key []byte, r R) {
	readers := t.slots[slot][string(key)]
	switch {
	case readers == nil:
		if t.slots[slot] == nil {
			t.slots[slot] = make(map[string]*Readers[R])
			t.filled[slot/64].Or(1 << (slot % 64))
		}
		t.slots[slot][string(key)] = &Readers[R]{first: r}
		t.keys.Add(1)
	case !readers.add(r):
		return
	}
	t.items.Add(1)
}

// Take removes a key and returns who has read it, nil if nobody has.
func (t *Table[R]) Take(slot uint16, key string) *Readers[R] {
	readers := t.slots[slot][key]
	if readers != nil {
		t.remove(slot, key, readers.Len())
	}
	return readers
}

// TakeSlot removes all keys of a slot.
func (t *Table[R]) TakeSlot(slot uint16) map[string]*Readers[R] {
	taken := t.slots[slot]
	for _, readers := range taken {
		t.count(-1, -readers.Len())
	}
	t.empty(slot)
	return taken
}

// TakeFrom removes those keys of a slot that are wanted.
func (t *Table[R]) TakeFrom(slot uint16, wanted func(key string) bool) map[string]*Readers[R] {
	taken := make(map[string]*Readers[R])
	for key, readers := range t.slots[slot] {
		if wanted(key) {
			taken[key] = readers
			t.remove(slot, key, readers.Len())
		}
	}
	return taken
}

// Any names some key of the slot.
func (t *Table[R]) Any(slot uint16) (key string, ok bool) {
	for key := range t.slots[slot] {
		return key, true
	}
	return "", false
}

// Clear forgets everything, at once whatever it was.
func (t *Table[R]) Clear() {
	for slot, ok := t.Filled(0); ok; slot, ok = t.Filled(int(slot) + 1) {
		t.empty(slot)
	}
	t.keys.Store(0)
	t.items.Store(0)
}

// Sweep removes those readers of a slot who have gone, looking at no more than
// limit keys, and returns at how many it looked. In a slot with more keys each
// call looks at other ones, by chance.
func (t *Table[R]) Sweep(slot uint16, limit int, gone func(R) bool) (looked int) {
	for key, readers := range t.slots[slot] {
		if looked == limit {
			break
		}
		looked++
		removed, left := readers.sweep(gone)
		if left {
			t.count(0, -removed)
		} else {
			t.remove(slot, key, removed)
		}
	}
	return looked
}

// Filled returns the first slot from n on that has an entry. It needs no lock.
func (t *Table[R]) Filled(n int) (slot uint16, ok bool) {
	for word := n / 64; word < len(t.filled); word++ {
		b := t.filled[word].Load()
		if word == n/64 {
			b &= ^uint64(0) << (n % 64)
		}
		if b != 0 {
			return uint16(word*64 + bits.TrailingZeros64(b)), true
		}
	}
	return 0, false
}

func (t *Table[R]) remove(slot uint16, key string, items int) {
	delete(t.slots[slot], key)
	t.count(-1, -items)
	if len(t.slots[slot]) == 0 {
		t.empty(slot)
	}
}

func (t *Table[R]) count(keys, items int) {
	t.keys.Add(int64(keys))
	t.items.Add(int64(items))
}

// empty lets the slot's map go, which would stay as large as it once was.
func (t *Table[R]) empty(slot uint16) {
	t.slots[slot] = nil
	t.filled[slot/64].And(^(uint64(1) << (slot % 64)))
}
