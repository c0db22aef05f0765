package server

import (
	"bytes"
	"slices"

	"slotcast/channels"
	"slotcast/keyspace"
)

// dispatch takes one command of a connection through the checks, in the order
// in which Redis makes them, and runs or queues it. It returns false, and has
// done nothing, if it is a loop that runs the connection and the command may
// have to wait.
func (s *Server) dispatch(c *conn, args [][]byte) (done bool) {
	cl := &c.work.call
	*cl = call{server: s, conn: c, args: args, reply: c.reply, mark: len(c.reply.buf)}
	cmd, err := s.commands.lookup(args)
	if len(c.work.lent) > 0 && cmd != c.lastCmd.Load() {
		c.returnWorkers() // before what may take its time
	}
	c.lastCmd.Store(cmd)
	if err == nil {
		cl.cmd = cmd
		err = s.admit(cl)
	}
	if err != nil {
		s.enter(cl)
		s.reject(cl, err)
		s.leave(cl)
		return true
	}
	if c.here && s.mayWait(c, cmd) {
		return false
	}
	for !s.attempt(cl) {
		if c.here {
			s.busy.leave(c)
			return false
		}
		// A key was busy, and the connection has joined those who wait.
		cl.letGo()
		if !s.busy.wait(c) {
			return true
		}
	}
	if c.work.filed > 0 {
		s.trimAfter(c)
	}
	return true
}

// trimAfter pays for what a connection has added to the table of tracked keys.
// What it is told of that comes before its next reply.
func (s *Server) trimAfter(c *conn) {
	s.caches.trim(trimBudget + c.work.filed)
	c.work.filed = 0
	if c.held {
		c.reply.buf = c.outbox.joinParked(c.reply.buf, len(c.reply.buf), false)
	}
}

// mayWait reports a command that a loop must not run: it may wait for more than
// a lock.
func (s *Server) mayWait(c *conn, cmd *command) bool {
	if s.pause.active.Load() {
		return true
	}
	if cmd.flags&(allSlots|eachSlot|runsExec) != 0 && s.owner.savesLocked.Load() {
		return true
	}
	const waiting = onOwner | migrates | waits
	if cmd.flags&runsExec != 0 {
		return c.inMulti() && c.tx.has(waiting)
	}
	return cmd.flags&waiting != 0 && (!c.inMulti() || cmd.flags&notQueued != 0)
}

// attempt runs or queues a command that was admitted. It returns false, and has
// done nothing, when the command has to wait for a busy key, or for the end of a
// pause while a loop runs it.
func (s *Server) attempt(cl *call) (done bool) {
	c, cmd := cl.conn, cl.cmd
	if s.pause.holds(c, cmd) {
		if c.here {
			return false
		}
		// What would be refused is refused at once; the rest waits, holding
		// nothing, and is then checked anew.
		if refused := s.tryRefuse(cl); refused {
			return true
		}
		cl.letGo()
		s.pause.wait(c, cmd)
		if c.ended() || c.closeAfter {
			return true
		}
		c.clock = s.clock.now()
	}
	cl.start = c.clock
	cl.now = s.clock.unixMilli(cl.start)
	switch {
	case c.inMulti() && cmd.flags&notQueued == 0:
		return s.withSlot(cl, anyKey, func() { s.queue(cl) })
	case cmd.flags&runsExec != 0:
		return s.exec(cl)
	case cmd.flags&onOwner != 0:
		if err := s.late(cl); err != nil {
			s.enter(cl)
			s.reject(cl, err)
			s.leave(cl)
			return true
		}
		if s.giverMustWait(cl) {
			return false
		}
		c.flush()
		cl.mark = 0
		return s.owner.run(cl)
	case cmd.flags&allSlots != 0:
		s.keys.LockAll()
		defer s.keys.UnlockAll()
		s.enter(cl)
		defer s.leave(cl)
		s.lateCall(cl)
	case len(cmd.keys) > 0:
		return s.withSlot(cl, freeKeys, func() { s.call(cl) })
	default:
		s.enter(cl)
		defer s.leave(cl)
		s.lateCall(cl)
	}
	return true
}

// reject answers a command that is not run. Inside MULTI it spoils the
// transaction; if it is EXEC itself, it ends it.
func (s *Server) reject(cl *call, err error) {
	if cl.cmd != nil && cl.cmd.flags&runsExec != 0 {
		cl.conn.dropTransaction(keyspace.Locks(cl.exec != nil))
		err = errExecRejected(err)
	}
	if cl.conn.inMulti() {
		cl.conn.tx.aborted = true
	}
	if cl.cmd != nil {
		cl.cmd.stats.rejected.Add(1)
	}
	cl.fail(err)
}

