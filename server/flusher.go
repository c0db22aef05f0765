package server

import (
	"runtime"
	"sync"
)

// flusher writes pushed messages. A publisher only marks the outboxes it
// added to; a few workers write them one after the other, each with whatever
// has gathered by then. So a lone message leaves at once, and under load one
// write carries many messages.
//
// A worker never waits for a socket: an outbox whose socket is full goes to a
// goroutine of its own, which ends when all is written or the connection is.
type flusher struct {
	workers []*flushWorker
	running sync.WaitGroup // workers and blocked writers
}

type flushWorker struct {
	mu     sync.Mutex // guards queue, idle and stopped
	queue  []*outbox
	idle   bool
	closed bool
	signal chan struct{} // capacity 1: set when work came while idle
}

// newFlusher starts the workers; close ends them.
func newFlusher() *flusher {
	f := &flusher{}
	for range runtime.GOMAXPROCS(0) {
		w := &flushWorker{signal: make(chan struct{}, 1)}
		f.workers = append(f.workers, w)
		f.running.Add(1)
		go func() { // ends when close is called
			defer f.running.Done()
			w.run(f)
		}()
	}
	return f
}

// schedule hands an outbox to its worker. The caller has set the outbox's
// flushing flag, which the worker takes over.
func (f *flusher) schedule(o *outbox) {
	w := f.workers[uint64(o.conn.id)%uint64(len(f.workers))]
	w.mu.Lock()
	w.queue = append(w.queue, o)
	wake := w.idle
	w.idle = false
	w.mu.Unlock()
	if wake {
		w.signal <- struct{}{}
	}
}

func (w *flushWorker) run(f *flusher) {
	scratch := make([]byte, 0, writeChunk)
	var batch []*outbox
	for {
		w.mu.Lock()
		if len(w.queue) == 0 {
			if w.closed {
				w.mu.Unlock()
				return
			}
			w.idle = true
			w.mu.Unlock()
			<-w.signal
			continue
		}
		batch, w.queue = w.queue, batch[:0]
		w.mu.Unlock()
		for i, o := range batch {
			batch[i] = nil
			f.write(o, scratch)
		}
	}
}

// write writes an outbox until it is empty, or hands it on when its socket
// takes no more.
func (f *flusher) write(o *outbox, scratch []byte) {
	for {
		q := o.take()
		if q == nil {
			return
		}
		rest, n, err := o.conn.socket.tryWriteAll(q, scratch)
		o.conn.server.stats.bytesOut.Add(int64(n))
		o.conn.server.stats.writes.Add(1)
		o.putBack(q, rest, n, err)
		if len(rest) > 0 && err == nil {
			f.block(o)
			return
		}
	}
}

// block starts the goroutine that waits for a full socket. The flushing flag
// is set and passes to it; it ends when the outbox is empty or dead: closing
// a connection, by whichever side, ends its write.
func (f *flusher) block(o *outbox) {
	o.mu.Lock()
	o.blocked = true
	o.mu.Unlock()
	f.running.Add(1)
	go func() {
		defer f.running.Done()
		for {
			q := o.take()
			if q == nil {
				return
			}
			rest, err := o.conn.socket.writeAll(q, o.progress)
			o.putBack(q, rest, 0, err)
		}
	}()
}

// close ends the workers once they have written what is queued, and waits for
// them. Nothing may be scheduled afterwards.
func (f *flusher) close() {
	for _, w := range f.workers {
		w.mu.Lock()
		w.closed = true
		wake := w.idle
		w.idle = false
		w.mu.Unlock()
		if wake {
			w.signal <- struct{}{}
		}
	}
	f.running.Wait()
}
