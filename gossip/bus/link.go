package bus

import (
	"net"
	"sync"
	"time"

	"slotcast/gossip"
)

// link is one TCP connection of the bus. Its reader is the goroutine that
// accepted or dialled it; a writer exists only while frames wait.
type link struct {
	id      gossip.LinkID
	bus     *Bus
	created time.Time
	cancel  func() // ends a dial that is under way; nil for accepted links

	// These belong to the reader.
	addr  string // of the peer
	told  bool   // the state machine knows of the link
	heard bool   // a whole frame has come

	mu       sync.Mutex // guards the rest
	conn     net.Conn   // nil while it is dialled
	known    bool       // this node dialled it, or a node of the cluster did
	queue    [][]byte
	bytes    int       // in queue and in the hands of the writer
	fullAt   time.Time // since when bytes is above the limit; zero if it is not
	writing  bool
	closed   bool
	overflow bool
}

// connected takes over a dialled connection, unless the link was closed since.
func (lk *link) connected(nc net.Conn) bool {
	lk.mu.Lock()
	defer lk.mu.Unlock()
	if lk.closed {
		return false
	}
	lk.conn = nc
	return true
}

// close closes the socket; reader and writer end by that.
func (lk *link) close() {
	lk.mu.Lock()
	defer lk.mu.Unlock()
	lk.shut()
}

// shut is close with lk.mu held.
func (lk *link) shut() {
	lk.closed = true
	lk.queue, lk.bytes = nil, 0
	if lk.cancel != nil {
		lk.cancel()
	}
	if lk.conn != nil {
		lk.conn.Close()
	}
}

// end is the last that the reader does. It closes the link and reports it, but
// for one that the state machine closed itself. Only here a LinkDown is
// reported, so nothing follows it.
func (lk *link) end() {
	lk.close()
	b := lk.bus
	if b.forget(lk.id) == nil {
		return
	}
	if !lk.id.Inbound() && !lk.heard {
		b.mu.Lock()
		b.backoff.failed(lk.addr, time.Now())
		b.mu.Unlock()
	}
	if lk.told {
		lk.mu.Lock()
		overflow := lk.overflow
		lk.mu.Unlock()
		b.o.Report(gossip.LinkDown{Link: lk.id, Overflow: overflow})
	}
}

// answersLimit bounds what waits on a link that a node of the cluster opened:
// on it go only answers, of which a peer that reads has few outstanding.
const answersLimit = 1 << 20

// limitGrace is how long more may wait than cluster-link-sendbuf-limit. Redis
// looks ten times a second; so a burst that the peer reads does no harm.
const limitGrace = 100 * time.Millisecond

// send queues a frame. Beyond the limits the link is closed: a peer that takes
// nothing must not fill this node's memory.
func (lk *link) send(frame []byte) {
	lk.mu.Lock()
	defer lk.mu.Unlock()
	if lk.closed || lk.conn == nil {
		return
	}
	lk.queue = append(lk.queue, frame)
	lk.bytes += len(frame)
	if lk.full() {
		lk.overflow = true
		lk.shut() // the reader reports it
		return
	}
	if !lk.writing {
		lk.writing = true
		lk.bus.running.Add(1) // the reader runs, so nobody's Wait has returned
		nc := lk.conn
		go func() { // ends when the queue is empty or the link closed
			defer lk.bus.running.Done()
			lk.write(nc)
		}()
	}
}

// full tells whether too much waits. The caller holds lk.mu.
func (lk *link) full() bool {
	switch {
	case !lk.known && lk.bytes > strangerLimit:
		return true
	case lk.id.Inbound() && lk.bytes > answersLimit:
		return true
	}
	limit := lk.bus.o.SendLimit()
	if limit <= 0 || int64(lk.bytes) <= limit {
		lk.fullAt = time.Time{}
		return false
	}
	now := time.Now()
	if lk.fullAt.IsZero() {
		lk.fullAt = now
	}
	return now.Sub(lk.fullAt) >= limitGrace
}

// write writes until nothing waits. What gathered leaves in one call.
func (lk *link) write(nc net.Conn) {
	for {
		lk.mu.Lock()
		if lk.closed || len(lk.queue) == 0 {
			lk.writing = false
			lk.mu.Unlock()
			return
		}
		queue := net.Buffers(lk.queue)
		lk.queue = nil
		lk.mu.Unlock()
		n, err := queue.WriteTo(nc)
		lk.mu.Lock()
		switch {
		case lk.closed:
		case err != nil:
			lk.shut() // the reader reports it
		default:
			lk.bytes -= int(n)
			lk.fullAt = time.Time{} // the peer reads
		}
		lk.mu.Unlock()
	}
}

func (lk *link) stats() LinkStats {
	lk.mu.Lock()
	defer lk.mu.Unlock()
	s := LinkStats{Created: lk.created, Writing: lk.writing, Used: lk.bytes}
	for _, f := range lk.queue {
		s.Allocated += cap(f)
	}
	s.Allocated = max(s.Allocated, s.Used)
	return s
}
