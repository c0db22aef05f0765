package server

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"slotcast/channels"
	"slotcast/config"
)

// outbox holds what one connection still has to receive: replies and pushed
// messages in one order. Adding never blocks; a client that does not read is
// cut off when what waits for it passes the limits of its class
// (client-output-buffer-limit), and whoever adds goes on.
//
// Writing is done outside the lock by whoever holds the flushing flag: the
// one who runs the connection's commands at the end of a batch, or a worker of
// the flusher for pushed messages and for what a socket did not take at once.
type outbox struct {
	conn *conn
	// anyParked spares the owner of a bracket the lock when nothing is parked.
	anyParked atomic.Bool

	mu sync.Mutex // guards everything below
	// queue is what waits, oldest first. A slice is never changed once queued.
	queue   [][]byte
	pending int // bytes queued, parked, or in the hands of the writer
	// parked is what others delivered while a command of this connection had
	// its bracket open; it follows that command's reply, but for the first
	// early slices, which come before it.
	parked [][]byte
	early  int
	// exempt counts the bytes of a snapshot that was put on an empty outbox:
	// a map too large for the limits must still be readable.
	exempt int
	// notices bounds from above the bytes of pending that nobody has subscribed
	// to: it is exact while nothing is written, and zero once all is.
	notices  int
	bracket  bool
	form     channels.Form
	class    config.Class
	state    outboxState
	flushing bool
	blocked  bool // the one who writes waits for the socket
	// softSince is when pending last rose above the soft limit, zero below it.
	softSince    int64  // unix nanoseconds
	noticesSince int64  // the same for notices
	reason       string // why the server ends the connection
	// drained is closed by the writer when it gives the flushing flag back.
	drained chan struct{}
}

type outboxState uint8

const (
	outboxOpen outboxState = iota
	// outboxClosing takes no message of others, only the reply of the command
	// that may be running, and ends the connection once all is written.
	outboxClosing
	// outboxDead drops what it holds.
	outboxDead
)

// Deliver queues a batch in the form the connection has now.
// It implements channels.Subscriber.
func (o *outbox) Deliver(b channels.Batch) {
	o.mu.Lock()
	if o.state == outboxOpen {
		o.pushAll(b.Slices(o.form))
	}
	o.unlock()
}

// notify queues what an application connection, which has subscribed to
// nothing, is told beside its replies. These may be as long as the client likes
// to ask for, so what it is told has a limit of its own.
func (o *outbox) notify(b channels.Batch) {
	o.mu.Lock()
	if o.state == outboxOpen {
		slices := b.Slices(o.form)
		o.pushAll(slices)
		o.notices += total(slices)
	}
	o.unlock()
}

// hold opens the bracket around one command: what others deliver from now on
// follows the reply that release appends.
func (o *outbox) hold() {
	o.mu.Lock()
	o.bracket = true
	o.mu.Unlock()
}

// separate is called by a command that has left channels: what is parked was
// sent before, and comes before its reply.
func (o *outbox) separate() {
	o.mu.Lock()
	o.early = len(o.parked)
	o.mu.Unlock()
}

// release appends reply, as send does, then what was parked, and closes the
// bracket. A snapshot is appended like another piece of the reply, but when
// nothing waited before it does not count towards the limits.
//
// With reform set the command changed the connection's protocol: what was
// parked is in the old form and goes first, and whatever is delivered after
// the reply has the new one.
//
// reply may begin with replies of the same batch that were not sent yet, up to
// mark; these are before all that was parked.
func (o *outbox) release(reply []byte, mark int, snapshot [][]byte, reform bool) {
	o.mu.Lock()
	o.bracket = false
	early, late := o.takeParked(reform)
	empty := o.pending == 0
	if len(early) > 0 && mark > 0 {
		o.push(append([]byte(nil), reply[:mark]...))
		reply = reply[mark:]
	}
	o.pushAll(early)
	if len(reply) > 0 {
		o.push(own(reply))
	}
	o.pushAll(snapshot)
	if empty && len(snapshot) > 0 {
		o.exempt = o.pending
	}
	o.pushAll(late)
	o.unlock()
}

// takeParked empties the bracket: early is what comes before the command's
// reply, late what follows it. With reform set the protocol changes between the
// two. mu is held.
func (o *outbox) takeParked(reform bool) (early, late [][]byte) {
	parked, n := o.parked, o.early
	o.parked, o.early = nil, 0
	o.anyParked.Store(false)
	if o.state != outboxDead {
		o.pending -= total(parked)
	}
	if reform {
		n = len(parked)
		o.conn.adoptProtocol()
		o.form, o.class = o.conn.form(), o.conn.class()
	}
	return parked[:n], parked[n:]
}

// joinParked puts what is parked into the replies of a batch, whose latest
// begins at mark, and leaves the bracket open.
func (o *outbox) joinParked(reply []byte, mark int, reform bool) []byte {
	if !reform && !o.anyParked.Load() {
		return reply
	}
	o.mu.Lock()
	early, late := o.takeParked(reform)
	o.mu.Unlock()
	if len(early) > 0 {
		reply = slices.Insert(reply, mark, slices.Concat(early...)...)
	}
	for _, s := range late {
		reply = append(reply, s...)
	}
	return reply
}

