package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// targets are the connections over which MIGRATE sends keys. One is used by one
// MIGRATE at a time, and kept for a while for the next: a slot moves in many
// small steps.
type targets struct {
	// stopped ends the attempts to connect.
	stopped context.Context
	stop    context.CancelFunc

	mu     sync.Mutex // guards the rest
	idle   map[targetID][]*target
	kept   int // in idle
	open   map[*target]struct{}
	closed bool
}

const (
	// maxIdleTargets is how many unused connections are kept, as in Redis.
	maxIdleTargets = 64
	targetIdleTime = 10 * time.Second
)

// targetID is what a connection is good for: one that was opened with a password
// is not used by a MIGRATE that gives none.
type targetID struct{ addr, auth string }

// target is a connection to another server.
type target struct {
	id   targetID
	conn net.Conn
	r    *bufio.Reader
	// db is the database that was selected, -1 if that is not known.
	db        int64
	idleSince time.Time
}

func newTargets() *targets {
	t := &targets{idle: make(map[targetID][]*target), open: make(map[*target]struct{})}
	t.stopped, t.stop = context.WithCancel(context.Background())
	return t
}

// errTargetTimeout is a connection, a write or a read that took too long.
var errTargetTimeout = errors.New("timeout")

// get returns a connection that was kept, or a new one. It waits at most for the
// timeout. A server that refuses to be connected is one to which nothing can be
// written, as in Redis.
func (t *targets) get(id targetID, timeout time.Duration) (*target, error) {
	t.mu.Lock()
	if list := t.idle[id]; len(list) > 0 {
		tg := list[len(list)-1]
		t.setIdle(id, list[:len(list)-1])
		t.mu.Unlock()
		return tg, nil
	}
	t.mu.Unlock()
	if host, _, _ := net.SplitHostPort(id.addr); host == "" {
		return nil, errTargetConnect // where the net package would take this host
	}
	ctx, cancel := context.WithTimeout(t.stopped, timeout)
	defer cancel()
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", id.addr)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, errTargetWrite
	case err != nil:
		return nil, errTargetConnect
	}
	tg := &target{id: id, conn: nc, r: bufio.NewReaderSize(nc, longestReply), db: -1}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		nc.Close()
		return nil, errTargetConnect
	}
	t.open[tg] = struct{}{}
	return tg, nil
}

// put keeps a connection whose replies were all read.
func (t *targets) put(tg *target) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.kept == maxIdleTargets {
		t.drop(tg)
		return
	}
	tg.idleSince = time.Now()
	t.setIdle(tg.id, append(t.idle[tg.id], tg))
}

// discard closes a connection that failed, and with it those kept to the same
// server, which will have failed as well.
func (t *targets) discard(tg *target) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(tg)
	for _, other := range t.idle[tg.id] {
		t.drop(other)
	}
	t.setIdle(tg.id, nil)
}

// drop closes a connection; mu is held.
func (t *targets) drop(tg *target) {
	tg.conn.Close()
	delete(t.open, tg)
}

// setIdle changes the list of what is kept; mu is held.
func (t *targets) setIdle(id targetID, list []*target) {
	t.kept += len(list) - len(t.idle[id])
	if len(list) == 0 {
		delete(t.idle, id)
	} else {
		t.idle[id] = list
	}
}

// sweep closes what was not used for some time. The longest unused come first.
func (t *targets) sweep(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, list := range t.idle {
		for len(list) > 0 && now.Sub(list[0].idleSince) >= targetIdleTime {
			t.drop(list[0])
			list = list[1:]
		}
		t.setIdle(id, list)
	}
}

// close closes every connection, also those in use: whoever waits for one goes
// on at once, with an error.
func (t *targets) close() {
	t.stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for tg := range t.open {
		t.drop(tg)
	}
	clear(t.idle)
	t.kept = 0
}

// idleCount is how many connections are kept.
func (t *targets) idleCount() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept
}

// writeStep is how much has to be accepted within one timeout.
const writeStep = 64 << 10

func (tg *target) write(b []byte, timeout time.Duration) error {
	for len(b) > 0 {
		step := b[:min(len(b), writeStep)]
		tg.conn.SetWriteDeadline(time.Now().Add(timeout))
		if _, err := tg.conn.Write(step); err != nil {
			return timeoutOr(err)
		}
		b = b[len(step):]
	}
	return nil
}

// longestReply is how much of a reply is looked at; what an error says beyond
// that is dropped.
const longestReply = 1 << 10

// readLine reads one reply, all of which the timeout is for. The line is good
// until the next call.
func (tg *target) readLine(timeout time.Duration) ([]byte, error) {
	tg.conn.SetReadDeadline(time.Now().Add(timeout))
	line, err := tg.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = tg.r.ReadSlice('\n')
		}
	}
	if err != nil {
		return nil, timeoutOr(err)
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// timeoutOr is errTargetTimeout for an error that means just that.
func timeoutOr(err error) error {
	var ne net.Error
	if errors.As(err, &ne) && ne.Timeout() {
		return errTargetTimeout
	}
	return err
}

// targetAddr is the address that MIGRATE names. The port is what C's atoi makes
// of it, cut to sixteen bits.
func targetAddr(host, port []byte) string {
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(leadingInt.Find(port))), 10, 64)
	return net.JoinHostPort(string(host), strconv.Itoa(int(uint16(n))))
}
