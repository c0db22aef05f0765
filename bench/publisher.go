//go:build linux

package main

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// publisher is one connection that sends commands and reads their replies.
// Who sends depends on what depth counts: the goroutine that reads the replies
// (acknowledgement), the reader that saw the message at its probe (receipt),
// or the pacer (a rate).
type publisher struct {
	fleet  *fleet
	fd     int
	number int
	load   load
	times  sendTimes
	sent   atomic.Uint64
	acked  atomic.Uint64

	mu  sync.Mutex // guards out, and that commands leave in the order of their numbers
	out []byte
}

// sendTimes remembers when the latest commands were due and written.
type sendTimes struct {
	slots []struct{ due, written atomic.Int64 }
}

// rememberedSends must exceed what a server may hold back for one subscriber:
// 32 MB by the usual limit are fewer than half as many messages of 64 bytes.
const rememberedSends = 1 << 20

func (t *sendTimes) set(number uint64, due, written int64) {
	s := &t.slots[number%uint64(len(t.slots))]
	s.due.Store(due)
	s.written.Store(written)
}

// get returns the times of a command, when so many have been sent in all.
func (t *sendTimes) get(number, sent uint64) (due, written int64, known bool) {
	s := &t.slots[number%uint64(len(t.slots))]
	return s.due.Load(), s.written.Load(), number+uint64(len(t.slots)) >= sent
}

// send writes n commands in one piece. due is when they should have left;
// nil means now.
func (p *publisher) send(n int, due func(i int) int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sendLocked(n, due)
}

// sendLocked is send for a caller who holds mu.
func (p *publisher) sendLocked(n int, due func(i int) int64) error {
	if limit := p.fleet.spec.messages; limit > 0 {
		n = int(min(uint64(n), uint64(limit)-min(p.sent.Load(), uint64(limit))))
	}
	at := now()
	first := p.sent.Load()
	p.out = p.out[:0]
	for i := range n {
		number := first + uint64(i)
		d := at
		if due != nil {
			d = due(i)
		}
		p.times.set(number, d, at)
		p.out = p.load.append(p.out, number)
	}
	// Before the write: the answer may be read before it returns.
	p.sent.Add(uint64(n))
	return writeAll(p.fd, p.out)
}

// receipt frees one place in flight: called by a reader.
func (p *publisher) receipt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fleet.stopping.Load() {
		return
	}
	if err := p.sendLocked(1, nil); err != nil {
		p.fleet.fail(err)
	}
}

// ackPoll is how soon a publisher that gets no reply sees that it shall stop.
const ackPoll = 100 * time.Millisecond

// run reads replies until the fleet stops and all have come.
func (p *publisher) run() error {
	if err := setTimeout(p.fd, syscall.SO_RCVTIMEO, ackPoll); err != nil {
		return err
	}
	spec := p.fleet.spec
	if spec.rate == 0 {
		if err := p.send(spec.depth, nil); err != nil {
			return err
		}
	}
	buf := make([]byte, 64<<10)
	var replies replyLines
	giveUp := time.Time{}
	for {
		n, err := readSome(p.fd, buf)
		if err != nil {
			return fmt.Errorf("publisher: %w", err)
		}
		answered, err := replies.count(buf[:n])
		if err != nil {
			return err
		}
		acked := p.acked.Add(uint64(answered))
		switch {
		case !p.fleet.stopping.Load():
			if answered > 0 && spec.rate == 0 && !spec.byReceipt {
				if err := p.send(answered, nil); err != nil {
					return err
				}
			}
		case acked == p.sent.Load() && p.fleet.paced.Load() == 0:
			if !spec.kind.slots || acked%2 == 0 {
				return nil
			}
			// Slots are away: the last change gives them back.
			if err := p.send(1, nil); err != nil {
				return err
			}
		case giveUp.IsZero():
			giveUp = time.Now().Add(drainTimeout)
		case time.Now().After(giveUp):
			return fmt.Errorf("publisher: %d of %d commands were never answered", p.sent.Load()-acked, p.sent.Load())
		}
	}
}

// replyLines counts replies of one line each, which may come in pieces.
type replyLines struct {
	inside bool   // a line has begun
	failed []byte // the error line so far
}

func (l *replyLines) count(b []byte) (int, error) {
	n := 0
	for len(b) > 0 {
		if !l.inside && b[0] == '-' || l.failed != nil {
			l.failed = append(l.failed, b...)
			if i := bytes.IndexByte(l.failed, '\n'); i >= 0 {
				return n, replyError(l.failed[:i+1])
			}
			return n, nil
		}
		i := bytes.IndexByte(b, '\n')
		l.inside = i < 0
		if i < 0 {
			break
		}
		n++
		b = b[i+1:]
	}
	return n, nil
}

// close ends the connection.
func (p *publisher) close() { syscall.Close(p.fd) }
