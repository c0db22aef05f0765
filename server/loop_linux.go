package server

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// loops serve the clients. Each of the few loops is one goroutine, which takes
// one connection after the other of those that have sent something: it reads,
// runs what has come, and writes the replies. So an idle connection has no
// goroutine, and a busy one costs no switch to another. A loop never waits but
// for locks that are held for the time of one command; a command that may wait
// for more takes its connection to a goroutine of its own.
type loops struct {
	list []*loop
	next atomic.Uint32
	done sync.WaitGroup
}

type loop struct{ *poller }

// open starts the loops; close ends them.
func (ls *loops) open() error {
	for range runtime.GOMAXPROCS(0) {
		p, err := newPoller()
		if err != nil {
			ls.close()
			return err
		}
		l := &loop{p}
		ls.list = append(ls.list, l)
		ls.done.Add(1)
		go func() { // ends when close closes the poller
			defer ls.done.Done()
			l.run()
		}()
	}
	return nil
}

func (ls *loops) close() {
	for _, l := range ls.list {
		l.poller.close()
	}
	ls.done.Wait()
}

// start gives a new connection to a loop.
func (ls *loops) start(c *conn) {
	c.loop = ls.list[ls.next.Add(1)%uint32(len(ls.list))]
	c.rest()
}

func (l *loop) run() {
	for {
		ready, err := l.wait()
		if err != nil {
			return
		}
		for i, c := range ready {
			ready[i] = nil
			c.turn()
		}
	}
}

// turn runs what a connection's client has sent, without waiting.
func (c *conn) turn() {
	if !c.idle.CompareAndSwap(true, false) {
		c.socket.poke() // its command waits, and reads on meanwhile
		return
	}
	c.here = true
	ok := c.takeTurn()
	c.here = false
	switch {
	case !ok:
		c.elsewhere(c.over)
	case c.deferred:
		c.elsewhere(c.waitThrough)
	default:
		if goal := c.pace(); goal != nil {
			c.elsewhere(func() {
				c.server.flusher.await(goal)
				c.rest()
			})
			return
		}
		c.idle.Store(true)
		if c.ended() {
			c.stopIdle()
		}
	}
}

func (c *conn) takeTurn() (ok bool) {
	defer c.survive(&ok)
	if c.ended() {
		return false
	}
	in, n, err := c.socket.readNow(c.in)
	c.in = in
	switch {
	case err == errNothingYet:
		return true
	case err != nil || n == 0:
		return false
	}
	c.took(n)
	return c.process()
}

// elsewhere takes a connection that is not idle from its loop to a goroutine
// of its own.
func (c *conn) elsewhere(f func()) {
	c.loop.forget(c)
	go f() // ends with the command that waits, or soon after the connection
}

// waitThrough runs the command that may wait, and what was read behind it.
func (c *conn) waitThrough() {
	c.deferred = false
	if c.carryOn() {
		c.rest()
	} else {
		c.over()
	}
}

func (c *conn) carryOn() (ok bool) {
	defer c.survive(&ok)
	return !c.ended() && c.process() && !c.ended()
}

// rest has the loop take the connection's turn when its client sends something,
// or at once if it has. Once it is idle, anybody may end it.
func (c *conn) rest() {
	if c.loop.watch(c, toRead) != nil {
		c.outbox.kill("the connection cannot be watched")
	}
	c.idle.Store(true)
	if c.ended() {
		c.stopIdle()
	}
}

// stopIdle ends a connection that nobody runs.
func (c *conn) stopIdle() {
	if c.idle.CompareAndSwap(true, false) {
		c.elsewhere(c.over)
	}
}

// unwatch lets the connection's socket be closed.
func (c *conn) unwatch() {
	c.loop.forget(c)
	c.server.flusher.drains.forget(c)
}