// refile changes the form of what is queued from now on, and the class, to what
// the connection has now. Both are read under the lock: of two who refile at
// once, the later one sees what made the other come. What is parked in another
// form comes before the reply of the command that changes it.
func (o *outbox) refile() {
	o.mu.Lock()
	f := o.conn.form()
	if f != o.form {
		o.early = len(o.parked)
	}
	o.form, o.class = f, o.conn.class()
	o.mu.Unlock()
}

// push adds one slice; mu is held.
func (o *outbox) push(s []byte) {
	if o.state == outboxDead || len(s) == 0 {
		return
	}
	o.pending += len(s)
	if o.bracket {
		o.parked = append(o.parked, s)
		o.anyParked.Store(true)
		return
	}
	o.queue = append(withRoom(o.queue, 1), s)
}

// pushAll adds several. The rows of a large change are many slices for each of
// many subscribers: the room for them is made at once.
func (o *outbox) pushAll(list [][]byte) {
	if len(list) > 1 && !o.bracket && o.state != outboxDead {
		o.queue = withRoom(o.queue, len(list))
	}
	for _, s := range list {
		o.push(s)
	}
}

// unlock checks the limits, unlocks, and sees to it that what is queued gets
// written.
func (o *outbox) unlock() {
	cut := o.overLimit()
	start := len(o.queue) > 0 && !o.flushing && o.state != outboxDead
	if start {
		o.flushing = true
	}
	o.mu.Unlock()
	if cut {
		o.conn.wake()
	} else if start {
		o.conn.server.flusher.schedule(o)
	}
}

// overLimit marks the outbox dead when its class's limits are passed, or those
// of Pub/Sub by what it is told beside its replies, and reports that it did; mu
// is held.
func (o *outbox) overLimit() bool {
	if o.state == outboxDead || o.pending == 0 {
		return false
	}
	limits := &o.conn.server.config.Values().OutputLimits
	reason := exceeds(limits[o.class], o.pending-o.exempt, &o.softSince)
	if reason == "" && o.notices > 0 {
		reason = exceeds(limits[config.ClassPubSub], min(o.notices, o.pending), &o.noticesSince)
	}
	if reason == "" {
		return false
	}
	o.die(reason)
	return true
}

// exceeds says by which limit n bytes are too many, if by any. since is when they
// last rose above the soft one, in unix nanoseconds.
func exceeds(limit config.OutputLimit, n int, since *int64) (reason string) {
	if limit.Hard > 0 && int64(n) > limit.Hard {
		return endedByHardLimit
	}
	if limit.Soft <= 0 || int64(n) <= limit.Soft {
		*since = 0
		return ""
	}
	now := time.Now().UnixNano()
	if *since == 0 {
		*since = now
	} else if now-*since > int64(limit.SoftSeconds)*int64(time.Second) {
		return endedBySoftLimit
	}
	return ""
}

// checkSoftLimit is overLimit for a connection to which nothing is added.
func (o *outbox) checkSoftLimit() {
	o.mu.Lock()
	cut := o.overLimit()
	o.mu.Unlock()
	if cut {
		o.conn.wake()
	}
}

// die drops everything; mu is held.
func (o *outbox) die(reason string) {
	o.state, o.reason = outboxDead, reason
	o.queue, o.parked = nil, nil
	o.pending, o.early, o.exempt, o.notices = 0, 0, 0, 0
}

// kill ends the connection without writing what waits.
func (o *outbox) kill(reason string) {
	o.mu.Lock()
	if o.state != outboxDead {
		o.die(reason)
	}
	o.mu.Unlock()
	o.conn.wake()
}

// closeSoon makes whoever runs the connection end it after the command it may
// be running, once what waits is written.
func (o *outbox) closeSoon(reason string) {
	o.mu.Lock()
	if o.state == outboxOpen {
		o.state, o.reason = outboxClosing, reason
	}
	o.mu.Unlock()
	o.conn.wake()
}

// finish is called by who ends the connection, last. It returns nil when
// nothing is being written any more, else a channel that is closed then.
func (o *outbox) finish() <-chan struct{} {
	o.mu.Lock()
	if o.state == outboxOpen {
		o.state = outboxClosing
	}
	dead := o.state == outboxDead
	start := len(o.queue) > 0 && !o.flushing
	if !start && !o.flushing {
		o.mu.Unlock()
		return nil
	}
	o.flushing = true
	drained := make(chan struct{})
	o.drained = drained
	o.mu.Unlock()
	switch {
	case start:
		o.conn.server.flusher.schedule(o)
	case dead:
		o.conn.socket.shutdown() // the writer may wait for room
	}
	return drained
}

// abandon drops what finish waits for.
func (o *outbox) abandon() {
	o.mu.Lock()
	if o.state != outboxDead {
		o.die("the last replies were not read")
	}
	o.mu.Unlock()
	o.conn.socket.shutdown()
}

func (o *outbox) open() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state == outboxOpen
}

// closeReason is why the outbox died, empty when it did not.
func (o *outbox) closeReason() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.reason
}

// waiting returns the bytes and slices that the socket would not take so far.
// What is on its way to a socket that has room does not count.
func (o *outbox) waiting() (bytes, slices int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.blocked {
		return 0, 0
	}
	return o.pending, len(o.queue) + len(o.parked)
}
