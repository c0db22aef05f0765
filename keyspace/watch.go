package keyspace

import (
	"slices"
	"sync/atomic"
)

// Watcher is what one connection has under WATCH. Its list belongs to the
// connection's goroutine; only the mark is set by others.
type Watcher struct {
	dirty atomic.Bool
	keys  []watchedKey
}

type watchedKey struct {
	slot uint16
	key  string
}

// watch is one watcher of one key, in the slot's list.
type watch struct {
	watcher *Watcher
	// expired says that the key was there but past its expiry time when it was
	// watched. Its deletion is no change then.
	expired bool
}

// Slots appends the slots of the watched keys, ascending and each once.
func (w *Watcher) Slots(dst []uint16) []uint16 {
	for _, k := range w.keys {
		dst = append(dst, k.slot)
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

// Watching tells whether any key is watched, so that the common EXEC need not ask.
func (w *Watcher) Watching() bool { return len(w.keys) > 0 }

// Watch puts key under w. A watcher that is already doomed, and a key that it
// already watches, are left as they are.
func (s *Slot) Watch(w *Watcher, key []byte, now int64) {
	if w.dirty.Load() {
		return
	}
	for _, known := range s.watches[string(key)] {
		if known.watcher == w {
			return
		}
	}
	e := s.find(key)
	k := watchedKey{slot: s.number, key: string(key)}
	w.keys = append(w.keys, k)
	if s.watches == nil {
		s.watches = make(map[string][]watch)
	}
	s.watches[k.key] = append(s.watches[k.key], watch{w, e != nil && e.Expired(now)})
}

// Changed tells whether EXEC must fail: a watched key was changed, or it was
// alive when watched and is past its expiry time now. The caller holds the
// locks of all of Slots.
func (ks *Keyspace) Changed(w *Watcher, now int64) bool {
	if w.dirty.Load() {
		return true
	}
	for _, k := range w.keys {
		s := &ks.slots[k.slot]
		e := s.find([]byte(k.key))
		if e == nil || !e.Expired(now) {
			continue
		}
		for _, known := range s.watches[k.key] {
			if known.watcher == w && !known.expired {
				return true
			}
		}
	}
	return false
}

// Unwatch forgets all keys of w and its mark. It takes the slots' locks one at a
// time, unless the caller holds those of Slots.
func (ks *Keyspace) Unwatch(w *Watcher, locks Locks) {
	for _, k := range w.keys {
		s := &ks.slots[k.slot]
		locks.lock(s)
		s.unwatch(w, k.key)
		locks.unlock(s)
	}
	clear(w.keys)
	w.keys = w.keys[:0]
	w.dirty.Store(false)
}

func (s *Slot) unwatch(w *Watcher, key string) {
	list := s.watches[key]
	i := slices.IndexFunc(list, func(k watch) bool { return k.watcher == w })
	if i < 0 {
		return
	}
	if len(list) > 1 {
		last := len(list) - 1
		list[i], list[last] = list[last], watch{}
		s.watches[key] = list[:last]
		return
	}
	delete(s.watches, key)
	if len(s.watches) == 0 {
		s.watches = nil
	}
}

// touchWatched marks the watchers of a key that an effect has changed.
func (s *Slot) touchWatched(e *Entry, gone bool) {
	if len(s.watches) == 0 {
		return
	}
	s.mark(s.watches[e.key], gone)
}

// mark marks watchers, but for those who watched a key that had expired and now
// is gone: to them nothing has changed yet, the next change counts.
func (s *Slot) mark(list []watch, gone bool) {
	for i := range list {
		if list[i].expired && gone {
			list[i].expired = false
		} else {
			list[i].watcher.dirty.Store(true)
		}
	}
}

// touchAllWatched is touchWatched for all keys of the slot, just before they go.
// Watched keys that do not exist are not touched.
func (s *Slot) touchAllWatched() {
	for key, list := range s.watches {
		if s.find([]byte(key)) != nil {
			s.mark(list, true)
		}
	}
}

// Len counts the watched keys.
func (w *Watcher) Len() int { return len(w.keys) }
