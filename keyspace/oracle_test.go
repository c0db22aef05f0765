package keyspace

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// twin is the dumb keyspace that the real one is compared with: one slot, a map.
type twin map[string]twinKey

type twinKey struct {
	text     string
	expireAt int64
}

func (m twin) alive(key string, now int64) (twinKey, bool) {
	k, ok := m[key]
	return k, ok && (k.expireAt == 0 || now <= k.expireAt)
}

func text(e *Entry) string { return string(e.Value().(*String).Bytes(nil)) }

func set(s *Slot, key, value string, expireAt, now int64) *Entry {
	return s.Set([]byte(key), NewString([]byte(value)), expireAt, now, Cause{})
}

// checkSlot compares everything that can be seen of the slot with the twin, and
// the counters with what is really there.
func checkSlot(t *testing.T, ks *Keyspace, s *Slot, m twin, now int64) {
	t.Helper()
	seen := map[string]bool{}
	var bytes, sum int64
	expiring := 0
	var last uint64
	s.Walk(func(e *Entry) bool {
		require.False(t, seen[e.key], "%q seen twice", e.key)
		seen[e.key] = true
		require.GreaterOrEqual(t, e.hash, last)
		last = e.hash
		require.Same(t, e, s.find([]byte(e.key)))
		if want, ok := m.alive(e.key, now); ok {
			require.Equal(t, want, twinKey{text(e), e.expireAt}, e.key)
		} else {
			require.True(t, e.Expired(now), "%q is not in the twin", e.key)
		}
		bytes += e.Size()
		require.Equal(t, e.expireAt != 0, e.queued != 0)
		if e.queued != 0 {
			require.Same(t, e, s.table.queue.at(int(e.queued)-1))
			expiring++
			sum += e.expireAt - ks.started
		}
		return true
	})
	for key := range m {
		if _, ok := m.alive(key, now); ok {
			require.True(t, seen[key], "%q is missing", key)
		}
	}
	require.Equal(t, len(seen), s.Len())
	require.EqualValues(t, len(seen), ks.Len())
	require.Equal(t, bytes, ks.Bytes())
	require.EqualValues(t, expiring, ks.Stats(now).Expiring)
	require.Equal(t, sum, s.group.expirySum.Load())
	_, any := ks.NextSlot(0)
	require.Equal(t, len(seen) > 0, any)
	first := int64(never)
	if s.table != nil && expiring > 0 {
		first = s.table.queue.first().expireAt
		for i := 1; i < s.table.queue.length; i++ {
			require.LessOrEqual(t, s.table.queue.at((i-1)/2).expireAt, s.table.queue.at(i).expireAt)
		}
	}
	require.Equal(t, first, s.nextExpiry.Load())
	require.LessOrEqual(t, s.group.nextExpiry.Load(), first)
}

func TestRandomOperationsAgreeWithTwin(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			now := int64(1_000_000)
			ks := New(Options{Seed: seed, Started: now})
			s, m := ks.Slot(77), twin{}
			names := []int{3, 60, 3000}[seed%3]
			// Phases of growing and of shrinking, so that tables resize both ways.
			for step := range 12_000 {
				key := fmt.Sprint("k", r.IntN(names))
				grow := step/3000%2 == 0
				now += int64(r.IntN(3))
				op := r.IntN(100)
				expireAt := int64(0)
				if r.IntN(2) == 0 {
					expireAt = now + int64(r.IntN(2000))
				}
				held, alive := m.alive(key, now)
				switch {
				case op < 50 && grow:
					set(s, key, fmt.Sprint(step), expireAt, now)
					m[key] = twinKey{fmt.Sprint(step), expireAt}
				case op < 50:
					if e := s.Lookup([]byte(key), now, ForWrite); e != nil {
						s.Delete(e, Cause{})
					}
					delete(m, key)
				case op < 60:
					s.WriteAt([]byte(key), held.lengthIf(alive), []byte("+x"), now, Cause{})
					if !alive {
						held = twinKey{}
					}
					m[key] = twinKey{held.text + "+x", held.expireAt}
				case op < 65:
					set(s, key, "kept", KeepTTL, now)
					if !alive {
						held.expireAt = 0
					}
					m[key] = twinKey{"kept", held.expireAt}
				case op < 75:
					if e := s.Lookup([]byte(key), now, ForWrite); e != nil {
						s.SetExpiry(e, expireAt, Cause{})
						m[key] = twinKey{held.text, expireAt}
					}
				case op < 80:
					if e := s.Lookup([]byte(key), now, ForWrite); e != nil {
						s.Replace(e, NewInt(int64(step)), Cause{})
						m[key] = twinKey{fmt.Sprint(step), held.expireAt}
					}
				case op < 82:
					ks.ExpireDue(now, 1+r.IntN(5))
				default:
					e := s.Lookup([]byte(key), now, 0)
					require.Equal(t, alive, e != nil, key)
					if alive {
						require.Equal(t, held, twinKey{text(e), e.ExpireAt()})
					}
				}
				if step%500 == 0 {
					checkSlot(t, ks, s, m, now)
				}
			}
			checkSlot(t, ks, s, m, now)
			now += 10_000
			for {
				if _, next := ks.ExpireDue(now, 100); next > now {
					break
				}
			}
			for key := range m {
				if _, ok := m.alive(key, now); !ok {
					delete(m, key)
				}
			}
			require.Equal(t, len(m), s.Len())
			checkSlot(t, ks, s, m, now)
			require.Equal(t, len(m), s.Drop())
			checkSlot(t, ks, s, twin{}, now)
		})
	}
}

func (k twinKey) lengthIf(alive bool) int {
	if alive {
		return len(k.text)
	}
	return 0
}

// TestOrderDoesNotDependOnHistory shows that two tables with the same keys are
// walked in the same order, however they came to hold them.
func TestOrderDoesNotDependOnHistory(t *testing.T) {
	a, b := New(Options{Seed: 5}).Slot(0), New(Options{Seed: 5}).Slot(0)
	for i := range 1000 {
		set(a, fmt.Sprint(i), "", 0, 0)
	}
	for i := 5000; i >= 0; i-- {
		set(b, fmt.Sprint(i), "", 0, 0)
	}
	for i := 1000; i <= 5000; i++ {
		b.Delete(b.find([]byte(fmt.Sprint(i))), Cause{})
	}
	require.Equal(t, a.Keys(2000), b.Keys(2000))
	require.Len(t, a.Keys(10), 10)
	require.Empty(t, a.Keys(0))
}
