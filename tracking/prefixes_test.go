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

// told is what is told of changes, a line for each prefix.
func told(p *Prefixes[int], changes ...Change[int]) (lines []string) {
	p.Tell(changes, func(changes []Change[int], listeners map[int]struct{}) {
		lines = append(lines, fmt.Sprint(changes, slices.Sorted(maps.Keys(listeners))))
	})
	return lines
}

func TestPrefixes(t *testing.T) {
	var p Prefixes[int]
	require.False(t, p.Matches("user:1"))
	p.Join("user:", 1)
	p.Join("user:", 2)
	p.Join("user:12", 1)
	require.True(t, p.Matches("user:1"))
	require.False(t, p.Matches("user"))
	p.Join("", 3)
	require.True(t, p.Matches("user"))
	require.EqualValues(t, 3, p.Count())
	require.Equal(t, []string{
		"[{user 9} {user:1 8} {user:2 0}] [3]",
		"[{user:1 8} {user:2 0}] [1 2]",
	}, told(&p, Change[int]{"user:2", 7}, Change[int]{"user:1", 8}, Change[int]{"user:2", 0}, Change[int]{"user", 9}))
	require.Empty(t, told(&p))

	p.Leave("user:12", 1)
	p.Leave("user:12", 1)
	p.Leave("user:", 2)
	require.Equal(t, []string{"[{user:123 1}] [3]", "[{user:123 1}] [1]"}, told(&p, Change[int]{"user:123", 1}))
	p.Leave("user:", 1)
	p.Leave("", 3)
	require.Zero(t, p.Count())
	require.False(t, p.Matches("user:1"))
	require.Empty(t, told(&p, Change[int]{"user:1", 1}))
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
		var want []string
		for _, name := range slices.Sorted(maps.Keys(model)) {
			if strings.HasPrefix(key, name) {
				want = append(want, fmt.Sprintf("[{%s 1}] [1]", key))
			}
		}
		require.EqualValues(t, len(model), p.Count())
		require.Equal(t, len(want) > 0, p.Matches(key))
		require.Equal(t, want, told(&p, Change[int]{key, 1}))
	}
}

// TestListenersComeAndGo has keys looked up and told of while they do.
func TestListenersComeAndGo(t *testing.T) {
	var p Prefixes[int]
	var mu sync.Mutex // of Join, Leave and Tell, and guards heard
	p.Join("", 1)
	heard := 0
	const writers, keys = 4, 2000
	var wg sync.WaitGroup
	for w := range writers {
		wg.Add(1)
		go func() { // ends by itself
			defer wg.Done()
			for i := range keys {
				key := fmt.Sprint(w, ":", i)
				if !p.Matches(key) {
					t.Errorf("nobody wants %s", key)
				}
				mu.Lock()
				p.Tell([]Change[int]{{key, w}}, func(_ []Change[int], listeners map[int]struct{}) {
					if _, everything := listeners[1]; everything {
						heard++
					}
				})
				mu.Unlock()
			}
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
	require.Equal(t, writers*keys, heard)
	require.EqualValues(t, 1, p.Count())
}
