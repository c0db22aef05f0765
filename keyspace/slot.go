package keyspace

import (
	"sync"
	"sync/atomic"
)

// Slot is one hash slot.
type Slot struct {
	ks    *Keyspace
	group *group

	// mu guards table and everything in it, watches and version.
	mu      sync.Mutex
	table   *table // nil while the slot has no key
	watches map[string][]watch
	version uint64

	// Written under mu, read by anyone.
	length     atomic.Int64
	nextExpiry atomic.Int64 // the earliest expiry time in the slot, or never

	number uint16
}

// Lock takes the slot's lock. Several slots are locked in ascending order.
func (s *Slot) Lock() { s.mu.Lock() }

// TryLock takes the lock if it is free.
func (s *Slot) TryLock() bool { return s.mu.TryLock() }

// Unlock lets the slot's lock go.
func (s *Slot) Unlock() { s.mu.Unlock() }

// Number is the slot's own number.
func (s *Slot) Number() uint16 { return s.number }

// Len counts the slot's keys, those past their expiry time but not yet deleted
// included. It needs no lock.
func (s *Slot) Len() int { return int(s.length.Load()) }

// Access says what looking a key up shall leave behind. The zero value is a
// plain read: it counts as hit or miss, raises keymiss, and marks the key as used.
type Access uint8

const (
	ForWrite Access = 1 << iota // neither counted nor raised; expired keys go even while they are kept from readers
	NoTouch                     // the time of last access stays
	NoStats                     // neither hit nor miss
	NoNotify                    // no keymiss
	NoExpire                    // an expired key is not found, but stays

	// Peek leaves no trace.
	Peek = NoTouch | NoStats | NoNotify | NoExpire
)

// Lookup finds a key. A key past its expiry time is not found, and is deleted on
// the way unless how forbids it.
func (s *Slot) Lookup(key []byte, now int64, how Access) *Entry {
	e := s.find(key)
	if e != nil && e.Expired(now) {
		if how&NoExpire == 0 && (s.mayExpire(e) || how&ForWrite != 0 && !e.busy) {
			s.expire(e)
		}
		e = nil
	}
	if e == nil {
		if how&(NoNotify|ForWrite) == 0 {
			s.miss(key)
		}
		if how&(NoStats|ForWrite) == 0 {
			s.group.misses.Add(1)
		}
		return nil
	}
	if how&NoTouch == 0 {
		e.touch(now)
	}
	if how&(NoStats|ForWrite) == 0 {
		s.group.hits.Add(1)
	}
	return e
}

// KeepTTL as Set's expiry time leaves that of the key as it is.
const KeepTTL int64 = -1

// Set gives key the value, whether it existed or not, and the expiry time
// (0 for none). A new key raises new before the cause's own event.
func (s *Slot) Set(key []byte, v Value, expireAt, now int64, c Cause) *Entry {
	hash := s.ks.hash(key)
	e := s.findAlive(hash, key, now)
	if e == nil {
		if expireAt == KeepTTL {
			expireAt = 0
		}
		e = s.insert(hash, key, v, now)
	} else {
		s.setValue(e, v)
		e.touch(now)
		if expireAt == KeepTTL {
			expireAt = e.expireAt
		}
	}
	s.setExpiry(e, expireAt)
	s.effect(Written, e, c)
	return e
}

// Replace gives an existing key another value and leaves its expiry time alone.
func (s *Slot) Replace(e *Entry, v Value, c Cause) {
	s.setValue(e, v)
	s.effect(Written, e, c)
}

// WriteAt writes data into the string at key from offset on, filling a gap with
// zero bytes; a key that does not exist begins as an empty string. The caller
// has checked the type and the size limit. The value is changed in place unless
// it is shared, so small writes into a large string stay small.
func (s *Slot) WriteAt(key []byte, offset int, data []byte, now int64, c Cause) *Entry {
	hash := s.ks.hash(key)
	e := s.findAlive(hash, key, now)
	if e == nil {
		b := make([]byte, offset+len(data))
		copy(b[offset:], data)
		e = s.insert(hash, key, OwnRaw(b), now)
	} else {
		before := e.value.Size()
		e.value = e.value.(*String).writeAt(offset, data)
		s.addBytes(e.value.Size() - before)
		e.touch(now)
	}
	s.effect(Written, e, c)
	return e
}

// SetExpiry gives an existing key another expiry time, 0 to remove it.
func (s *Slot) SetExpiry(e *Entry, expireAt int64, c Cause) {
	s.setExpiry(e, expireAt)
	s.effect(Retimed, e, c)
}

// SetIdle makes a key look as if it had last been used so many seconds ago.
func (s *Slot) SetIdle(e *Entry, seconds, now int64) {
	e.access = uint32(max(0, now/1000-seconds))
}

// Delete removes an existing key. The entry stays readable.
func (s *Slot) Delete(e *Entry, c Cause) {
	s.remove(e)
	s.effect(Deleted, e, c)
}

// expire deletes a key that is past its expiry time.
func (s *Slot) expire(e *Entry) {
	s.remove(e)
	s.group.expired.Add(1)
	s.effect(Expired, e, Cause{Class: Expiries, Event: "expired", As: DelForm})
}

func (s *Slot) find(key []byte) *Entry {
	if s.table == nil {
		return nil
	}
	return s.table.find(s.ks.hash(key), key)
}

// findAlive is a writer's lookup: what has expired is out of the way afterwards.
func (s *Slot) findAlive(hash uint64, key []byte, now int64) *Entry {
	if s.table == nil {
		return nil
	}
	e := s.table.find(hash, key)
	if e != nil && e.Expired(now) {
		s.expire(e)
		return nil
	}
	return e
}

// insert adds a key that does not exist, without expiry, and raises new.
func (s *Slot) insert(hash uint64, key []byte, v Value, now int64) *Entry {
	e := &Entry{key: string(key), hash: hash, value: v}
	e.touch(now)
	if s.table == nil {
		s.table = newTable()
		s.ks.nonEmpty[s.number/64].Or(1 << (s.number % 64))
	}
	s.table.insert(e)
	s.table.resize()
	s.length.Store(int64(s.table.length))
	s.group.keys.Add(1)
	s.addBytes(e.Size())
	s.emit(Notified, e, Cause{Class: NewKeys, Event: "new", As: Covered})
	return e
}

func (s *Slot) remove(e *Entry) {
	s.unqueue(e)
	s.addBytes(-e.Size())
	s.group.keys.Add(-1)
	s.table.remove(e)
	s.table.resize()
	s.length.Store(int64(s.table.length))
	if s.table.length == 0 {
		s.clear()
	}
}

// clear lets the table go.
func (s *Slot) clear() {
	s.table = nil
	s.length.Store(0)
	s.ks.nonEmpty[s.number/64].And(^(uint64(1) << (s.number % 64)))
}

func (s *Slot) setValue(e *Entry, v Value) {
	s.addBytes(v.Size() - e.value.Size())
	e.value = v
}

func (s *Slot) addBytes(n int64) {
	if n != 0 {
		s.table.bytes += n
		s.group.bytes.Add(n)
	}
}