// admit makes the checks that depend on the connection alone.
func (s *Server) admit(cl *call) error {
	c, cmd := cl.conn, cl.cmd
	switch {
	case !cmd.accepts(len(cl.args)):
		return errArity(cmd.fullName)
	case cmd.flags&protected != 0 && !s.debugAllowed(c):
		return errDebugProtected
	case cmd.flags&noAuth == 0 && c.mustAuthenticate():
		return errNoAuth
	case cmd.flags&(noMulti|migrates) != 0 && c.inMulti():
		return errNotInMulti
	}
	return nil
}

// late makes the checks that come after redirection.
func (s *Server) late(cl *call) error {
	c, cmd := cl.conn, cl.cmd
	if c.needsMemory(cmd) && s.memory.full() {
		return errOOM
	}
	if cmd.flags&allowedSubscribed == 0 && c.inSubscriberMode() {
		return errSubscriberMode(cmd.fullName)
	}
	// To Redis who monitors is a kind of replica, and it says so.
	if c.monitoring && cmd.flags&(write|readonly|mayReplicate) != 0 {
		return errMonitorKeys
	}
	return nil
}

// needsMemory reports a command that is refused above maxmemory, or an EXEC
// with such a one.
func (c *conn) needsMemory(cmd *command) bool {
	return cmd.flags&denyOOM != 0 || cmd.flags&runsExec != 0 && c.tx.has(denyOOM) ||
		// Whatever would be queued is refused, as Redis does: a queue takes memory.
		c.inMulti() && cmd.flags&notQueued == 0
}

// lateCall makes the late checks and runs the handler.
func (s *Server) lateCall(cl *call) {
	if err := s.late(cl); err != nil {
		s.reject(cl, err)
		return
	}
	s.call(cl)
}

// keyState is what a command wants of its keys.
type keyState bool

const (
	anyKey   keyState = false // it may be busy
	freeKeys keyState = true
)

// withSlot runs a command that names keys, or queues it: with the slot of the
// keys locked and the redirection decided by the view that holds under that
// lock. The reply is in the outbox before the lock is given back, so no write
// lands in a slot that has gone, and no redirect that is older than a pushed
// row follows it. It returns false if it did nothing because a key is busy, or
// because a loop would wait for the disk.
func (s *Server) withSlot(cl *call, want keyState, then func()) (done bool) {
	var refused error
	n, keyed := cl.cmd.slot(cl.args)
	if keyed {
		cl.slot = s.keys.Slot(n)
		if !cl.conn.here || !s.owner.savesLocked.Load() {
			cl.slot.Lock()
		} else if !cl.slot.TryLock() {
			return false
		}
		// Deferred, here and elsewhere, because a handler that panics ends
		// only its connection.
		defer cl.slot.Unlock()
		cl.view = s.topology.current()
		refused = s.redirect(cl, cl.slot, n)
	}
	if refused == nil {
		refused = s.late(cl)
	}
	if refused == nil && want == freeKeys && s.mustWait(cl.conn, cl.cmd, cl.args, cl.slot) {
		return false
	}
	s.enter(cl)
	defer s.leave(cl)
	if refused != nil {
		s.reject(cl, refused)
	} else {
		then()
	}
	return true
}

// tryRefuse answers a command that redirection or a later check refuses, and
// reports whether it did.
func (s *Server) tryRefuse(cl *call) bool {
	var err error
	n, keyed := cl.cmd.slot(cl.args)
	var slot *keyspace.Slot
	if keyed {
		slot = s.keys.Slot(n)
		slot.Lock()
		defer slot.Unlock()
		cl.now = s.clock.unixMilli(s.clock.now())
		cl.view = s.topology.current()
		err = s.redirect(cl, slot, n)
	}
	if err == nil {
		err = s.late(cl)
	}
	if err == nil {
		return false
	}
	s.enter(cl)
	s.reject(cl, err)
	s.leave(cl)
	return true
}

// confirms are the flags of the commands whose reply is a push.
const confirms = subscribes | pubsub

// call runs the handler and keeps the books.
func (s *Server) call(cl *call) {
	if cl.conn.work.tally.cmd != cl.cmd {
		cl.conn.settle()
	}
	cl.from, cl.silent = len(cl.reply.buf), cl.conn.closeAfter
	if s.caches.awake.Load() {
		s.caches.run(cl)
	} else {
		cl.cmd.handler(cl)
	}
	// Confirmations are pushes, which CLIENT REPLY leaves alone.
	if cl.failed || cl.cmd.flags&confirms != confirms {
		cl.mute()
	}
	end := s.clock.now()
	took := end - cl.start
	cl.conn.clock = end // the next one of the batch begins now
	cl.conn.count(cl.cmd, took, cl.failed)
	if s.config.Values().LatencyTracking {
		cl.cmd.stats.latency.record(took)
	}
	if cl.cmd.flags&skipSlowlog == 0 {
		s.slowlog.record(cl, took)
	}
	s.latency.record(cl.cmd, end, took)
	cl.announce()
}

