package tracking

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// told is what one Flush has said, a line for each prefix.
func told(p *Prefixes[int]) (lines []string) {
	p.Flush(func(changes []Change[int], listeners map[int]struct{}) {
		lines = append(lines, fmt.Sprint(changes, slices.Sorted(maps.Keys(listeners))))
	})
	return lines
}

func TestPrefixes(t *testing.T) {
	var p Prefixes[int]
	p.Note("nobody", 1)
	require.False(t, p.Waiting())
	p.Join("user:", 1)
	p.Join("user:", 2)
	p.Join("", 3)
	p.Join("user:12", 1)
	require.EqualValues(t, 3, p.Count())
	p.Note("user:2", 7)
	p.Note("user:1", 8)
	p.Note("user:2", 0) // who came last counts
	p.Note("user", 9)
	require.True(t, p.Waiting())
	require.Equal(t, []string{
		"[{user 9} {user:1 8} {user:2 0}] [3]",
		"[{user:1 8} {user:2 0}] [1 2]",
	}, told(&p))
	require.False(t, p.Waiting())
	require.Empty(t, told(&p))

	p.Note("user:1", 1)
	p.Note("user:123", 1)
	p.Leave("user:12", 1) // what waits for a prefix goes with it
	p.Leave("user:12", 1)
	p.Leave("user:", 2)
	require.Equal(t, []string{"[{user:1 1} {user:123 1}] [3]", "[{user:1 1} {user:123 1}] [1]"}, told(&p))
	p.Leave("user:", 1)
	p.Note("user:1", 1)
	p.Leave("", 3)
	require.False(t, p.Waiting())
	require.Zero(t, p.Count())
	require.Empty(t, told(&p))
	p.Note("user:1", 1)
	require.False(t, p.Waiting())
}

// TestPrefixesAreThoseThatAKeyHas compares the look-up by length with a look at
// every prefix.
func TestPrefixesAreThoseThatAKeyHas(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	word := func(most int) string {
		b := make([]byte, rnd.IntN(most+1))
		for i := range b {
			b[i] = "ab"[rnd.IntN(2)]
		}
		return string(b)
	}
	var p Prefixes[int]
	model := map[string]bool{}
	for range 3000 {
		if name := word(5); rnd.IntN(2) == 0 {
			p.Join(name, 1)
			model[name] = true
		} else {
			p.Leave(name, 1)
			delete(model, name)
		}
		key := word(7)
		p.Note(key, 1)
		var want []string
		for _, name := range slices.Sorted(maps.Keys(model)) {
			if strings.HasPrefix(key, name) {
				want = append(want, fmt.Sprintf("[{%s 1}] [1]", key))
			}
		}
		require.EqualValues(t, len(model), p.Count())
		require.Equal(t, want, told(&p))
	}
}

// TestNoChangeIsLost has keys change while others are told and listeners come
// and go.
func TestNoChangeIsLost(t *testing.T) {
	var p Prefixes[int]
	var mu sync.Mutex // of Join, Leave and Flush
	p.Join("", 1)
	heard := map[string]int{}
	flush := func() {
		mu.Lock()
		defer mu.Unlock()
		p.Flush(func(changes []Change[int], listeners map[int]struct{}) {
			if _, everything := listeners[1]; everything {
				for _, c := range changes {
					heard[c.Key]++
				}
			}
		})
	}
	const writers, keys = 4, 2000
	var wg sync.WaitGroup
	for w := range writers {
		wg.Add(1)
		go func() { // ends by itself
			defer wg.Done()
			for i := range keys {
				p.Note(fmt.Sprint(w, ":", i), w)
				if !p.Waiting() {
					// Another one has told of it already.
					mu.Lock()
					n := heard[fmt.Sprint(w, ":", i)]
					mu.Unlock()
					if n == 0 {
						t.Errorf("key %d:%d does not wait and was not told", w, i)
					}
				}
				if i%7 == 0 {
					flush()
				}
			}
			flush()
		}()
	}
	wg.Add(1)
	go func() { // ends by itself
		defer wg.Done()
		for i := range keys {
			mu.Lock()
			p.Join(fmt.Sprint(i%writers), 2)
			mu.Unlock()
			mu.Lock()
			p.Leave(fmt.Sprint(i%writers), 2)
			mu.Unlock()
		}
	}()
	wg.Wait()
	require.False(t, p.Waiting())
	require.Len(t, heard, writers*keys)
}
