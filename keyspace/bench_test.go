package keyspace

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAllocations asserts what the server's throughput rests on. The hook is in
// place, as it always is in a server.
func TestAllocations(t *testing.T) {
	ks := New(Options{Seed: 1, Hook: func(uint16, Effect) {}})
	s := ks.Slot(0)
	key, value, argv := []byte("key:000000000001"), []byte("xxx"), args("SET", "key:000000000001", "xxx")
	v := NewString(value)
	write := func() { s.Set(key, v, 0, 5, Cause{Class: Strings, Event: "set", Args: argv}) }
	write()
	counts := map[string]float64{
		"GET":            testing.AllocsPerRun(100, func() { s.Lookup(key, 5, 0) }),
		"miss":           testing.AllocsPerRun(100, func() { s.Lookup(value, 5, 0) }),
		"SET":            testing.AllocsPerRun(100, write),
		"short value":    testing.AllocsPerRun(100, func() { v = NewString(value) }),
		"number":         testing.AllocsPerRun(100, func() { v = NewString([]byte("123456789")) }),
		"embstr value":   testing.AllocsPerRun(100, func() { v = NewString(key[:]) }),
		"SET with value": testing.AllocsPerRun(100, func() { v = NewString(value); write() }),
		"EXPIRE": testing.AllocsPerRun(100, func() {
			s.SetExpiry(s.Lookup(key, 5, ForWrite), 100, Cause{As: RetimeForm})
		}),
		"sweep with nothing due": testing.AllocsPerRun(100, func() { ks.ExpireDue(5, 10) }),
	}
	require.Equal(t, map[string]float64{
		"GET": 0, "miss": 0, "SET": 0, "EXPIRE": 0, "sweep with nothing due": 0,
		"short value": 1, "number": 1, "embstr value": 1, "SET with value": 1,
	}, counts)
}

var sizes = []int{1, 60, 1_000_000}

func filled(n int) (*Slot, [][]byte) {
	s := New(Options{Seed: 1, Hook: func(uint16, Effect) {}}).Slot(0)
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "key:%012d", i*7919%n)
		s.Set(keys[i], NewText([]byte("xxx")), 0, 0, Cause{})
	}
	return s, keys
}

func BenchmarkGet(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			s, keys := filled(n)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s.Lock()
				s.Lookup(keys[i], 0, 0)
				s.Unlock()
				if i++; i == n {
					i = 0
				}
			}
		})
	}
}

func BenchmarkSet(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			s, keys := filled(n)
			value := []byte("xxx")
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s.Lock()
				s.Set(keys[i], NewString(value), 0, 0, Cause{Class: Strings, Event: "set"})
				s.Unlock()
				if i++; i == n {
					i = 0
				}
			}
		})
	}
}

func BenchmarkRandomKey(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			s, _ := filled(n)
			x := uint64(1)
			random := func() uint64 { x = x*6364136223846793005 + 1442695040888963407; return x ^ x>>29 }
			for b.Loop() {
				s.ks.RandomKey(random, 0, TakeLocks)
			}
		})
	}
}

func BenchmarkSweep(b *testing.B) {
	s, keys := filled(60)
	b.Run("nothing due", func(b *testing.B) {
		for b.Loop() {
			s.ks.ExpireDue(0, 1000)
		}
	})
	b.Run("one due", func(b *testing.B) {
		for b.Loop() {
			s.Set(keys[0], NewInt(1), 1, 0, Cause{})
			s.ks.ExpireDue(2, 1000)
		}
	})
}
