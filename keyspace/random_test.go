package keyspace

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRandomKeyIsFair draws often and compares with equal chances, over slots of
// very different size, one of them in the middle of a move.
func TestRandomKeyIsFair(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	ks := New(Options{Seed: 9})
	_, ok := ks.RandomKey(r.Uint64, 0, TakeLocks)
	require.False(t, ok)
	for i := range 70 {
		set(ks.Slot(100), fmt.Sprint("big", i), "", 0, 0)
	}
	require.True(t, ks.Slot(100).table.moving)
	set(ks.Slot(101), "neighbour", "", 0, 0)
	for i := range 9 {
		set(ks.Slot(uint16(16000+i)), fmt.Sprint("far", i), "", 0, 0)
	}
	const draws = 200_000
	drawn := map[string]int{}
	for range draws {
		key, ok := ks.RandomKey(r.Uint64, 0, TakeLocks)
		require.True(t, ok)
		drawn[key]++
	}
	require.Len(t, drawn, 80)
	mean := float64(draws) / 80
	var chi float64
	for _, n := range drawn {
		chi += (float64(n) - mean) * (float64(n) - mean) / mean
	}
	require.Less(t, chi, 130.0, "79 degrees of freedom: 130 is one in several thousand")
}

func TestRandomKeySkipsExpired(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	ks := New(Options{Seed: 9})
	for i := range 500 {
		set(ks.Slot(uint16(i%7)), fmt.Sprint(i), "", 5, 0)
	}
	set(ks.Slot(3), "alive", "", 0, 0)
	for range 20 {
		key, ok := ks.RandomKey(r.Uint64, 10, TakeLocks)
		require.True(t, ok)
		require.Equal(t, "alive", key)
	}
	ks.LockAll()
	ks.Slot(3).Delete(ks.Slot(3).find([]byte("alive")), Cause{})
	_, ok := ks.RandomKey(r.Uint64, 10, HoldsLocks)
	ks.UnlockAll()
	require.False(t, ok)
	require.Zero(t, ks.Len())
}

// TestRandomKeyOfNearlyEmptyTable counts how many random numbers a draw needs
// when a large table has lost all keys but one.
func TestRandomKeyOfNearlyEmptyTable(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	ks := New(Options{Seed: 9})
	s := ks.Slot(1)
	var all []*Entry
	for i := range 100_000 {
		all = append(all, set(s, fmt.Sprint(i), "", 0, 0))
	}
	most := 0
	for i, e := range all[:99_999] {
		s.Delete(e, Cause{})
		if i%1000 == 0 || i > 99_900 {
			calls := 0
			_, ok := ks.RandomKey(func() uint64 { calls++; return r.Uint64() }, 0, TakeLocks)
			require.True(t, ok)
			most = max(most, calls)
		}
	}
	require.LessOrEqual(t, most, 2*randomTries+2)
	require.LessOrEqual(t, max(s.table.buckets.bits, s.table.old.bits), uint8(5))
}
