package keyspace

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConcurrentUse runs everything that may run at once against each other, for
// the race detector, and looks that the counters add up in the end.
func TestConcurrentUse(t *testing.T) {
	var effects atomic.Int64
	ks := New(Options{Seed: 1, Hook: func(uint16, Effect) { effects.Add(1) }})
	var clock atomic.Int64
	clock.Store(1000)
	var wg sync.WaitGroup
	run := func(rounds int, f func(r *rand.Rand, now int64)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(uint64(rounds), 2))
			for range rounds {
				f(r, clock.Add(1))
			}
		}()
	}
	for range 3 {
		run(3000, func(r *rand.Rand, now int64) {
			s := ks.Slot(uint16(r.IntN(4)))
			key := fmt.Sprint(r.IntN(200))
			s.Lock()
			defer s.Unlock()
			switch r.IntN(5) {
			case 0, 1:
				set(s, key, "v", now+int64(r.IntN(300)), now)
			case 2:
				s.WriteAt([]byte(key), 3, []byte("x"), now, Cause{})
			case 3:
				if e := s.Lookup([]byte(key), now, ForWrite); e != nil {
					s.Delete(e, Cause{})
				}
			default:
				s.Lookup([]byte(key), now, 0)
			}
		})
	}
	run(500, func(r *rand.Rand, now int64) { ks.ExpireDue(now, 10) })
	run(500, func(r *rand.Rand, now int64) { ks.Scan(0, 50, now, TakeLocks, func(e *Entry) { e.Share() }) })
	run(500, func(r *rand.Rand, now int64) { ks.RandomKey(r.Uint64, now, TakeLocks) })
	run(500, func(r *rand.Rand, now int64) { ks.Stats(now); ks.Len(); ks.NextSlot(0) })
	run(20, func(r *rand.Rand, now int64) {
		ks.LockAll()
		ks.FlushAll(Cause{})
		ks.UnlockAll()
	})
	for range 2 {
		var w Watcher
		run(500, func(r *rand.Rand, now int64) {
			for range 3 {
				s := ks.Slot(uint16(r.IntN(4)))
				s.Lock()
				s.Watch(&w, []byte(fmt.Sprint(r.IntN(200))), now)
				s.Unlock()
			}
			slots := w.Slots(nil)
			for _, n := range slots {
				ks.Slot(n).Lock()
			}
			ks.Changed(&w, now)
			ks.Unwatch(&w, HoldsLocks)
			for _, n := range slots {
				ks.Slot(n).Unlock()
			}
		})
	}
	wg.Wait()
	require.NotZero(t, effects.Load())

	var keys, bytes, expiring int64
	for n := range uint16(4) {
		s := ks.Slot(n)
		require.Empty(t, s.watches)
		s.Walk(func(e *Entry) bool {
			keys++
			bytes += e.Size()
			if e.ExpireAt() != 0 {
				expiring++
			}
			return true
		})
	}
	st := ks.Stats(0)
	require.Equal(t, []int64{keys, bytes, expiring}, []int64{st.Keys, st.Bytes, st.Expiring})
	// Nothing that is due was lost from the sweep's sight.
	for next := int64(0); next <= 1<<40; {
		_, next = ks.ExpireDue(1<<40, 1000)
	}
	require.Zero(t, ks.Stats(0).Expiring)
}
