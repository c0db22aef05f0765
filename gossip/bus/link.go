package bus

import (
	"errors"
	"net"
	"sync"
	"time"

	"slotcast/gossip"
	"slotcast/gossip/frame"
)

// link is one TCP connection of the bus. Its reader is the goroutine that
// accepted or dialled it; a writer exists only while frames wait.
type link struct {
	id      gossip.LinkID
	bus     *Bus
	created time.Time
	cancel  func() // ends a dial that is under way; nil for inbound links

	mu      sync.Mutex // guards the rest
	conn    net.Conn   // nil while it is dialled
	queue   [][]byte
	bytes   int // in queue and in the hands of the writer
	writing bool
	closed  bool
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
	lk.closed = true
	lk.queue, lk.bytes = nil, 0
	if lk.cancel != nil {
		lk.cancel()
	}
	if lk.conn != nil {
		lk.conn.Close()
	}
}

// end closes the link and reports it, if nobody has yet.
func (lk *link) end(overflow bool) {
	if lk.bus.forget(lk.id) == nil {
		return
	}
	lk.close()
	lk.bus.o.Report(gossip.LinkDown{Link: lk.id, Overflow: overflow})
}

// send queues a frame. Beyond the limit the link is closed: a peer that takes
// nothing must not fill this node's memory.
func (lk *link) send(frame []byte) {
	lk.mu.Lock()
	if lk.closed || lk.conn == nil {
		lk.mu.Unlock()
		return
	}
	lk.queue = append(lk.queue, frame)
	lk.bytes += len(frame)
	limit := lk.bus.o.SendLimit()
	over := limit > 0 && int64(lk.bytes) > limit
	start := !lk.writing
	lk.writing = true
	if start {
		lk.bus.running.Add(1) // while the link is open, so before Close waits
	}
	if over {
		lk.bus.running.Add(1)
	}
	lk.mu.Unlock()
	if start {
		go func() { // ends when the queue is empty or the link closed
			defer lk.bus.running.Done()
			lk.write()
		}()
	}
	if over {
		// Reported from a goroutine of its own: send must not wait.
		go func() { // ends once the report is taken
			defer lk.bus.running.Done()
			lk.end(true)
		}()
	}
}

// write writes until nothing waits. What gathered leaves in one call.
func (lk *link) write() {
	for {
		lk.mu.Lock()
		if lk.closed || len(lk.queue) == 0 {
			lk.writing = false
			lk.mu.Unlock()
			return
		}
		queue, nc := net.Buffers(lk.queue), lk.conn
		lk.queue = nil
		lk.mu.Unlock()
		n, err := queue.WriteTo(nc)
		lk.mu.Lock()
		if !lk.closed {
			lk.bytes -= int(n)
		}
		lk.mu.Unlock()
		if err != nil {
			nc.Close() // the reader reports it
		}
	}
}

// firstBuffer holds a frame with gossip entries; it grows with longer ones as
// their bytes come.
const firstBuffer = 8 << 10

// read cuts the stream into frames until it ends.
func (lk *link) read() {
	lk.mu.Lock()
	nc := lk.conn
	lk.mu.Unlock()
	defer lk.end(false)
	buf := make([]byte, 0, firstBuffer)
	for {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := nc.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if n > 0 {
			rest, ok := lk.frames(buf)
			if !ok {
				return
			}
			buf = keep(buf, rest)
		}
		if err != nil {
			return
		}
	}
}

// keep moves what is left to the front, into a small buffer if it fits again.
func keep(buf, rest []byte) []byte {
	if cap(buf) > firstBuffer && len(rest) < firstBuffer {
		return append(make([]byte, 0, firstBuffer), rest...)
	}
	return buf[:copy(buf[:cap(buf)], rest)]
}

// frames reports every whole frame. It is not ok when the link must be closed.
func (lk *link) frames(buf []byte) (rest []byte, ok bool) {
	for len(buf) > 0 {
		n, err := frame.Scan(buf, frame.MaxLen)
		if err != nil {
			lk.bus.o.Log.Warn("cluster bus: link closed", "error", err)
			return nil, false
		}
		if n == 0 {
			break
		}
		m, err := frame.Decode(buf[:n])
		buf = buf[n:]
		var dropped *frame.FrameError
		switch {
		case err == nil:
			lk.bus.o.Report(gossip.Received{Link: lk.id, Message: m})
		case errors.As(err, &dropped):
			lk.bus.o.Log.Debug("cluster bus: frame dropped", "error", err)
		default:
			lk.bus.o.Log.Warn("cluster bus: link closed", "error", err)
			return nil, false
		}
	}
	return buf, true
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
