package server

import (
	"sync"
	"sync/atomic"
	"time"
)

// waiting is the state of a command that waits for something which is neither
// a lock nor the owner: the end of CLIENT PAUSE, replicas, a busy key, or time. It waits in a
// goroutine of its connection's, holding no lock and no bracket, by reading on: so it
// learns that its client has gone, and what a client sends meanwhile is kept
// for later. Whoever ends the wait, ends that read.
type waiting struct {
	kind atomic.Int32 // a waitKind

	mu sync.Mutex // guards outcome and, with kind, the socket's read deadline
	// outcome is set once somebody ended the wait.
	outcome outcome
}

// waitKind is what a connection waits for.
type waitKind int32

const (
	waitsForNothing waitKind = iota
	waitsForPause
	waitsForReplicas
	waitsForTime   // DEBUG SLEEP
	waitsForKey    // on its way to another node
	waitsForTarget // of MIGRATE; it does not wait by reading, and nobody ends it
)

// outcome is why a wait ended.
type outcome uint8

const (
	outcomeNone  outcome = iota
	outcomeTime          // the time is over, or CLIENT UNBLOCK says that it is
	outcomeError         // CLIENT UNBLOCK ERROR
	outcomeAgain         // what was waited for has to be looked at anew
	outcomeEnd           // the connection is to end
)

// isWaiting reports a connection whose command waits.
func (c *conn) isWaiting() bool { return waitKind(c.waits.kind.Load()) != waitsForNothing }

// arm announces a wait: from now on release finds it, and await returns at
// once if it has.
func (c *conn) arm(kind waitKind) {
	w := &c.waits
	w.mu.Lock()
	defer w.mu.Unlock()
	w.outcome = outcomeNone
	w.kind.Store(int32(kind))
}

// disarm ends a wait: nobody will end the connection's reads any more, but for
// wake.
func (c *conn) disarm() {
	w := &c.waits
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kind.Store(int32(waitsForNothing))
	c.socket.SetReadDeadline(time.Time{})
	if c.killed.Load() { // wake's deadline may have been the one just undone
		c.socket.SetReadDeadline(aLongTimeAgo)
	}
}

// release ends a wait of the given kind and reports whether there was one. It
// may be called under any lock but an outbox's.
func (c *conn) release(kind waitKind, o outcome) bool {
	w := &c.waits
	w.mu.Lock()
	defer w.mu.Unlock()
	if waitKind(w.kind.Load()) != kind || w.outcome != outcomeNone {
		return false
	}
	w.outcome = o
	c.socket.SetReadDeadline(aLongTimeAgo)
	return true
}

// setDeadline arranges for a read to end at the given time, zero for never. It
// returns the outcome if the wait is over already.
func (c *conn) setDeadline(until time.Time) outcome {
	w := &c.waits
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.outcome != outcomeNone {
		return w.outcome
	}
	c.socket.SetReadDeadline(until)
	if c.killed.Load() {
		return outcomeEnd
	}
	return outcomeNone
}

// maxAheadUnauthenticated bounds what a client that has not authenticated may
// send while its command waits.
const maxAheadUnauthenticated = 1 << 20

// await waits until the time has come, zero for never, or release was called,
// or the connection ends. Between arm and disarm it may be called repeatedly.
func (c *conn) await(until time.Time) outcome {
	c.server.stats.blocked.Add(1)
	defer c.server.stats.blocked.Add(-1)
	limit := c.server.config.Values().QueryBufferLimit
	if c.mustAuthenticate() {
		limit = min(limit, maxAheadUnauthenticated)
	}
	for {
		if out := c.setDeadline(until); out != outcomeNone {
			return out
		}
		if len(c.work.ahead) == cap(c.work.ahead) && c.work.ahead != nil {
			c.work.ahead = append(make([]byte, 0, 2*cap(c.work.ahead)), c.work.ahead...)
		}
		in, n, err := c.read(c.work.ahead)
		c.work.ahead = in
		switch {
		case n > 0:
			c.server.stats.bytesIn.Add(int64(n))
			c.lastActive.Store(time.Now().UnixMilli())
			if int64(len(in)) > limit {
				c.outbox.closeSoon(endedByQueryLimit)
				c.closeAfter = true
				return outcomeEnd
			}
			if passed(until) { // a client that sends on and on never interrupts the read
				return outcomeTime
			}
		case interrupted(err) && passed(until):
			return outcomeTime
		case interrupted(err):
			// Released, ended, or a deadline from before: setDeadline knows.
		default:
			c.closeAfter = true
			return outcomeEnd
		}
	}
}

// passed reports that a time, zero for never, has come.
func passed(until time.Time) bool { return !until.IsZero() && !time.Now().Before(until) }

// takeAhead returns what is left to run: rest, and behind it what was read
// while a command waited.
func (c *conn) takeAhead(rest []byte) []byte {
	if c.work.ahead == nil {
		return rest
	}
	if len(c.work.ahead) > 0 {
		// The rest lies in c.in, whose buffer is left to the collector: the
		// arguments of the command may still point into it.
		rest = append(append(make([]byte, 0, len(rest)+len(c.work.ahead)), rest...), c.work.ahead...)
		c.in = rest
		c.unread.Store(int32(len(rest)))
		c.readCap.Store(int32(cap(rest)))
	}
	putReadBuffer(c.work.ahead)
	c.work.ahead = nil
	return rest
}
