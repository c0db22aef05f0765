package keyspace

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExpiryIsTheMillisecondAfter has Redis's comparison: a key lives through
// the millisecond that its expiry time names.
func TestExpiryIsTheMillisecondAfter(t *testing.T) {
	ks := New(Options{})
	s := ks.Slot(1)
	set(s, "k", "v", 100, 0)
	require.NotNil(t, s.Lookup([]byte("k"), 100, 0))
	deleted, next := ks.ExpireDue(100, 10)
	require.Zero(t, deleted)
	require.EqualValues(t, 101, next)
	require.Nil(t, s.Lookup([]byte("k"), 101, NoExpire))
	require.Equal(t, 1, s.Len())
	deleted, next = ks.ExpireDue(101, 10)
	require.Equal(t, 1, deleted)
	require.EqualValues(t, never, next)
	require.Zero(t, s.Len())
	require.EqualValues(t, 1, ks.Stats(0).Expired)
}

// TestSweepBudget shows that the budget holds, that what is left is due at once,
// and that a slot full of expired keys does not keep the sweep from the others.
func TestSweepBudget(t *testing.T) {
	ks := New(Options{})
	full, other := ks.Slot(0), ks.Slot(SlotCount-1)
	for i := range 1000 {
		set(full, fmt.Sprint(i), "v", 5, 0)
	}
	set(other, "late", "v", 5, 0)
	set(other, "later", "v", 500, 0)

	deleted, next := ks.ExpireDue(10, 150)
	require.Equal(t, 150, deleted)
	require.EqualValues(t, 10, next)
	deleted, _ = ks.ExpireDue(10, 150)
	require.Equal(t, 150, deleted)
	require.Equal(t, 1, other.Len(), "the second call began behind the first group")
	total := 300
	for next <= 10 {
		deleted, next = ks.ExpireDue(10, 150)
		require.LessOrEqual(t, deleted, 150)
		total += deleted
	}
	require.Equal(t, 1001, total)
	require.EqualValues(t, 501, next)
	deleted, next = ks.ExpireDue(10, 0)
	require.Zero(t, deleted)
	require.EqualValues(t, 501, next)
}

func TestKeepExpired(t *testing.T) {
	ks := New(Options{})
	s := ks.Slot(0)
	set(s, "k", "v", 5, 0)
	ks.KeepExpired(true)
	require.Nil(t, s.Lookup([]byte("k"), 10, 0))
	deleted, next := ks.ExpireDue(10, 10)
	require.Zero(t, deleted)
	require.EqualValues(t, never, next)
	require.Equal(t, 1, s.Len())
	// Nothing but expired keys that must stay: one of them is better than no end.
	key, ok := ks.RandomKey(func() uint64 { return 1 }, 10, TakeLocks)
	require.True(t, ok)
	require.Equal(t, "k", key)
	// A writer finds the key gone, and it is.
	require.Nil(t, s.Lookup([]byte("k"), 10, ForWrite))
	require.Zero(t, s.Len())
	set(s, "k", "v", 15, 10)
	ks.KeepExpired(false)
	deleted, _ = ks.ExpireDue(20, 10)
	require.Equal(t, 1, deleted)
}

func TestStats(t *testing.T) {
	ks := New(Options{Started: 1_700_000_000_000})
	now := int64(1_700_000_100_000)
	a, b := ks.Slot(0), ks.Slot(SlotCount-1)
	set(a, "a", "v", now+1000, now)
	set(b, "b", "v", now+3000, now)
	set(b, "c", "v", 0, now)
	a.Lookup([]byte("a"), now, 0)
	a.Lookup([]byte("a"), now, NoTouch)
	a.Lookup([]byte("x"), now, 0)
	a.Lookup([]byte("a"), now, ForWrite)
	a.Lookup([]byte("x"), now, ForWrite)
	a.Lookup([]byte("a"), now, NoStats)
	a.Lookup([]byte("x"), now, Peek)
	st := ks.Stats(now)
	require.Equal(t, Stats{Keys: 3, Expiring: 2, AverageTTL: 2000, Bytes: 3 * (entryOverhead + 1 + 64), Hits: 2, Misses: 1}, st)
	require.EqualValues(t, 3, ks.Len())
	ks.ExpireDue(now+2000, 10)
	require.EqualValues(t, 1, ks.Stats(now).Expired)
	ks.ResetStats()
	st = ks.Stats(now + 2000)
	require.Equal(t, Stats{Keys: 2, Expiring: 1, AverageTTL: 1000, Bytes: 2 * (entryOverhead + 1 + 64)}, st)
}

func TestIdleTime(t *testing.T) {
	s := New(Options{}).Slot(0)
	e := set(s, "k", "v", 0, 10_000)
	require.EqualValues(t, 0, e.IdleSeconds(10_999))
	require.EqualValues(t, 5, e.IdleSeconds(15_000))
	s.Lookup([]byte("k"), 15_000, NoTouch)
	require.EqualValues(t, 5, e.IdleSeconds(15_000))
	s.Lookup([]byte("k"), 15_000, 0)
	require.EqualValues(t, 0, e.IdleSeconds(15_000))
	require.EqualValues(t, 0, e.IdleSeconds(1_000), "a clock set back")
}
