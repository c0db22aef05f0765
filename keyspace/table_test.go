package keyspace

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestResizingIsBoundedPerOperation takes a table to a million keys and back. No
// operation may move more than its share, and a move must be over before the
// next one is due.
func TestResizingIsBoundedPerOperation(t *testing.T) {
	const keys = 1 << 20
	r := rand.New(rand.NewPCG(1, 2))
	tb := newTable()
	entries := make([]*Entry, keys)
	most, longest := 0, 0
	step := func() {
		moved, emptied := tb.resize()
		most, longest = max(most, moved), max(longest, emptied)
	}
	for i := range entries {
		entries[i] = &Entry{hash: r.Uint64()}
		tb.insert(entries[i])
		step()
		if size := 1 << tb.buckets.bits; size > 64 && tb.length > size {
			t.Fatalf("%d keys in %d buckets, moving %v", tb.length, size, tb.moving)
		}
	}
	require.EqualValues(t, 20, tb.buckets.bits)
	// One bucket is moved whole, so its chain comes on top of the share.
	require.LessOrEqual(t, most, moveEntries+10)
	require.LessOrEqual(t, longest, moveBuckets)

	for i, e := range entries {
		tb.remove(e)
		step()
		if left := keys - i - 1; left > 0 {
			size := 1 << tb.buckets.bits
			if tb.moving {
				size = 1 << tb.old.bits
			}
			if size > max(16, left*shrinkFactor*2) {
				t.Fatalf("%d keys in %d buckets, moving %v", left, size, tb.moving)
			}
		}
	}
	require.LessOrEqual(t, most, moveEntries+10)
	require.LessOrEqual(t, longest, moveBuckets)
}

// TestManyKeysInOneBucket is what the seed protects from; it must be slow, not wrong.
func TestManyKeysInOneBucket(t *testing.T) {
	tb := newTable()
	var all []*Entry
	for i := range 500 {
		e := &Entry{hash: 7, key: string(rune('a' + i))}
		all = append(all, e)
		tb.insert(e)
		tb.resize()
	}
	for _, e := range all {
		require.Same(t, e, tb.find(7, []byte(e.key)))
	}
	for _, e := range all[:499] {
		tb.remove(e)
		tb.resize()
		require.Nil(t, tb.find(7, []byte(e.key)))
	}
	require.Same(t, all[499], tb.find(7, []byte(all[499].key)))
}

// TestWalkSeesEverythingDuringMove walks the table at every stage of a growing
// and of a shrinking move.
func TestWalkSeesEverythingDuringMove(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	tb := newTable()
	var entries []*Entry
	moves := 0
	check := func() {
		t.Helper()
		if tb.moving {
			moves++
		}
		n, last := 0, uint64(0)
		for hash := uint64(0); ; {
			chain, end := tb.region(hash)
			if end < hash {
				t.Fatalf("the region of %x ends at %x", hash, end)
			}
			for e := chain; e != nil; e = e.next {
				if e.hash >= hash {
					if e.hash < last || e.hash > end {
						t.Fatalf("%x after %x in the region to %x", e.hash, last, end)
					}
					last = e.hash
					n++
				}
			}
			if hash = end + 1; hash == 0 {
				break
			}
		}
		require.Equal(t, tb.length, n)
	}
	for range 2500 {
		e := &Entry{hash: r.Uint64()}
		entries = append(entries, e)
		tb.insert(e)
		tb.resize()
		check()
	}
	require.Greater(t, moves, 400)
	moves = 0
	for _, e := range entries {
		tb.remove(e)
		tb.resize()
		check()
	}
	require.Greater(t, moves, 30)
}

// TestMovedBucketsLetGo shows that a table in the middle of a move does not keep
// deleted entries reachable through its old array.
func TestMovedBucketsLetGo(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tb := newTable()
	for tb.length <= 1<<12 {
		tb.insert(&Entry{hash: r.Uint64()})
		tb.resize()
	}
	require.True(t, tb.moving)
	for i := range tb.moved {
		require.Nil(t, tb.old.head(i))
	}
}

func TestEntrySize(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(Entry{}), uintptr(80))
	require.LessOrEqual(t, unsafe.Sizeof(tinyString{}), uintptr(64))
	require.LessOrEqual(t, unsafe.Sizeof(shortString{}), uintptr(96))
}
