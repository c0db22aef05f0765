package tracking

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// naive is a table as one would write it without caring for time.
type naive map[uint16]map[string]map[int]bool

func (n naive) add(slot uint16, key string, r int) {
	if n[slot] == nil {
		n[slot] = map[string]map[int]bool{}
	}
	if n[slot][key] == nil {
		n[slot][key] = map[int]bool{}
	}
	n[slot][key][r] = true
}

func (n naive) counts() (keys, items int64) {
	for _, slot := range n {
		keys += int64(len(slot))
		for _, readers := range slot {
			items += int64(len(readers))
		}
	}
	return keys, items
}

func sorted(readers *Readers[int]) []int {
	if readers == nil {
		return nil
	}
	return slices.Sorted(readers.All)
}

// plain turns what was taken into what the naive table holds.
func plain(taken map[string]*Readers[int]) map[string][]int {
	m := map[string][]int{}
	for key, readers := range taken {
		m[key] = sorted(readers)
	}
	return m
}

func (n naive) plain(slot uint16, wanted func(string) bool) map[string][]int {
	m := map[string][]int{}
	for key, readers := range n[slot] {
		if wanted(key) {
			m[key] = slices.Sorted(maps.Keys(readers))
		}
	}
	return m
}

// TestTableIsTheNaiveOne compares every operation with the naive table's.
func TestTableIsTheNaiveOne(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		table, model := &Table[int]{}, naive{}
		slots := []uint16{0, 1, 63, 64, 9000, slotCount - 1}
		for step := range 3000 {
			slot := slots[rnd.IntN(len(slots))]
			key := fmt.Sprint("key", rnd.IntN(8))
			reader := rnd.IntN(10)
			all := func(string) bool { return true }
			switch what := rnd.IntN(100); {
			case what < 75:
				table.Add(slot, []byte(key), reader)
				model.add(slot, key, reader)
			case what < 85:
				want := slices.Sorted(maps.Keys(model[slot][key]))
				require.Equal(t, want, sorted(table.Take(slot, key)), "seed %d, step %d", seed, step)
				delete(model[slot], key)
			case what < 88:
				require.Equal(t, model.plain(slot, all), plain(table.TakeSlot(slot)))
				delete(model, slot)
			case what < 91:
				odd := func(key string) bool { return (key[3]-'0')%2 == 1 }
				require.Equal(t, model.plain(slot, odd), plain(table.TakeFrom(slot, odd)))
				maps.DeleteFunc(model[slot], func(key string, _ map[int]bool) bool { return odd(key) })
			case what < 98:
				gone := func(r int) bool { return r%3 == reader%3 }
				require.Equal(t, len(model[slot]), table.Sweep(slot, 1000, gone))
				for _, readers := range model[slot] {
					maps.DeleteFunc(readers, func(r int, _ bool) bool { return gone(r) })
				}
				maps.DeleteFunc(model[slot], func(_ string, readers map[int]bool) bool { return len(readers) == 0 })
			case what == 99:
				table.Clear()
				clear(model)
			}
			keys, items := model.counts()
			require.Equal(t, [2]int64{keys, items}, [2]int64{table.Keys(), table.Items()}, "seed %d, step %d", seed, step)
			for _, slot := range slots {
				any, ok := table.Any(slot)
				require.Equal(t, len(model[slot]) > 0, ok)
				if ok {
					require.Contains(t, model[slot], any)
				}
				filled, found := table.Filled(int(slot))
				require.Equal(t, len(model[slot]) > 0, found && filled == slot)
			}
		}
	}
}

// TestSweepIsBounded looks at a slot with more keys than one call may look at.
func TestSweepIsBounded(t *testing.T) {
	var table Table[int]
	for i := range 1000 {
		table.Add(7, fmt.Append(nil, i), 1)
	}
	require.Equal(t, 100, table.Sweep(7, 100, func(int) bool { return true }))
	require.EqualValues(t, 900, table.Keys())
	require.EqualValues(t, 900, table.Items())
}

// TestAKnownReaderCostsNothing is what a client that reads a key again and again
// makes the table do.
func TestAKnownReaderCostsNothing(t *testing.T) {
	var table Table[int]
	key := []byte("key")
	table.Add(1, key, 1)
	table.Add(1, key, 2)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		table.Add(1, key, 1)
		table.Add(1, key, 2)
	}))
	table.Clear()
	require.Zero(t, testing.AllocsPerRun(100, func() { table.Take(1, "key") }))
}

// TestSlotsAreIndependent has readers, writers and the sweep work on different
// slots at once, each under its own lock, and counts what is left.
func TestSlotsAreIndependent(t *testing.T) {
	var table Table[int]
	var locks [8]sync.Mutex
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Add(1)
		go func() { // ends by itself
			defer wg.Done()
			rnd := rand.New(rand.NewPCG(uint64(worker), 2))
			for range 5000 {
				slot := uint16(rnd.IntN(len(locks)))
				key := fmt.Sprint(rnd.IntN(20))
				locks[slot].Lock()
				switch rnd.IntN(4) {
				case 0:
					table.Take(slot, key)
				case 1:
					table.Sweep(slot, 5, func(r int) bool { return r == worker })
				default:
					table.Add(slot, []byte(key), rnd.IntN(8))
				}
				locks[slot].Unlock()
				table.Filled(0)
			}
		}()
	}
	wg.Wait()
	keys, items := 0, 0
	for slot := range uint16(len(locks)) {
		taken := table.TakeSlot(slot)
		keys += len(taken)
		for _, readers := range taken {
			items += readers.Len()
		}
	}
	require.NotZero(t, keys)
	require.GreaterOrEqual(t, items, keys)
	require.Zero(t, table.Keys())
	require.Zero(t, table.Items())
	_, ok := table.Filled(0)
	require.False(t, ok)
}
