package server

// This file is what makes a publisher fast and keeps it from being too fast. To
// a few subscribers it writes itself, which spares them the time until a worker
// of the flusher is awake. To many the workers write, and the publisher goes on
// to its next message when they have come a part of the way: if it ran far ahead
// of them, each message would wait for those before it, and the two would be in
// each other's way.

const (
	// fewOutboxes is how many a publisher writes itself, and smallMessage the
	// longest message that it does so with. More of them are written sooner by
	// a worker, beside the publisher.
	fewOutboxes  = 16
	smallMessage = 1024

	// roundShare is the part of what is queued, one in so many, that must be
	// written between two turns of a publisher. To add a message to an outbox
	// takes a fraction of the time of a write, so that with so many messages in
	// each write most of the time still goes into writing. It was found by
	// measuring: more of them would come through with a larger number, later.
	roundShare = 18
)

// publish runs one publishing command; deliver returns how many receivers the
// payload has.
func (cl *call) publish(payload []byte, deliver func() int) int {
	c, f := cl.conn, cl.server.flusher
	w := c.work
	if c.here && len(w.lent) == 0 && len(payload) <= smallMessage && cl.exec == nil {
		w.lent = f.lend(w.lent)
	}
	n := deliver()
	if n == 0 {
		return 0
	}
	if len(w.lent) > 0 && f.waiting(w.lent) > fewOutboxes {
		c.returnWorkers()
	}
	c.published = true
	return n
}

// returnWorkers writes what has been queued for the workers that the connection
// was lent, if it is not much, and gives them back.
func (c *conn) returnWorkers() {
	f, list := c.server.flusher, c.work.lent
	few := f.waiting(list) <= fewOutboxes
	for i, w := range list {
		list[i] = nil
		w.mu.Lock()
		if few && len(w.queue) > 0 {
			w.writeQueued(f)
		}
		if w.state = parked; len(w.queue) > 0 {
			w.start()
		}
		w.mu.Unlock()
	}
	c.work.lent = list[:0]
}

// lend appends the workers that have nothing to do. Whoever gets them gives
// them back as soon as it has published.
func (f *flusher) lend(list []*flushWorker) []*flushWorker {
	for _, w := range f.workers {
		w.mu.Lock()
		if w.state == parked {
			w.state = lent
			list = append(list, w)
		}
		w.mu.Unlock()
	}
	return list
}

// waiting counts the outboxes in the queues of workers.
func (f *flusher) waiting(list []*flushWorker) int {
	n := 0
	for _, w := range list {
		w.mu.Lock()
		n += len(w.queue)
		w.mu.Unlock()
	}
	return n
}

// pace is asked for after each turn. It returns how many outboxes each worker
// of the flusher must have written before the next turn, nil if none.
func (c *conn) pace() []uint64 {
	if !c.published {
		return nil
	}
	c.published = false
	f := c.server.flusher
	if !f.isBehind() {
		return nil
	}
	goal := make([]uint64, 0, len(f.workers))
	for _, w := range f.workers {
		w.mu.Lock()
		goal = append(goal, w.written+w.behind()/roundShare)
		w.mu.Unlock()
	}
	return goal
}

// isBehind reports that it takes time to write a publisher's share of what is
// queued.
func (f *flusher) isBehind() bool {
	for _, w := range f.workers {
		w.mu.Lock()
		n := w.behind()
		w.mu.Unlock()
		if n >= fewOutboxes*roundShare {
			return true
		}
	}
	return false
}

// behind counts the outboxes that have not had their turn; mu is held.
func (w *flushWorker) behind() uint64 { return w.queued - w.written }

// await returns when so many are written. That takes no longer than to write
// them, whoever does not read: no worker waits for a socket.
func (f *flusher) await(goal []uint64) {
	for i, w := range f.workers {
		w.mu.Lock()
		for w.written < goal[i] {
			w.progress.Wait()
		}
		w.mu.Unlock()
	}
}
