package keyspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWatch has the outcomes that redis-server 7.0.15 shows for the same steps.
func TestWatch(t *testing.T) {
	key := []byte("k")
	type world struct {
		ks  *Keyspace
		s   *Slot
		now int64
	}
	alive := func(w *world) { set(w.s, "k", "v", 0, w.now) }
	brief := func(w *world) { set(w.s, "k", "v", w.now+5, w.now) }
	dead := func(w *world) { set(w.s, "k", "v", w.now-1, w.now) }
	none := func(*world) {}
	get := func(w *world) { w.s.Lookup(key, w.now, 0) }
	wait := func(w *world) { w.now += 10 }
	del := func(w *world) {
		if e := w.s.Lookup(key, w.now, ForWrite); e != nil {
			w.s.Delete(e, Cause{})
		}
	}
	flush := func(w *world) { w.ks.FlushAll(Cause{}) }
	drop := func(w *world) { w.s.Drop() }
	sweep := func(w *world) { w.ks.ExpireDue(w.now, 10) }
	other := func(w *world) { set(w.s, "other", "v", 0, w.now) }
	retime := func(w *world) { w.s.SetExpiry(w.s.Lookup(key, w.now, 0), w.now+100, Cause{}) }
	write := func(w *world) { w.s.WriteAt(key, 0, []byte("x"), w.now, Cause{}) }
	replace := func(w *world) { w.s.Replace(w.s.Lookup(key, w.now, 0), NewInt(1), Cause{}) }

	for _, c := range []struct {
		name    string
		before  func(*world)
		after   []func(*world)
		changed bool
	}{
		{"untouched", alive, nil, false},
		{"read", alive, []func(*world){get}, false},
		{"another key", alive, []func(*world){other}, false},
		{"set", alive, []func(*world){alive}, true},
		{"created", none, []func(*world){alive}, true},
		{"created and deleted", none, []func(*world){alive, del}, true},
		{"deleted", alive, []func(*world){del}, true},
		{"retimed", alive, []func(*world){retime}, true},
		{"written into", alive, []func(*world){write}, true},
		{"replaced", alive, []func(*world){replace}, true},
		{"flushed", alive, []func(*world){flush}, true},
		{"slot dropped", alive, []func(*world){drop}, true},
		{"flush of others", none, []func(*world){other, flush}, false},
		{"drop of others", none, []func(*world){other, drop}, false},
		{"expired since", brief, []func(*world){wait}, true},
		{"expired since, read", brief, []func(*world){wait, get}, true},
		{"expired since, swept", brief, []func(*world){wait, sweep}, true},
		{"expired since, flushed", brief, []func(*world){wait, flush}, true},
		{"expired before", dead, nil, false},
		{"expired before, read", dead, []func(*world){get}, false},
		{"expired before, deleted", dead, []func(*world){del}, false},
		{"expired before, swept", dead, []func(*world){sweep}, false},
		{"expired before, set", dead, []func(*world){alive}, true},
		{"expired before, read, set", dead, []func(*world){get, alive}, true},
		{"expired before, flushed", dead, []func(*world){flush}, false},
		{"expired before, flushed, set", dead, []func(*world){flush, alive}, true},
		{"expired before, dropped, set", dead, []func(*world){drop, alive}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{now: 1000}
			w.ks = New(Options{})
			w.s = w.ks.Slot(4)
			c.before(w)
			var watcher Watcher
			w.s.Watch(&watcher, key, w.now)
			w.s.Watch(&watcher, key, w.now)
			require.Equal(t, []uint16{4}, watcher.Slots(nil))
			require.True(t, watcher.Watching())
			for _, step := range c.after {
				step(w)
			}
			require.Equal(t, c.changed, w.ks.Changed(&watcher, w.now))
			w.ks.Unwatch(&watcher, TakeLocks)
			require.False(t, w.ks.Changed(&watcher, w.now))
			require.False(t, watcher.Watching())
			require.Nil(t, w.s.watches, "nothing is left behind")
			alive(w)
			require.False(t, w.ks.Changed(&watcher, w.now))
		})
	}
}

func TestWatchersAreIndependent(t *testing.T) {
	ks := New(Options{})
	a, b := ks.Slot(9), ks.Slot(3)
	var w [3]Watcher
	for i := range w {
		a.Watch(&w[i], []byte("x"), 0)
	}
	b.Watch(&w[0], []byte("y"), 0)
	a.Watch(&w[0], []byte("z"), 0)
	require.Equal(t, []uint16{3, 9}, w[0].Slots(nil))

	ks.Unwatch(&w[1], TakeLocks)
	set(a, "x", "1", 0, 0)
	require.True(t, ks.Changed(&w[0], 0))
	require.False(t, ks.Changed(&w[1], 0))
	require.True(t, ks.Changed(&w[2], 0))

	// A doomed watcher takes no more keys until EXEC has told it.
	b.Watch(&w[2], []byte("q"), 0)
	require.Equal(t, []uint16{9}, w[2].Slots(nil))

	b.Lock()
	a.Lock()
	ks.Unwatch(&w[0], HoldsLocks)
	a.Unlock()
	b.Unlock()
	ks.Unwatch(&w[2], TakeLocks)
	require.Nil(t, a.watches)
	require.Nil(t, b.watches)
}