// announce shows the command to the monitors, unless that is done.
func (cl *call) announce() {
	if m := &cl.server.monitors; m.any() && !cl.announced && cl.cmd.flags&(skipMonitor|admin) == 0 {
		cl.announced = true
		m.feed(cl)
	}
}

// mute takes back what the command wrote since cl.from, if CLIENT REPLY or the
// end of the connection wants it unsaid, and moves cl.from on.
func (cl *call) mute() {
	if cl.silent || cl.conn.muted() {
		cl.reply.buf = cl.reply.buf[:cl.from]
		cl.reply.shared = nil
	}
	cl.from = len(cl.reply.buf)
}

// letGo sends what was replied so far and closes the bracket, for a command
// that is to wait.
func (cl *call) letGo() {
	c := cl.conn
	if cl.held {
		cl.release(false)
	} else {
		c.flush()
	}
	cl.mark, cl.from = 0, 0
}

// enter opens the connection's bracket, if messages from others can come
// between this command's decision and its reply. The locks that decide the
// reply are held: for what reads the map beside rows, that is the commit lock,
// and rows that came before it was taken stand before the reply.
func (s *Server) enter(cl *call) {
	switch {
	case cl.conn.listening() || cl.opensBracket():
		if cl.readsMap() {
			cl.lockCommit()
		}
		cl.hold()
	case cl.conn.hearsOfKeys() || cl.cmd != nil && cl.cmd.flags&tracks != 0:
		cl.conn.holdBatch()
	}
}

// opensBracket reports whether the command itself brings messages to a connection
// that is not listening so far: because it subscribes, or because a client that
// wants to be told of moves makes one. (That one, an application's, has no
// bracket around its other commands: it is told of moves between two batches of
// replies, which is soon enough, and pays nothing for it.)
func (cl *call) opensBracket() bool {
	return cl.cmd != nil && (cl.cmd.flags&subscribes != 0 || cl.cmd.flags&onOwner != 0 && cl.conn.wantsMoves)
}

// readsMap reports whether the command is CLUSTER SLOTS, or about the family.
func (cl *call) readsMap() bool {
	switch {
	case cl.cmd == nil:
		return false
	case cl.cmd.flags&readsMap != 0:
		return true
	case cl.cmd.flags&subscribes == 0:
		return false
	}
	return slices.ContainsFunc(cl.args[1:], func(name []byte) bool {
		return bytes.HasPrefix(name, []byte(channels.Slots)) || channels.MatchesFamily(string(name))
	})
}

// hold opens the bracket for a command that finds out late that it needs one.
func (cl *call) hold() {
	if !cl.held {
		cl.conn.outbox.hold()
		cl.conn.held = true
		cl.held = true
	}
}

// release closes the bracket of a command, and sends its reply with all before it.
func (cl *call) release(reform bool) {
	c := cl.conn
	c.server.caches.broadcast(c)
	c.outbox.release(c.reply.buf, cl.mark, cl.snapshot, reform)
	c.emptyReply()
	c.held, cl.held = false, false
}

// holdBatch opens a bracket that stays open until the replies of the batch are
// sent. To one who hears of keys and is no subscriber, an invalidation must not
// overtake the reply with the value that it is about, nor come between a write
// of its own and what that causes; but its commands are many, and shall not cost
// a write each. What is parked joins the replies after every command.
func (c *conn) holdBatch() {
	if !c.held {
		c.outbox.hold()
		c.held = true
	}
}

// leave ends a command: with a bracket open the replies go into the outbox
// before it closes.
func (s *Server) leave(cl *call) {
	c := cl.conn
	switch c.replyMode {
	case replySkip:
		c.replyMode = replyOn
	case replySkipNext:
		c.replyMode = replySkip
	}
	if !c.inMulti() && (cl.cmd == nil || cl.cmd.flags&setsAsking == 0) {
		c.asking = false
	}
	if !c.inMulti() && (cl.cmd == nil || cl.cmd.flags&keepsCaching == 0) {
		c.caching = false
	}
	switch reform := c.resp3 != c.identity.Load().resp3; {
	case cl.held:
		cl.release(reform)
	case c.held:
		c.reply.buf = c.outbox.joinParked(c.reply.buf, cl.mark, reform)
	case reform:
		c.adoptProtocol()
		c.refile()
	}
	if cl.commitLocked {
		s.topology.mu.Unlock()
		cl.commitLocked = false
	}
}

// lockCommit takes the commit lock until the reply is in the outbox. The owner
// never needs it here: nobody commits beside it.
func (cl *call) lockCommit() {
	cl.server.topology.mu.Lock()
	cl.commitLocked = true
}
