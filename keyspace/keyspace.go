// Package keyspace holds the keys of a node: their values, expiry times and
// watchers, filed by hash slot.
//
// Each of the 16384 slots has its own lock and its own table, because a slot is
// what a cluster moves and what one command can touch: two commands on
// different slots never wait for each other. The package promises that nothing
// changes without passing the one hook given at construction, that SCAN's
// cursor keeps its guarantee while a table grows and shrinks, and that no
// single operation does work in proportion to the size of its slot (dropping a
// slot and flushing are pointer swaps, the garbage collector does the rest).
//
// Any goroutine may call it at any time. Methods of Slot want the slot's lock
// held by the caller unless they say otherwise; an *Entry, and the bytes of its
// value, are good only until that lock is let go. Methods of Keyspace say which
// locks they take. Several slot locks are taken in ascending order, and nothing
// here takes a lock of anyone else except what the hook does.
//
// There is no clock and no goroutine inside: the time comes in as Unix
// milliseconds, and the server calls ExpireDue.
package keyspace

import (
	"math/bits"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// SlotCount is the number of hash slots of a cluster.
const SlotCount = 16384

// Options are what a Keyspace is built with.
type Options struct {
	// Seed goes into the hash of every key. A server draws it at random, so
	// that nobody can prepare keys that fall into one bucket: all slots with a
	// common hash tag are under a client's control, the seed is not. Cursors of
	// SCAN are bound to the seed and end with the process, as they may.
	Seed uint64
	// Hook sees every effect, under the lock of its slot. Nil if nobody listens.
	Hook Hook
	// Started is the time of construction; expiry times are summed relative to
	// it, so that the average does not overflow.
	Started int64
}

// Keyspace is all keys of a node. Create it with New.
type Keyspace struct {
	seed    uint64
	hook    Hook
	started int64

	keepExpired atomic.Bool
	raiseMisses atomic.Bool
	sweepFrom   atomic.Uint32 // the group at which the next sweep begins

	// nonEmpty has one bit for each slot that holds a key, so that a walk over
	// few keys does not touch 16384 slots.
	nonEmpty [SlotCount / 64]atomic.Uint64

	groups [groupCount]group
	slots  [SlotCount]Slot
}

// New returns an empty keyspace.
func New(o Options) *Keyspace {
	ks := &Keyspace{seed: o.Seed, hook: o.Hook, started: o.Started}
	for i := range ks.groups {
		ks.groups[i].nextExpiry.Store(never)
	}
	for i := range ks.slots {
		s := &ks.slots[i]
		s.ks, s.group, s.number = ks, &ks.groups[i/slotsPerGroup], uint16(i)
		s.nextExpiry.Store(never)
	}
	return ks
}

// Slot returns slot n, which must be below SlotCount.
func (ks *Keyspace) Slot(n uint16) *Slot { return &ks.slots[n] }

// LockAll takes every slot's lock, ascending.
func (ks *Keyspace) LockAll() {
	for i := range ks.slots {
		ks.slots[i].Lock()
	}
}

// UnlockAll lets every slot's lock go.
func (ks *Keyspace) UnlockAll() {
	for i := range ks.slots {
		ks.slots[i].Unlock()
	}
}

// Locks says who holds the slot locks that a method of Keyspace needs: inside
// EXEC the caller already does, outside the method takes them one at a time.
type Locks bool

const (
	TakeLocks  Locks = false
	HoldsLocks Locks = true
)

func (l Locks) lock(s *Slot) {
	if l == TakeLocks {
		s.Lock()
	}
}

func (l Locks) unlock(s *Slot) {
	if l == TakeLocks {
		s.Unlock()
	}
}

// KeepExpired set to true stops the deletion of expired keys by readers and by
// ExpireDue; they are hidden from readers all the same. That is what a node
// does whose clients' writes are paused. Writers still delete what they replace.
func (ks *Keyspace) KeepExpired(keep bool) { ks.keepExpired.Store(keep) }

// RaiseMisses turns the keymiss notification on or off. It is asked for
// separately because raising it costs an allocation for the key's name.
func (ks *Keyspace) RaiseMisses(on bool) { ks.raiseMisses.Store(on) }

// NextSlot returns the first slot from n on that holds a key, expired or not.
// It takes no lock.
func (ks *Keyspace) NextSlot(n int) (slot uint16, ok bool) {
	for word := n / 64; word < len(ks.nonEmpty); word++ {
		b := ks.nonEmpty[word].Load()
		if word == n/64 {
			b &= ^uint64(0) << (n % 64)
		}
		if b != 0 {
			return uint16(word*64 + bits.TrailingZeros64(b)), true
		}
	}
	return 0, false
}

// hash is xxHash64 with the process's seed; its top bits order the tables.
func (ks *Keyspace) hash(key []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(ks.seed)
	_, _ = d.Write(key) // never fails
	return d.Sum64()
}
