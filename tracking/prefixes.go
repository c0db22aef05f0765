package tracking

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Prefixes are the beginnings of keys that somebody wants to hear of.
//
// Matches and Count may be called from any goroutine. Join, Leave and Tell are
// called under one lock of the caller's, which thereby decides what a listener
// that comes or goes still hears. The zero value has no prefix.
type Prefixes[L comparable] struct {
	count atomic.Int64

	mu     sync.RWMutex // guards the rest against Join and Leave
	byName map[string]*prefix[L]
	// lengths are those that occur, ascending: a key is looked up by as many
	// beginnings of it, however many prefixes there are.
	lengths  []int
	ofLength map[int]int
}

type prefix[L comparable] struct {
	name      string
	listeners map[L]struct{}
}

// Change is a key that has changed, and who changed it; the zero value for
// nobody.
type Change[L comparable] struct {
	Key string
	By  L
}

// Count is the number of prefixes.
func (p *Prefixes[L]) Count() int64 { return p.count.Load() }

// Join makes l a listener of a prefix.
func (p *Prefixes[L]) Join(name string, l L) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pr := p.byName[name]
	if pr == nil {
		pr = &prefix[L]{name: name, listeners: make(map[L]struct{})}
		if p.byName == nil {
			p.byName, p.ofLength = make(map[string]*prefix[L]), make(map[int]int)
		}
		p.byName[name] = pr
		p.count.Add(1)
		n := len(name)
		if p.ofLength[n]++; p.ofLength[n] == 1 {
			i, _ := slices.BinarySearch(p.lengths, n)
			p.lengths = slices.Insert(p.lengths, i, n)
		}
	}
	pr.listeners[l] = struct{}{}
}

// Leave takes l from the listeners of a prefix, which goes with its last one.
func (p *Prefixes[L]) Leave(name string, l L) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pr := p.byName[name]
	if pr == nil {
		return
	}
	delete(pr.listeners, l)
	if len(pr.listeners) > 0 {
		return
	}
	delete(p.byName, name)
	p.count.Add(-1)
	n := len(name)
	if p.ofLength[n]--; p.ofLength[n] == 0 {
		delete(p.ofLength, n)
		i, _ := slices.BinarySearch(p.lengths, n)
		p.lengths = slices.Delete(p.lengths, i, i+1)
	}
}

// Matches reports whether somebody may want to hear of a key.
func (p *Prefixes[L]) Matches(key string) bool {
	if p.count.Load() == 0 {
		return false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	for range p.of(key) {
		return true
	}
	return false
}

// of yields the prefixes of a key.
func (p *Prefixes[L]) of(key string) func(func(*prefix[L]) bool) {
	return func(yield func(*prefix[L]) bool) {
		for _, n := range p.lengths {
			if n > len(key) {
				return
			}
			if pr := p.byName[key[:n]]; pr != nil && !yield(pr) {
				return
			}
		}
	}
}

// Tell hands out what has changed, prefix by prefix in the order of their names,
// the keys in the order of their bytes and each once. Who changed a key last
// counts.
func (p *Prefixes[L]) Tell(changed []Change[L], tell func(changes []Change[L], listeners map[L]struct{})) {
	byPrefix := make(map[*prefix[L]]map[string]L)
	for _, c := range changed {
		for pr := range p.of(c.Key) {
			if byPrefix[pr] == nil {
				byPrefix[pr] = make(map[string]L)
			}
			byPrefix[pr][c.Key] = c.By
		}
	}
	byName := func(a, b *prefix[L]) int { return cmp.Compare(a.name, b.name) }
	for _, pr := range slices.SortedFunc(maps.Keys(byPrefix), byName) {
		keys := byPrefix[pr]
		changes := make([]Change[L], 0, len(keys))
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			changes = append(changes, Change[L]{key, keys[key]})
		}
		tell(changes, pr.listeners)
	}
}
