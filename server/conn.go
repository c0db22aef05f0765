package server

import (
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"

	"slotcast/keyspace"
	"slotcast/resp2"
)

// conn is one client connection, and most of what an idle one costs: what is
// needed only while commands run is in work. Its loop, or for a while a goroutine of its
// own, runs it: reads, runs the commands and ends it. What others may touch is
// the outbox, the atomics, and the fields that name their own lock.
type conn struct {
	id      int64
	server  *Server
	socket  socket
	outbox  outbox
	loop    *loop         // that runs it, but where there are none
	created time.Duration // by the server's clock

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
	idle       atomic.Bool             // nobody runs the connection; whoever unsets it does
	waits      waiting

	// The rest belongs to whoever runs the connection, or to the owner while
	// that one waits for it.
	in            []byte        // read and not yet run; nil while there is nothing
	part          *resp2.Framer // how far it has come in what in begins with, nil at the start of a request
	clock         time.Duration // when the batch, or the latest command of it, was taken up
	work          *work         // while commands run
	reply         *Reply        // part of work
	tx            *transaction
	subscriptions subscriptions
	authenticated bool
	resp3         bool // the protocol of the replies
	asking        bool
	readonly      bool
	replyMode     replyMode
	monitoring    bool
	closeAfter    bool // end the connection after the replies have left
	wantsMoves    bool // by CLIENT MAINT_NOTIFICATIONS
	held          bool // the outbox's bracket is open
	caching       bool // CLIENT CACHING was about the next command
	here          bool // it is its loop that runs the connection
	deferred      bool // the next command is not for the loop
	bareRows      bool // rows come as bare pushes; bare alone says that they are asked for
	published     bool // in this turn, to somebody
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

// unnamed and admitted are what clients are that have not said anything of
// themselves, before and after authentication: most of many.
var unnamed, admitted = identity{}, identity{authenticated: true}

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

// newConn takes over an accepted connection, or closes it.
func (s *Server) newConn(nc net.Conn) (*conn, error) {
	now := time.Now()
	c := &conn{
		id:            s.nextConnID.Add(1),
		server:        s,
		created:       s.clock.now(),
		authenticated: s.config.Values().RequirePass == "",
	}
	if err := c.socket.open(nc); err != nil {
		nc.Close()
		return nil, err
	}
	c.outbox.conn = c
	c.identity.Store(&unnamed)
	if c.authenticated {
		c.identity.Store(&admitted)
	}
	c.lastActive.Store(now.UnixMilli())
	c.queued.Store(-1)
	return c, nil
}

// wake has the connection's end looked to: by who runs it, whose read may be
// waiting, or by a goroutine if nobody does. It may be called under any lock:
// setting a deadline does not wait.
func (c *conn) wake() {
	c.killed.Store(true)
	c.socket.SetReadDeadline(aLongTimeAgo)
	c.stopIdle()
}

// ended reports that the outbox takes nothing more.
func (c *conn) ended() bool { return c.killed.Load() && !c.outbox.open() }

// over ends the connection, and what Close waits for.
func (c *conn) over() {
	c.end()
	c.server.running.Done()
}

// survive ends the connection if a command panicked.
func (c *conn) survive(ok *bool) {
	if v := recover(); v != nil {
		c.server.log.Error("panic in a command, connection closed", "client", c.id, "panic", v, "stack", string(debug.Stack()))
		c.outbox.kill("internal error")
		*ok = false
	}
}

// took keeps the books of a read.
func (c *conn) took(n int) {
	c.server.stats.bytesIn.Add(int64(n))
	c.server.stats.reads.Add(1)
	c.clock = c.server.clock.now()
	c.lastActive.Store(c.server.clock.unixMilli(c.clock))
	c.unread.Store(int32(len(c.in)))
	c.readCap.Store(int32(cap(c.in)))
}

// process runs every whole command in the read buffer, writes the replies,
// and keeps what is left of the buffer. It reports whether to go on.
func (c *conn) process() bool {
	c.begin()
	defer c.finish()
	rest := c.in
	ok := true
	for len(rest) > 0 && ok {
		n, err := c.work.framer.Next(rest, c.limits())
		if err == nil && n == 0 {
			break
		}
		if err == nil {
			c.work.args, err = resp2.Parse(rest[:n], c.work.args)
		}
		if err != nil {
			c.reply.buf = resp2.AppendError(c.reply.buf, "ERR "+err.Error())
			c.server.log.Debug("protocol error", "client", c.id, "error", err)
			ok = false
			break
		}
		if len(c.work.args) > 0 && !c.server.dispatch(c, c.work.args) {
			c.deferred = true
			break
		}
		rest = rest[n:]
		if len(c.work.args) > 0 {
			ok = !c.closeAfter && !c.ended()
			rest = c.takeAhead(rest)
		}
		if len(c.reply.buf) > writeChunk || c.reply.shared != nil {
			c.flush()
		}
	}
	if limit := c.server.config.Values().QueryBufferLimit; ok && int64(len(rest)) > limit {
		c.outbox.closeSoon(endedByQueryLimit)
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
	case len(rest) == cap(c.in):
		// Full of one partial command: double, so that what is allocated
		// stays within twice what was sent.
		c.in = append(make([]byte, 0, 2*cap(c.in)), rest...)
	case cap(c.in) > readBufferSize && len(rest) <= readBufferSize/2:
		// A large command has gone. What follows it is small, for all that is
		// known, and is read in small pieces again, lest it hold up the loop.
		c.in = append(getReadBuffer(), rest...)
	default:
		c.in = c.in[:copy(c.in[:cap(c.in)], rest)]
	}
	c.keepPart()
	c.unread.Store(int32(len(rest)))
	c.readCap.Store(int32(cap(c.in)))
}

// flush sends the replies collected so far. It is called between commands,
// and before a command that waits.
func (c *conn) flush() {
	c.server.caches.broadcast(c)
	c.outbox.send(c.reply.buf)
	c.held = false
	c.emptyReply()
	if shared := c.reply.shared; shared != nil {
		c.reply.shared = nil
		c.outbox.sendTurn(shared, sharedTurn)
	}
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
	if drained := c.outbox.finish(); drained != nil {
		timer := time.NewTimer(lingerTime)
		defer timer.Stop()
		select {
		case <-drained:
		case <-timer.C:
			c.outbox.abandon()
			<-drained
		}
	}
	c.noteEnd()
	c.server.forget(c)
	c.unwatch()
	c.socket.close()
	if c.in != nil {
		putReadBuffer(c.in)
	}
}

// lingerTime is how long a connection that the server ends may take to accept
// the last replies.
const lingerTime = 5 * time.Second

func (c *conn) remoteAddr() string { return c.socket.addr(c.server.config.Values().UnixSocket) }

func (c *conn) localAddr() string { return c.socket.localAddr(c.server.config.Values().UnixSocket) }
