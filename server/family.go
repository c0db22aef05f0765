package server

import (
	"sync"
	"sync/atomic"
)

// family is the list of connections that are told of slot changes, by a
// reserved channel, by a pattern that can match one, or by bare pushes. They are
// told from others because they are closed when this node has nothing to say
// any more.
type family struct {
	rows atomic.Int64 // rows queued to subscribers so far

	count atomic.Int32
	mu    sync.Mutex    // guards conns and bare; the innermost lock but for outboxes
	conns map[*conn]int // subscriptions to the family
	bare  map[*conn]struct{}
}

func (f *family) any() bool { return f.count.Load() > 0 }

func (f *family) join(c *conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conns == nil {
		f.conns = make(map[*conn]int)
	}
	f.conns[c]++
	f.count.Store(int32(len(f.conns)))
}

func (f *family) part(c *conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conns[c]--; f.conns[c] <= 0 {
		delete(f.conns, c)
	}
	f.count.Store(int32(len(f.conns)))
}

// closeAll ends the connections of all subscribers, after what is queued for
// them. The connection of the command that is the cause, if it is one of them,
// ends after its reply.
func (f *family) closeAll(cause *conn, reason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.conns {
		if c == cause {
			c.closeAfter = true
		} else {
			c.outbox.closeSoon(reason)
		}
	}
}

// familyRefusal is why this node has no slot changes to tell, nil if it has.
func (s *Server) familyRefusal() error {
	switch {
	case !s.config.Values().SlotsPush:
		return errPushDisabled
	case s.topology.current().Minority():
		return errMinority
	}
	return nil
}
