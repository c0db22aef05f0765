package server

import (
	"fmt"
	"sync"
	"time"
)

// slowlog keeps the latest commands that took longer than
// slowlog-log-slower-than.
type slowlog struct {
	mu      sync.Mutex  // guards the rest
	entries []slowEntry // newest last
	nextID  int64
}

type slowEntry struct {
	id         int64
	at         time.Time
	took       time.Duration
	args       [][]byte
	addr, name string
}

// An entry keeps so many arguments, each so long, at most.
const (
	slowlogMaxArgs = 32
	slowlogMaxArg  = 128
)

// record notes a command if it was slow enough.
func (l *slowlog) record(cl *call, took time.Duration) {
	v := cl.server.config.Values()
	if v.SlowlogMicros < 0 || took.Microseconds() < v.SlowlogMicros {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, slowEntry{
		id: l.nextID, at: cl.server.clock.time(cl.start), took: took, args: slowArgs(cl.shownArgs()),
		addr: cl.conn.remoteAddr(), name: cl.conn.identity.Load().name,
	})
	l.nextID++
	if over := len(l.entries) - int(v.SlowlogMaxLen); over > 0 {
		l.entries = append([]slowEntry(nil), l.entries[over:]...)
	}
}

// slowArgs copies arguments, cutting what is long or many as Redis does.
func slowArgs(args [][]byte) [][]byte {
	n := min(len(args), slowlogMaxArgs)
	out := make([][]byte, n)
	for i := range out {
		switch a := args[i]; {
		case len(args) > slowlogMaxArgs && i == slowlogMaxArgs-1:
			out[i] = fmt.Appendf(nil, "... (%d more arguments)", len(args)-slowlogMaxArgs+1)
		case len(a) > slowlogMaxArg:
			out[i] = fmt.Appendf(nil, "%s... (%d more bytes)", a[:slowlogMaxArg], len(a)-slowlogMaxArg)
		default:
			out[i] = append([]byte(nil), a...)
		}
	}
	return out
}

// latest returns the newest entries, newest first; -1 asks for all.
func (l *slowlog) latest(count int64) []slowEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.entries)
	if count >= 0 && count < int64(n) {
		n = int(count)
	}
	list := make([]slowEntry, 0, n)
	for i := len(l.entries) - 1; len(list) < n; i-- {
		list = append(list, l.entries[i])
	}
	return list
}

func (l *slowlog) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}

// reset forgets the entries; their numbers go on.
func (l *slowlog) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = nil
}
