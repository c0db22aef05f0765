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
// A worker never waits for a socket: one that is full is left to drains.
type flusher struct {
	workers []*flushWorker
	running sync.WaitGroup // the workers
	drains  drains
}

type flushWorker struct {
	mu     sync.Mutex // guards queue, idle and stopped
	queue  []*outbox
	idle   bool
	closed bool
	signal chan struct{} // capacity 1: set when work came while idle
}

// newFlusher starts the workers; close ends them.
func newFlusher() (*flusher, error) {
	f := &flusher{}
	if err := f.drains.open(f); err != nil {
		return nil, err
	}
	for range runtime.GOMAXPROCS(0) {
		w := &flushWorker{signal: make(chan struct{}, 1)}
		f.workers = append(f.workers, w)
		f.running.Add(1)
		go func() { // ends when close is called
			defer f.running.Done()
			w.run(f)
		}()
	}
	return f, nil
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
// takes no more. One that has had its turn goes to the end of the queue.
func (f *flusher) write(o *outbox, scratch []byte) {
	for left := writeTurn; left > 0; {
		q := o.take()
		if q == nil {
			return
		}
		rest, n, err := o.conn.socket.writeAll(q, left, scratch)
		left -= n
		o.conn.server.stats.bytesOut.Add(int64(n))
		o.conn.server.stats.writes.Add(1)
		o.putBack(q, rest, n, err)
		if len(rest) > 0 && left > 0 && err == nil {
			f.block(o)
			return
		}
	}
	f.schedule(o)
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
	f.drains.close()
}
