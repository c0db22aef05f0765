package keyspace

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScanGuarantee runs SCAN while keys come and go in such numbers that tables
// grow and shrink between its calls: what is there from start to end is
// returned exactly once.
func TestScanGuarantee(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		ks := New(Options{Seed: seed})
		slots := []*Slot{ks.Slot(0), ks.Slot(5), ks.Slot(SlotCount - 1)}
		stays := map[string]bool{}
		var passing [][]*Entry
		for _, s := range slots {
			for i := range 1 + r.IntN(300) {
				key := fmt.Sprintf("stays-%d-%d", s.Number(), i)
				set(s, key, "", 0, 0)
				stays[key] = true
			}
			passing = append(passing, nil)
		}
		returned := map[string]int{}
		cursor, calls := uint64(0), 0
		for {
			cursor = ks.Scan(cursor, 1+r.IntN(20), 0, TakeLocks, func(e *Entry) { returned[e.Key()]++ })
			calls++
			require.Less(t, cursor, uint64(1)<<53)
			if cursor == 0 {
				break
			}
			for i, s := range slots {
				switch r.IntN(3) {
				case 0:
					for n := range r.IntN(2000) {
						passing[i] = append(passing[i], set(s, fmt.Sprintf("p%d-%d-%d", calls, i, n), "", 0, 0))
					}
				case 1:
					for _, e := range passing[i] {
						s.Delete(e, Cause{})
					}
					passing[i] = nil
				}
			}
		}
		for key := range stays {
			require.Equal(t, 1, returned[key], "seed %d, key %s", seed, key)
		}
	}
}

func TestScanCountAndEnd(t *testing.T) {
	ks := New(Options{Seed: 3})
	require.Zero(t, ks.Scan(0, 10, 0, TakeLocks, func(*Entry) { t.Error("a key in an empty keyspace") }))
	s := ks.Slot(9)
	for i := range 1000 {
		set(s, fmt.Sprint(i), "", 0, 0)
	}
	for _, count := range []int{1, 10, 200, 999} {
		n := 0
		require.NotZero(t, ks.Scan(0, count, 0, TakeLocks, func(*Entry) { n++ }))
		require.InDelta(t, count, n, 8)
	}
	n := 0
	require.Zero(t, ks.Scan(0, 1<<62, 0, TakeLocks, func(*Entry) { n++ }))
	require.Equal(t, 1000, n)
	// Cursors that nobody gave out end the walk or go on somewhere; they do no harm.
	for _, cursor := range []uint64{1 << 53, ^uint64(0), 12345, 9<<positionBits | positionMask} {
		ks.Scan(cursor, 10, 0, TakeLocks, func(*Entry) {})
	}
}

// TestScanStepsAreShort shows that SCAN lets others in between its steps,
// whatever its COUNT.
func TestScanStepsAreShort(t *testing.T) {
	ks := New(Options{Seed: 3})
	s := ks.Slot(9)
	for i := range 10_000 {
		set(s, fmt.Sprint(i), "", 0, 0)
	}
	budget := scanBudget{scanStep, scanStep * emptyPerKey}
	found, _, more := s.walk(0, &budget, nil)
	require.True(t, more)
	require.LessOrEqual(t, len(found), scanStep+8)

	// With the lock held by us, Scan of another slot alone goes through, and
	// HoldsLocks takes none.
	s.Lock()
	n := 0
	ks.Scan(0, 1<<20, 0, HoldsLocks, func(*Entry) { n++ })
	s.Unlock()
	require.Equal(t, 10_000, n)
}

// TestScanPassesEmptyStretchInSteps deletes in the order of the scan, which
// leaves most of a large table empty at its beginning: those buckets are work.
func TestScanPassesEmptyStretchInSteps(t *testing.T) {
	ks := New(Options{Seed: 3})
	s := ks.Slot(9)
	for i := range 1 << 16 {
		set(s, fmt.Sprint(i), "", 0, 0)
	}
	for _, key := range s.Keys(1 << 16)[:50_000] {
		s.Delete(s.find([]byte(key)), Cause{})
	}
	budget := scanBudget{10, 100}
	found, position, more := s.walk(0, &budget, nil)
	require.Empty(t, found)
	require.True(t, more)
	require.NotZero(t, position)

	n, calls := 0, 0
	for cursor := ks.Scan(0, 10, 0, TakeLocks, func(*Entry) { n++ }); cursor != 0; calls++ {
		cursor = ks.Scan(cursor, 10, 0, TakeLocks, func(*Entry) { n++ })
	}
	require.Equal(t, 1<<16-50_000, n)
	require.Greater(t, calls, n/10)
}

func TestScanDeletesExpired(t *testing.T) {
	ks := New(Options{Seed: 3})
	for i := range 3000 {
		set(ks.Slot(uint16(i)), fmt.Sprint(i), "", 1, 0)
	}
	// All are expired: a call deletes its share and stops all the same.
	cursor := ks.Scan(0, 10, 5, TakeLocks, func(*Entry) { t.Error("expired key visited") })
	require.NotZero(t, cursor)
	require.EqualValues(t, 2990, ks.Len())
	require.EqualValues(t, 10, ks.Stats(5).Expired)
	ks.KeepExpired(true)
	require.Zero(t, ks.Scan(cursor, 5000, 5, TakeLocks, func(*Entry) { t.Error("expired key visited") }))
	require.EqualValues(t, 2990, ks.Len())
}
