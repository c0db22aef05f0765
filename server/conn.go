package server

import (
	"fmt"
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"

	"slotcast/keyspace"
	"slotcast/resp2"
)

// conn is one client connection. Its goroutine reads, runs the commands and
// ends it; what other goroutines may touch is the outbox, the atomics, and the
// fields that name their own lock.
type conn struct {
	id      int64
	server  *Server
	socket  socket
	outbox  outbox
	created time.Time

	// Read by CLIENT LIST and the idle sweep from other goroutines.
	identity   atomic.Pointer[identity]
	lastActive atomic.Int64 // unix milliseconds
	lastCmd    atomic.Pointer[command]
	queued     atomic.Int32 // commands in MULTI, -1 outside
	watching   atomic.Int32
	numSub     atomic.Int32
	numPsub    atomic.Int32
	numSsub    atomic.Int32
	bare       atomic.Bool  // subscribed by CLUSTER SUBSCRIBE SLOTS
	unread     atomic.Int32 // bytes in the read buffer
	readCap    atomic.Int32 // capacity of the read buffer held
	replyCap   atomic.Int32 // capacity of the reply buffer
	replyPeak  atomic.Int32 // most bytes of replies that it has held
	queuedSize atomic.Int32 // bytes of the commands in MULTI
	killed     atomic.Bool
	tracker    atomic.Pointer[tracker] // set when tracking is first turned on
	redirects  atomic.Int32            // connections that have their invalidations sent here
	grown      atomic.Bool             // the goroutine is new, or has run a command
	retiring   atomic.Bool             // the goroutine is to end, since the client is idle
	parked     atomic.Bool             // there is none; whoever unsets it starts one
	waits      waiting

	// The rest belongs to the connection's goroutine, or to the owner while
	// that goroutine waits for it.
	in            []byte // read and not yet run; nil while there is nothing
	ahead         []byte // read while a command waited
	framer        resp2.Framer
	args          [][]byte
	clock         time.Duration // when the batch, or the latest command of it, was taken up
	tally         tally
	watched       bool // the socket is known to parking
	reply         Reply
	call          call
	authenticated bool
	asking        bool
	readonly      bool
	replyMode     replyMode
	monitoring    bool
	closeAfter    bool // end the connection after the replies have left
	wantsMoves    bool // by CLIENT MAINT_NOTIFICATIONS
	held          bool // the outbox's bracket is open
	caching       bool // CLIENT CACHING was about the next command
	filed         int  // keys that it may have added to the table of tracked ones
	tx            *transaction
	subscriptions subscriptions
}

// identity is what a client says of itself, and what is derived from it.
type identity struct {
	name, libName, libVersion string
	readsText                 bool // by these, rows of the bare channel are to be JSON
	resp3                     bool
	authenticated             bool
	readonly                  bool
	monitoring                bool
	noEvict, noTouch          bool
	replyOff                  bool
}

// alter replaces the identity by a changed copy.
func (c *conn) alter(change func(*identity)) {
	next := *c.identity.Load()
	change(&next)
	c.identity.Store(&next)
}

// replyMode is CLIENT REPLY's state.
type replyMode uint8

const (
	replyOn replyMode = iota
	replyOff
	replySkipNext // the next command's reply is dropped
	replySkip     // this command's reply is dropped
)

// muted reports that the replies are dropped.
func (c *conn) muted() bool { return c.replyMode == replyOff || c.replyMode == replySkip }

func (s *Server) newConn(nc net.Conn) *conn {
	now := time.Now()
	c := &conn{
		id:            s.nextConnID.Add(1),
		server:        s,
		socket:        newSocket(nc),
		created:       now,
		authenticated: s.config.Values().RequirePass == "",
	}
	c.outbox.conn = c
	c.grown.Store(true)
	c.identity.Store(&identity{authenticated: c.authenticated})
	c.lastActive.Store(now.UnixMilli())
	c.queued.Store(-1)
	return c
}

// wake ends the read that the connection's goroutine may be waiting in, so
// that it sees the outbox's state. It may be called under any lock: setting a
// deadline does not wait.
func (c *conn) wake() {
	c.killed.Store(true)
	c.socket.SetReadDeadline(aLongTimeAgo)
	c.unpark()
}

// ended reports that the outbox takes nothing more.
func (c *conn) ended() bool { return c.killed.Load() && !c.outbox.open() }

// start runs the connection in a goroutine of its own, which the server's
// Close waits for. running has been counted up.
func (c *conn) start() {
	go func() { // ends with the connection, or when it is parked
		resting := c.serve()
		switch {
		case resting && c.server.parking.park(c):
		case resting:
			c.start() // at least with a small stack again
		default:
			c.end()
			c.server.running.Done()
		}
	}()
}

// unpark gives a parked connection a goroutine again.
func (c *conn) unpark() {
	if c.parked.CompareAndSwap(true, false) {
		c.start()
	}
}

// serve reads and runs commands until the connection is over, or until it has
// been idle for long enough to do without this goroutine, which it reports.
func (c *conn) serve() (resting bool) {
	defer func() {
		if v := recover(); v != nil {
			c.server.log.Error("panic in a command, connection closed", "client", c.id, "panic", v, "stack", string(debug.Stack()))
			c.outbox.kill("internal error")
			resting = false
		}
	}()
	for {
		in, n, err := c.socket.read(c.in)
		c.in = in
		if interrupted(err) && c.retiring.CompareAndSwap(true, false) {
			c.socket.SetReadDeadline(time.Time{})
			if !c.ended() {
				return true
			}
		}
		if err != nil || n == 0 || c.ended() {
			return false
		}
		c.server.stats.bytesIn.Add(int64(n))
		c.server.stats.reads.Add(1)
		c.clock = c.server.clock.now()
		c.lastActive.Store(c.server.clock.unixMilli(c.clock))
		c.unread.Store(int32(len(in)))
		c.readCap.Store(int32(cap(in)))
		c.grown.Store(true)
		if !c.process() {
			return false
		}
	}
}

