package tracking

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// Prefixes are the beginnings of keys that somebody wants to hear of, and the
// keys that have changed since they were last told.
//
// Note may be called from any goroutine. Join, Leave and Flush are called under
// one lock of the caller's, which thereby decides what a listener that comes or
// goes still hears. The zero value has no prefix.
type Prefixes[L comparable] struct {
	names   atomic.Int64
	waiting atomic.Int64

	mu     sync.Mutex // guards the rest; nothing is called under it
	byName map[string]*prefix[L]
	// lengths are those that occur, ascending: a key is looked up by as many
	// beginnings of it, however many prefixes there are.
	lengths  []int
	ofLength map[int]int
	touched  []*prefix[L] // those with changed keys
}

type prefix[L comparable] struct {
	name      string
	listeners map[L]struct{} // changed by Join and Leave, with mu held
	changed   map[string]L
}

// Change is a key that has changed, and who changed it last; the zero value for
// nobody.
type Change[L comparable] struct {
	Key string
	By  L
}

// Count is the number of prefixes.
func (p *Prefixes[L]) Count() int64 { return p.names.Load() }

// Waiting reports keys that are noted and not yet told to everybody.
func (p *Prefixes[L]) Waiting() bool { return p.waiting.Load() > 0 }

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
		p.names.Add(1)
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
	p.names.Add(-1)
	p.waiting.Add(-int64(len(pr.changed)))
	pr.changed = nil
	n := len(name)
	if p.ofLength[n]--; p.ofLength[n] == 0 {
		delete(p.ofLength, n)
		i, _ := slices.BinarySearch(p.lengths, n)
		p.lengths = slices.Delete(p.lengths, i, i+1)
	}
}

// Note keeps a key that has changed for each prefix that it begins with.
func (p *Prefixes[L]) Note(key string, by L) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.lengths {
		if n > len(key) {
			return
		}
		pr := p.byName[key[:n]]
		if pr == nil {
			continue
		}
		if pr.changed == nil {
			pr.changed = make(map[string]L)
			p.touched = append(p.touched, pr)
		}
		before := len(pr.changed)
		pr.changed[key] = by
		p.waiting.Add(int64(len(pr.changed) - before))
	}
}

// Flush hands what has changed to tell, prefix by prefix in the order of their
// names, the keys in the order of their bytes. Only when all is told do they no
// longer count as waiting.
func (p *Prefixes[L]) Flush(tell func(changes []Change[L], listeners map[L]struct{})) {
	p.mu.Lock()
	touched := p.touched
	p.touched = nil
	changed := make([]map[string]L, len(touched))
	slices.SortFunc(touched, func(a, b *prefix[L]) int { return cmp.Compare(a.name, b.name) })
	for i, pr := range touched {
		changed[i], pr.changed = pr.changed, nil
	}
	p.mu.Unlock()
	for i, keys := range changed {
		if len(keys) == 0 {
			continue // its last listener has left
		}
		changes := make([]Change[L], 0, len(keys))
		for key, by := range keys {
			changes = append(changes, Change[L]{key, by})
		}
		slices.SortFunc(changes, func(a, b Change[L]) int { return cmp.Compare(a.Key, b.Key) })
		tell(changes, touched[i].listeners)
		p.waiting.Add(-int64(len(keys)))
	}
}
