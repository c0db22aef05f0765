package server

// send writes the replies of a batch of commands: at once from the caller's
// buffer when nothing waits before them, which is the rule, else queued. The
// buffer is the caller's again when send returns, unless it is larger than
// writeChunk: then what is queued is the buffer itself. A bracket that was open
// for the batch is closed.
func (o *outbox) send(reply []byte) { o.sendTurn(reply, writeTurn) }

// sendTurn is send that writes at most turn bytes before it leaves the rest to
// the flusher.
func (o *outbox) sendTurn(reply []byte, turn int) {
	o.mu.Lock()
	var parked [][]byte
	if o.bracket {
		o.bracket, o.early = false, 0
		_, parked = o.takeParked(false)
	}
	if o.flushing || len(o.queue) > 0 || len(parked) > 0 {
		if len(reply) > 0 {
			o.push(own(reply))
		}
		o.pushAll(parked)
		o.unlock()
		return
	}
	if o.state == outboxDead || len(reply) == 0 {
		o.mu.Unlock()
		return
	}
	o.flushing = true
	o.pending += len(reply)
	o.mu.Unlock()

	n, err := o.conn.socket.tryWrite(reply[:min(len(reply), turn)])
	o.conn.server.stats.bytesOut.Add(int64(n))
	o.conn.server.stats.writes.Add(1)
	o.mu.Lock()
	if err != nil {
		o.wrote(n)
		o.flushing = false
		if o.state != outboxDead {
			o.die("write error")
		}
		o.mu.Unlock()
		// A client may have gone half: there may be more to read, even for ever.
		o.conn.wake()
		return
	}
	if n < len(reply) && o.state != outboxDead {
		o.queue = append([][]byte{own(reply[n:])}, o.queue...)
	}
	o.wrote(n)
	more := len(o.queue) > 0
	o.flushing = more
	cut := o.overLimit()
	o.mu.Unlock()
	switch {
	case cut:
		o.conn.wake()
	case more && n >= turn:
		o.conn.server.flusher.schedule(o)
	case more:
		o.conn.server.flusher.block(o)
	}
}

// own returns reply as the queue may keep it. Small buffers are used again by
// their connection and therefore copied; to copy a large one would take its
// time and its memory once more, with mu held.
func own(reply []byte) []byte {
	if len(reply) > writeChunk {
		return reply
	}
	return append([]byte(nil), reply...)
}

// wrote takes n bytes off the count; mu is held.
func (o *outbox) wrote(n int) {
	if o.state == outboxDead {
		return
	}
	o.pending -= n
	o.exempt = max(o.exempt-n, 0) // what is exempt stands in front
	if o.pending == 0 {
		o.notices, o.softSince, o.noticesSince = 0, 0, 0
	}
}

// take gives the writer, who holds the flushing flag, all that is queued. It
// gives nothing, and takes the flag back, when there is nothing.
func (o *outbox) take() [][]byte {
	o.mu.Lock()
	if o.state == outboxDead || len(o.queue) == 0 {
		o.flushing, o.blocked = false, false
		if o.drained != nil {
			close(o.drained)
			o.drained = nil
		}
		o.mu.Unlock()
		return nil
	}
	q := o.queue
	o.queue = nil
	o.mu.Unlock()
	return q
}

// putBack returns what the writer could not write, and counts what it did.
// taken is what take gave, rest the unwritten tail of it.
func (o *outbox) putBack(taken, rest [][]byte, written int, err error) {
	o.mu.Lock()
	o.wrote(written)
	switch {
	case o.state == outboxDead:
	case err != nil:
		o.die("write error")
	case len(rest) > 0:
		o.queue = append(rest, o.queue...)
	default:
		recycle(taken)
	}
	dead := o.state == outboxDead
	o.mu.Unlock()
	if dead {
		o.conn.wake()
	}
}
