package server

import (
	"runtime"
	"slices"
	"sync"
)

// flusher writes pushed messages. A publisher only marks the outboxes it
// added to; a few workers write them one after the other, each with whatever
// has gathered by then. So a lone message leaves at once, and under load one
// write carries many messages. What there is to do for a worker without work, a
// publisher may do itself (publisher.go).
//
// A worker never waits for a socket: one that is full is left to drains.
type flusher struct {
	workers []*flushWorker
	running sync.WaitGroup // the workers
	drains  drains
}

// flushWorker is a queue of outboxes, and who writes them: a goroutine of its
// own, or the publisher to whom it is lent.
type flushWorker struct {
	mu     sync.Mutex // guards all of it, but the scratch space
	queue  []*outbox
	spare  []*outbox // the array that takes turns with the queue's
	state  workerState
	closed bool
	wake   sync.Cond // the goroutine waits for its state to be writing, or for closed
	// queued and written count the outboxes that ever joined the queue, and
	// those of them that had their turn; progress is told of the latter.
	queued, written uint64
	progress        sync.Cond

	scratch []byte // of who writes
}

type workerState uint8

const (
	parked  workerState = iota // until an outbox joins the queue
	writing                    // the goroutine does
	lent                       // to a publisher, who gives it back soon
)

func newFlushWorker() *flushWorker {
	w := &flushWorker{scratch: make([]byte, 0, writeChunk)}
	w.wake.L, w.progress.L = &w.mu, &w.mu
	return w
}

// newFlusher starts the workers; close ends them. They are half as many as
// there are cores: the loops, and the clients of this host, want the others, and
// a round of writes takes longest when it is interrupted.
func newFlusher() (*flusher, error) {
	f := &flusher{}
	if err := f.drains.open(f); err != nil {
		return nil, err
	}
	for range max(runtime.GOMAXPROCS(0)/2, 1) {
		w := newFlushWorker()
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
	w.queued++
	if w.state == parked {
		w.start()
	}
	w.mu.Unlock()
}

// start has the goroutine write; mu is held.
func (w *flushWorker) start() {
	w.state = writing
	w.wake.Signal()
}

func (w *flushWorker) run(f *flusher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for w.state != writing && !w.closed {
			w.wake.Wait()
		}
		for len(w.queue) > 0 {
			w.writeQueued(f)
		}
		if w.closed {
			return
		}
		w.state = parked
	}
}

// writeQueued gives every outbox its turn that is in the queue by now. It is
// called with mu held by who writes, and lets go of it meanwhile.
func (w *flushWorker) writeQueued(f *flusher) {
	batch := w.queue
	w.queue, w.spare = w.spare, nil
	for part := range slices.Chunk(batch, progressStep) {
		w.mu.Unlock()
		for i, o := range part {
			part[i] = nil
			f.write(o, w.scratch)
		}
		w.mu.Lock()
		w.written += uint64(len(part))
		w.progress.Broadcast()
	}
	w.spare = batch[:0]
}

// progressStep is after how many outboxes those are told who wait for a worker.
const progressStep = 32

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
		w.wake.Signal()
		w.mu.Unlock()
	}
	f.running.Wait()
	f.drains.close()
}
