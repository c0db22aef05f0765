//go:build linux

package main

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"
)

// subscriber is one connection that listens. It belongs to its reader until
// the readers have ended.
type subscriber struct {
	fd     int
	number int
	frames framing
	// tail is the start of a message whose rest has not come yet.
	tail []byte
	// next is, for each publisher, the number of the message that must follow.
	next     []uint64
	received int64
	repeated int64 // messages whose number had come before
	offset   int   // bytes received, counted by streamFrames alone
	closed   bool
}

// outOfOrder is told of a message whose number is not the next. What was
// skipped shows in the end, as deliveries that are missing.
func (s *subscriber) outOfOrder(publisher int, sequence uint64) {
	if sequence < s.next[publisher] {
		s.repeated++
		return
	}
	s.next[publisher] = sequence + 1
}

const (
	// readSize is what one read may bring: a server that batches is not made
	// to pay for a generator that reads in small pieces.
	readSize = 256 << 10
	// pollMillis is how soon a reader sees that it shall end.
	pollMillis = 50
	// pollEvents bounds how many subscribers are served between two waits.
	pollEvents = 512
)

// reader is a thread that reads its share of the subscribers.
type reader struct {
	fleet       *fleet
	subscribers int // of all readers
	epoll       int
	mine        []*subscriber
	framings    map[string]framing // by header
	buf         []byte
	at          int64 // when the current read returned, zero if not asked yet

	// What the control goroutine watches, in cache lines of its own: other
	// readers count as fast.
	_         [64]byte
	delivered atomic.Int64
	bytes     atomic.Int64
	closed    atomic.Int64
	_         [64]byte

	// Read once the readers have ended.
	fromDue   [3]histogram // receipt, counted from when the message was due, by window
	fromWrite [3]histogram // and from when it was written
	unknown   int64        // timed messages so old that their start is forgotten
}

func newReader(f *fleet) (*reader, error) {
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return &reader{fleet: f, epoll: epoll, buf: make([]byte, readSize), framings: map[string]framing{}}, nil
}

// framing is what a listener's messages look like, one for all subscribers
// alike.
func (r *reader) framing(l listener, resp int) framing {
	header := l.header(resp)
	known, ok := r.framings[string(header)]
	if ok {
		return known
	}
	spec := r.fleet.spec
	if spec.frames != nil {
		known = spec.frames(header, resp)
	} else if spec.kind.slots {
		known = newRowFrames(header, l.rows, spec.rows)
	} else {
		known = newFixedFrames(header, spec.payload)
	}
	r.framings[string(header)] = known
	return known
}

// add gives the reader one more subscriber; it must not be running.
func (r *reader) add(s *subscriber) error {
	if err := syscall.SetNonblock(s.fd, true); err != nil {
		return err
	}
	e := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(len(r.mine))}
	r.mine = append(r.mine, s)
	return syscall.EpollCtl(r.epoll, syscall.EPOLL_CTL_ADD, s.fd, &e)
}

// run reads until the fleet ends.
func (r *reader) run() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	events := make([]syscall.EpollEvent, pollEvents)
	for !r.fleet.ended.Load() {
		n, err := syscall.EpollWait(r.epoll, events, pollMillis)
		if err != nil && err != syscall.EINTR {
			return fmt.Errorf("epoll: %w", err)
		}
		for _, e := range events[:max(n, 0)] {
			if err := r.read(r.mine[e.Fd]); err != nil {
				return err
			}
		}
	}
	return nil
}

// read takes what one subscriber's socket holds.
func (r *reader) read(s *subscriber) error {
	if s.closed {
		return nil
	}
	if len(s.tail) > len(r.buf)/2 {
		r.buf = make([]byte, 2*len(r.buf))
	}
	kept := copy(r.buf, s.tail)
	n, errno := readReady(s.fd, r.buf[kept:])
	switch {
	case errno == syscall.EAGAIN || errno == syscall.EINTR:
		return nil
	case errno != 0 || n == 0:
		return r.lose(s)
	}
	r.at = 0
	before := s.received
	used, err := s.frames.consume(r, s, r.buf[:kept+n])
	if err != nil {
		return fmt.Errorf("subscriber %d: %w", s.number, err)
	}
	s.tail = append(s.tail[:0], r.buf[used:kept+n]...)
	r.bytes.Add(int64(n))
	r.delivered.Add(s.received - before)
	return nil
}

// lose notes that the server has closed a subscriber.
func (r *reader) lose(s *subscriber) error {
	s.closed = true
	r.closed.Add(1)
	if err := syscall.EpollCtl(r.epoll, syscall.EPOLL_CTL_DEL, s.fd, nil); err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	if r.fleet.spec.byReceipt {
		return fmt.Errorf("subscriber %d was closed, and its receipts with it", s.number)
	}
	return nil
}

// times reports whether a subscriber's copy of a message is to be timed.
func (r *reader) times(word uint64, subscriber int) bool {
	return r.fleet.spec.everyone || probeOf(word, r.subscribers) == subscriber
}

// timed is told of a message at a subscriber that was chosen for it.
func (r *reader) timed(publisher int, number uint64) {
	if r.at == 0 {
		r.at = now()
	}
	p := r.fleet.publishers[publisher]
	due, written, known := p.times.get(number, p.sent.Load())
	if !known {
		r.unknown++
	}
	for i := range r.fleet.windows {
		if known && r.fleet.windows[i].holds(due) {
			r.fromDue[i].record(r.at - due)
			r.fromWrite[i].record(r.at - written)
		}
	}
	if r.fleet.spec.byReceipt {
		p.receipt()
	}
}

// close gives back the epoll set.
func (r *reader) close() { syscall.Close(r.epoll) }
