package server

import (
	"slices"

	"slotcast/keyspace"
)

// transaction is a connection's MULTI state and its watched keys.
type transaction struct {
	open    bool
	aborted bool // a command could not be queued
	queue   []queuedCommand
	watcher keyspace.Watcher
}

type queuedCommand struct {
	cmd  *command
	args [][]byte
}

func (c *conn) inMulti() bool { return c.tx != nil && c.tx.open }

// transaction returns the connection's transaction, making it on first use.
func (c *conn) transaction() *transaction {
	if c.tx == nil {
		c.tx = &transaction{}
	}
	return c.tx
}

// has reports whether a command with one of the flags is queued.
func (tx *transaction) has(f flags) bool {
	return tx != nil && slices.ContainsFunc(tx.queue, func(q queuedCommand) bool { return q.cmd.flags&f != 0 })
}

// queue keeps a command for EXEC. Its arguments are copied: the read buffer
// goes on. What follows a command that could not be queued is not kept either,
// as nothing of it will run: neither does it take memory, nor can EXEC refuse it.
func (s *Server) queue(cl *call) {
	tx := cl.conn.tx
	cl.from = len(cl.reply.buf)
	cl.reply.Status("QUEUED")
	cl.mute()
	if tx.aborted {
		return
	}
	n := 0
	for _, a := range cl.args {
		n += len(a)
	}
	store := make([]byte, 0, n)
	args := make([][]byte, len(cl.args))
	for i, a := range cl.args {
		store = append(store, a...)
		args[i] = store[len(store)-len(a) : len(store) : len(store)]
	}
	tx.queue = append(tx.queue, queuedCommand{cl.cmd, args})
	cl.conn.queued.Store(int32(len(tx.queue)))
	cl.conn.queuedSize.Add(int32(n))
}

// dropTransaction ends MULTI and forgets the watched keys. locks says whether
// the caller holds the locks of their slots.
func (c *conn) dropTransaction(locks keyspace.Locks) {
	if c.tx == nil {
		return
	}
	c.server.keys.Unwatch(&c.tx.watcher, locks)
	c.tx = nil
	c.queued.Store(-1)
	c.queuedSize.Store(0)
	c.watching.Store(0)
}

// execution is an EXEC being run: every lock that its commands need is held.
type execution struct {
	// staged collects what the queued CLUSTER commands do to the state
	// machine; nil when none is queued.
	staged *staged
	// subscribed tells that a command of this EXEC has subscribed to something.
	subscribed bool
	// family are the reserved channels, patterns the patterns that can match
	// them, and snapshots the channels whose message is due, that take effect
	// after the commit of this EXEC.
	family, patterns, snapshots []string
	// bare tells that CLUSTER SUBSCRIBE SLOTS takes effect then, too.
	bare bool
}

// exec runs EXEC: on the owner when a queued command needs it, else here. It
// returns false if it did nothing because a key is busy.
func (s *Server) exec(cl *call) (done bool) {
	c := cl.conn
	if c.inMulti() && !c.tx.aborted && c.tx.has(onOwner) {
		c.flush()
		cl.mark = 0
		return s.owner.run(cl)
	}
	return s.execHere(cl, nil)
}

// execHere locks what the queue and the watched keys need, ascending, and runs
// the queue. With st set it is the owner who calls, every slot is locked, and
// the CLUSTER commands go to the staged node. It returns false if it did nothing
// because a key is busy.
func (s *Server) execHere(cl *call, st *staged) (done bool) {
	c := cl.conn
	slots, all := s.execSlots(c.tx)
	all = all || st != nil
	if all {
		s.keys.LockAll()
		defer s.keys.UnlockAll()
	} else {
		for _, n := range slots {
			s.keys.Slot(n).Lock()
		}
		defer func() {
			for _, n := range slots {
				s.keys.Slot(n).Unlock()
			}
		}()
	}
	if s.queueMustWait(c) {
		return false
	}
	switch {
	case c.listening() || c.tx.has(subscribes) || c.wantsMoves && c.tx.has(onOwner):
		// What the queue reads of the map must not be overtaken by rows, nor
		// overtake them. The owner alone commits, so for it nothing can.
		if st == nil {
			cl.lockCommit()
		}
		cl.hold()
	case c.hearsOfKeys() || c.tx.has(tracks):
		c.holdBatch()
	}
	defer s.leave(cl)
	cl.view = s.topology.current()
	cl.exec = &execution{staged: st}
	if err := s.redirectExec(cl); err != nil {
		c.dropTransaction(keyspace.HoldsLocks)
		cl.fail(err)
		return true
	}
	if err := s.late(cl); err != nil {
		s.reject(cl, err)
		return true
	}
	s.call(cl)
	if st != nil {
		if err := st.finish(cl); err != nil {
			c.reply.buf = c.reply.buf[:cl.mark]
			cl.fail(err)
		}
	}
	for _, name := range cl.exec.family {
		c.join(name)
	}
	for _, pattern := range cl.exec.patterns {
		c.joinPattern(pattern)
	}
	if cl.exec.bare {
		c.joinBare()
	}
	if (len(cl.exec.family)+len(cl.exec.patterns) > 0 || cl.exec.bare) && s.familyRefusal() != nil {
		// The same EXEC that subscribed ended the service.
		c.closeAfter = true
	}
	cl.snapshot = c.snapshots(slices.DeleteFunc(cl.exec.snapshots, func(name string) bool {
		return !c.subscribed(name) // left again by the same EXEC
	}))
	return true
}

// execSlots are the slots that EXEC locks: of its keys and of the watched
// ones, ascending; all of them for a command that looks at every slot.
func (s *Server) execSlots(tx *transaction) (slots []uint16, all bool) {
	if tx == nil {
		return nil, false
	}
	slots = tx.watcher.Slots(nil)
	for _, q := range tx.queue {
		if q.cmd.flags&(allSlots|eachSlot|onOwner) != 0 {
			all = true
		}
		if n, keyed := q.cmd.slot(q.args); keyed {
			slots = append(slots, n)
		}
	}
	slices.Sort(slots)
	return slices.Compact(slots), all
}

// runQueue is EXEC's handler once everything is locked.
func runQueue(cl *call) {
	s, c := cl.server, cl.conn
	tx := c.tx
	if !c.inMulti() {
		cl.fail(errExecNoMulti)
		return
	}
	dirty := s.keys.Changed(&tx.watcher, cl.now)
	c.dropTransaction(keyspace.HoldsLocks)
	c.queued.Store(int32(len(tx.queue))) // CLIENT INFO in the queue tells of it
	defer c.queued.Store(-1)
	switch {
	case tx.aborted:
		cl.fail(errExecAbort)
		return
	case dirty:
		cl.reply.NullArray()
		return
	}
	cl.reply.Array(len(tx.queue))
	cl.mute()
	for _, q := range tx.queue {
		n, keyed := q.cmd.slot(q.args)
		inner := call{server: s, conn: c, cmd: q.cmd, args: q.args, reply: cl.reply,
			start: c.clock, now: cl.now, view: cl.view, exec: cl.exec}
		if keyed {
			inner.slot = s.keys.Slot(n)
		}
		s.call(&inner)
	}
	cl.from = len(cl.reply.buf) // each of them was muted for itself
}

// redirectExec decides the redirection of everything queued at once.
func (s *Server) redirectExec(cl *call) error {
	if !cl.conn.inMulti() {
		return nil
	}
	return s.redirectQueue(cl, cl.conn.tx.queue)
}