// retire takes the goroutine from an idle connection, or at least its grown
// stack, which the runtime does not shrink to what waiting needs. With ten
// thousand subscribers that is most of what they cost.
func (c *conn) retire() {
	if c.grown.CompareAndSwap(true, false) {
		c.retiring.Store(true)
		c.socket.SetReadDeadline(aLongTimeAgo)
	}
}

// process runs every whole command in the read buffer, writes the replies,
// and keeps what is left of the buffer. It reports whether to go on.
func (c *conn) process() bool {
	rest := c.in
	ok := true
	for len(rest) > 0 && ok {
		n, err := c.framer.Next(rest, c.limits())
		if err == nil && n == 0 {
			break
		}
		if err == nil {
			c.args, err = resp2.Parse(rest[:n], c.args)
		}
		if err != nil {
			c.reply.buf = resp2.AppendError(c.reply.buf, "ERR "+err.Error())
			c.server.log.Debug("protocol error", "client", c.id, "error", err)
			ok = false
			break
		}
		rest = rest[n:]
		if len(c.args) > 0 {
			c.server.dispatch(c, c.args)
			ok = !c.closeAfter && !c.ended()
			rest = c.takeAhead(rest)
		}
		if len(c.reply.buf) > writeChunk {
			c.flush()
		}
	}
	if limit := c.server.config.Values().QueryBufferLimit; ok && int64(len(rest)) > limit {
		c.server.log.Warn("query buffer above its limit, connection closed", "client", c.id, "bytes", len(rest))
		ok = false
	}
	// The books are kept before the replies leave: who has read a reply finds
	// in INFO and CLIENT LIST what it did.
	c.settle()
	if ok {
		c.keep(rest)
	}
	c.flush()
	return ok
}

// limits are tight until the client has authenticated.
func (c *conn) limits() resp2.Limits {
	l := resp2.DefaultLimits
	l.Bulk = c.server.config.Values().ProtoMaxBulkLen
	l.Unauthenticated = c.mustAuthenticate()
	return l
}

// mustAuthenticate reports whether a password is asked for that this client
// has not given. Taking the password away lets everyone in; setting one puts
// nobody out who was in.
func (c *conn) mustAuthenticate() bool {
	return !c.authenticated && c.server.config.Values().RequirePass != ""
}

// keep holds on to a partial command, in a buffer with room for more, and
// gives the buffer back when there is none.
func (c *conn) keep(rest []byte) {
	switch {
	case len(rest) == 0:
		putReadBuffer(c.in)
		c.in = nil
		clear(c.args[:cap(c.args)])
		if cap(c.args) > 64 {
			c.args = nil
		}
	case len(rest) == cap(c.in):
		// Full of one partial command: double, so that what is allocated
		// stays within twice what was sent.
		c.in = append(make([]byte, 0, 2*cap(c.in)), rest...)
	default:
		c.in = c.in[:copy(c.in[:cap(c.in)], rest)]
	}
	c.unread.Store(int32(len(rest)))
	c.readCap.Store(int32(cap(c.in)))
}

// flush sends the replies collected so far. It is called between commands,
// and before a command that waits.
func (c *conn) flush() {
	c.server.caches.broadcast()
	c.outbox.send(c.reply.buf)
	c.held = false
	c.emptyReply()
}

// emptyReply makes room for new replies after the outbox was given those
// collected so far. A large buffer now belongs to the outbox.
func (c *conn) emptyReply() {
	if n := int32(len(c.reply.buf)); n > c.replyPeak.Load() {
		c.replyPeak.Store(n)
	}
	if cap(c.reply.buf) > writeChunk {
		c.reply.buf = nil
	} else {
		c.reply.buf = c.reply.buf[:0]
	}
	if n := int32(cap(c.reply.buf)); n != c.replyCap.Load() {
		c.replyCap.Store(n)
	}
}

// end leaves every channel, lets what is queued leave the socket, and closes.
func (c *conn) end() {
	c.leaveAll()
	c.server.caches.leave(c)
	c.dropTransaction(keyspace.TakeLocks)
	c.server.monitors.remove(c)
	// Nobody waits for this goroutine, so a client that does not read its last
	// replies may take a while, but not for ever.
	c.socket.SetWriteDeadline(time.Now().Add(lingerTime))
	if drained := c.outbox.finish(); drained != nil {
		<-drained
	}
	if reason := c.outbox.closeReason(); reason != "" {
		c.server.log.Info("client closed", "client", c.id, "addr", c.remoteAddr(), "reason", reason)
	}
	c.socket.Close()
	c.server.forget(c)
	if c.in != nil {
		putReadBuffer(c.in)
	}
}

// lingerTime is how long a connection that the server ends may take to accept
// the last replies.
const lingerTime = 5 * time.Second

func (c *conn) remoteAddr() string {
	return addrString(c.socket.RemoteAddr(), c.server.config.Values().UnixSocket)
}

// unixSocket reports a client of the unix socket.
func (c *conn) unixSocket() bool {
	_, ok := c.socket.LocalAddr().(*net.UnixAddr)
	return ok
}

func (c *conn) localAddr() string {
	return addrString(c.socket.LocalAddr(), c.server.config.Values().UnixSocket)
}

// addrString spells an address as CLIENT LIST does: a unix socket by its path
// and port zero.
func addrString(a net.Addr, unixPath string) string {
	if _, ok := a.(*net.UnixAddr); ok {
		return fmt.Sprintf("%s:0", unixPath)
	}
	return a.String()
}
