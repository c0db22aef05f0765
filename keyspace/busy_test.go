package keyspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBusyKeyOutlivesItsExpiryTime has a key that passes its expiry time while
// it is busy: nobody deletes it until its mark is gone.
func TestBusyKeyOutlivesItsExpiryTime(t *testing.T) {
	ks := New(Options{})
	s := ks.Slot(7)
	e := set(s, "moving", "v", 100, 0)
	set(s, "staying", "v", 100, 0)
	set(s, "for ever", "v", 0, 0)
	key, version := []byte("moving"), e.Version()
	s.MarkBusy(e)
	require.True(t, s.Busy(key))
	require.False(t, s.Busy([]byte("staying")))
	require.False(t, s.Busy([]byte("absent")))

	deleted, _ := ks.ExpireDue(200, 10)
	require.Equal(t, 1, deleted)
	require.Nil(t, s.Lookup(key, 200, ForWrite))
	require.Nil(t, s.Lookup(key, 200, 0))
	ks.Scan(0, 100, 200, TakeLocks, func(e *Entry) { require.Equal(t, "for ever", e.Key()) })
	n := uint64(0)
	random := func() uint64 { n += 0x9e3779b97f4a7c15; return n }
	for range 100 {
		_, ok := ks.RandomKey(random, 200, TakeLocks)
		require.True(t, ok)
	}
	require.ElementsMatch(t, []string{"moving", "for ever"}, s.Keys(10))
	require.EqualValues(t, 100, e.ExpireAt())

	require.Same(t, e, s.Release(key, version))
	require.False(t, s.AnyBusy())
	require.EqualValues(t, 1, ks.Stats(0).Expiring)
	deleted, _ = ks.ExpireDue(200, 10)
	require.Equal(t, 1, deleted)
	require.Equal(t, 1, s.Len())
	require.Zero(t, ks.Stats(0).Expiring)
}

// TestReleaseKnowsTheValueItMeant changes the key under the mark in each way
// that does not heed it.
func TestReleaseKnowsTheValueItMeant(t *testing.T) {
	key := []byte("k")
	for name, change := range map[string]func(*Keyspace, *Slot, *Entry){
		"dropped":  func(_ *Keyspace, s *Slot, _ *Entry) { s.Drop() },
		"flushed":  func(ks *Keyspace, _ *Slot, _ *Entry) { ks.FlushAll(Cause{}) },
		"replaced": func(_ *Keyspace, s *Slot, _ *Entry) { s.Drop(); set(s, "k", "v", 500, 0) },
		"deleted":  func(_ *Keyspace, s *Slot, e *Entry) { s.Delete(e, Cause{}) },
		"expired":  func(_ *Keyspace, s *Slot, _ *Entry) { set(s, "k", "v", 500, 200) },
	} {
		t.Run(name, func(t *testing.T) {
			ks := New(Options{})
			s := ks.Slot(9)
			e := set(s, "k", "v", 100, 0)
			version := e.Version()
			s.MarkBusy(e)
			change(ks, s, e)
			require.False(t, s.Busy(key))
			require.False(t, s.AnyBusy())
			before := s.Len()
			require.Nil(t, s.Release(key, version))
			require.Equal(t, before, s.Len())
			require.EqualValues(t, before, ks.Stats(0).Expiring)
		})
	}
}

// TestReleaseTwice is what a MIGRATE that names a key twice does.
func TestReleaseTwice(t *testing.T) {
	ks := New(Options{})
	s := ks.Slot(1)
	e := set(s, "k", "v", 100, 0)
	s.MarkBusy(e)
	version := e.Version()
	require.Same(t, e, s.Release([]byte("k"), version))
	require.Same(t, e, s.Release([]byte("k"), version))
	require.False(t, s.AnyBusy())
	require.EqualValues(t, 1, ks.Stats(0).Expiring)
}

func TestSetIdle(t *testing.T) {
	s := New(Options{}).Slot(1)
	e := set(s, "k", "v", 0, 5_000_000)
	s.SetIdle(e, 1000, 5_000_000)
	require.EqualValues(t, 1000, e.IdleSeconds(5_000_999))
	s.SetIdle(e, 1<<62, 5_000_000)
	require.EqualValues(t, 5000, e.IdleSeconds(5_000_000))
}
