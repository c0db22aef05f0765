package keyspace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listener writes down what the hook sees: the event with its key, and the
// command as it would be propagated.
type listener struct{ lines []string }

func (l *listener) hook(slot uint16, e Effect) {
	var words []string
	for _, w := range e.AppendCommand(nil) {
		words = append(words, string(w))
	}
	l.lines = append(l.lines, strings.TrimSpace(fmt.Sprintf("%d %s(%s) %s", slot, e.Event, e.Key, strings.Join(words, " "))))
}

func (l *listener) take() []string {
	lines := l.lines
	l.lines = nil
	return lines
}

func args(words ...string) (list [][]byte) {
	for _, w := range words {
		list = append(list, []byte(w))
	}
	return list
}

// TestEffects has the events in the order of redis-server 7.0.15, and its
// propagated commands, for what the handlers of these commands do.
func TestEffects(t *testing.T) {
	var l listener
	ks := New(Options{Hook: l.hook})
	s := ks.Slot(8)
	key, now := []byte("k"), int64(1000)

	e := s.Set(key, NewString([]byte("7")), 0, now, Cause{Class: Strings, Event: "set", Args: args("SET", "k", "7")})
	require.Equal(t, []string{"8 new(k)", "8 set(k) SET k 7"}, l.take())

	s.Set(key, NewString([]byte("8")), 5000, now, Cause{Class: Strings, Event: "set", As: SetForm})
	s.Notify(e, Generic, "expire")
	require.Equal(t, []string{"8 set(k) SET k 8 PXAT 5000", "8 expire(k)"}, l.take())

	s.Replace(e, NewText([]byte("8.5")), Cause{Class: Strings, Event: "incrbyfloat", As: SetKeepTTL})
	require.Equal(t, []string{"8 incrbyfloat(k) SET k 8.5 KEEPTTL"}, l.take())

	s.SetExpiry(e, 6000, Cause{Class: Generic, Event: "expire", As: RetimeForm})
	s.SetExpiry(e, 0, Cause{Class: Generic, Event: "persist", As: RetimeForm})
	require.Equal(t, []string{"8 expire(k) PEXPIREAT k 6000", "8 persist(k) PERSIST k"}, l.take())

	s.WriteAt(key, 3, []byte("!"), now, Cause{Class: Strings, Event: "append", Args: args("APPEND", "k", "!")})
	s.WriteAt([]byte("j"), 1, []byte("!"), now, Cause{Class: Strings, Event: "setrange", Args: args("SETRANGE", "j", "1", "!")})
	require.Equal(t, []string{"8 append(k) APPEND k !", "8 new(j)", "8 setrange(j) SETRANGE j 1 !"}, l.take())

	// RENAME k j: the old j goes without an event of its own.
	s.Delete(s.Lookup([]byte("j"), now, ForWrite), Cause{As: Covered})
	to := s.Set([]byte("j"), e.Value(), e.ExpireAt(), now, Cause{As: Covered})
	s.Delete(e, Cause{Class: Generic, Event: "rename_from", Args: args("RENAME", "k", "j")})
	s.Notify(to, Generic, "rename_to")
	require.Equal(t, []string{"8 (j)", "8 new(j)", "8 (j)", "8 rename_from(k) RENAME k j", "8 rename_to(j)"}, l.take())

	s.Delete(to, Cause{Class: Generic, Event: "del", As: UnlinkForm})
	require.Equal(t, []string{"8 del(j) UNLINK j"}, l.take())

	// An expired key goes on whichever way it is met.
	for name, meet := range map[string]func(){
		"read":  func() { s.Lookup(key, now+10, NoNotify) },
		"sweep": func() { ks.ExpireDue(now+10, 5) },
		"scan":  func() { ks.Scan(0, 10, now+10, TakeLocks, func(*Entry) {}) },
		"random": func() {
			ks.RandomKey(func() uint64 { return 0 }, now+10, TakeLocks)
		},
	} {
		set(s, "k", "v", now+1, now)
		l.take()
		meet()
		require.Equal(t, []string{"8 expired(k) DEL k"}, l.take(), name)
		require.Zero(t, s.Len())
	}
	set(s, "k", "v", now+1, now)
	l.take()
	s.Set(key, NewInt(1), 0, now+10, Cause{Class: Strings, Event: "set", As: SetForm})
	require.Equal(t, []string{"8 expired(k) DEL k", "8 new(k)", "8 set(k) SET k 1"}, l.take())

	s.Lookup([]byte("missing"), now, 0)
	require.Empty(t, l.take())
	ks.RaiseMisses(true)
	s.Lookup([]byte("missing"), now, 0)
	s.Lookup([]byte("missing"), now, ForWrite)
	s.Lookup([]byte("missing"), now, Peek)
	require.Equal(t, []string{"8 keymiss(missing)"}, l.take())

	ks.FlushAll(Cause{Args: args("FLUSHALL")})
	require.Equal(t, []string{"0 () FLUSHALL"}, l.take())
}

// TestDropShowsTheKeysFirst is what a listener needs that tells others of each
// key of a slot that this node has lost.
func TestDropShowsTheKeysFirst(t *testing.T) {
	var ks *Keyspace
	var gone []string
	ks = New(Options{Hook: func(slot uint16, e Effect) {
		if e.Change == Dropped {
			ks.Slot(slot).Walk(func(e *Entry) bool { gone = append(gone, e.Key()); return true })
		}
	}})
	s := ks.Slot(8)
	require.Zero(t, s.Drop())
	for i := range 100 {
		set(s, fmt.Sprint(i), "v", int64(i), 0)
	}
	set(ks.Slot(9), "other", "v", 77, 0)
	want := s.Keys(100)
	require.Equal(t, 100, s.Drop())
	require.Equal(t, want, gone)
	require.Equal(t, Stats{Keys: 1, Expiring: 1, AverageTTL: 77, Bytes: ks.Bytes()}, ks.Stats(0))
	require.EqualValues(t, never, s.nextExpiry.Load())
	ks.FlushAll(Cause{})
	require.Equal(t, Stats{}, ks.Stats(0))
	require.EqualValues(t, never, ks.Slot(9).nextExpiry.Load())
}

// TestEveryMutatorRaisesTheVersion also shows that a version is never seen twice
// on one key, not even when the key or the slot went in between.
func TestEveryMutatorRaisesTheVersion(t *testing.T) {
	s := New(Options{}).Slot(0)
	var last uint64
	check := func(e *Entry) {
		t.Helper()
		require.Greater(t, e.Version(), last)
		last = e.Version()
	}
	e := set(s, "k", "v", 0, 0)
	check(e)
	check(set(s, "k", "v", 0, 0))
	s.Replace(e, NewInt(1), Cause{})
	check(e)
	s.SetExpiry(e, 10, Cause{})
	check(e)
	check(s.WriteAt([]byte("k"), 0, nil, 0, Cause{}))
	s.Delete(e, Cause{})
	check(set(s, "k", "v", 0, 0))
	s.Drop()
	check(set(s, "k", "v", 0, 0))
	require.Nil(t, s.Lookup([]byte("j"), 0, 0))
	v := e.Version()
	s.Lookup([]byte("k"), 0, 0)
	require.Equal(t, v, e.Version())
}
