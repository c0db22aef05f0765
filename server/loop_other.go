//go:build !linux

package server

// loops need epoll; elsewhere every connection has a goroutine.
type loops struct{}

type loop struct{}

func (ls *loops) open() error { return nil }
func (ls *loops) close()      {}

func (ls *loops) start(c *conn) {
	go func() { // ends with the connection
		for c.readOn() {
		}
		c.over()
	}()
}

func (c *conn) readOn() (ok bool) {
	defer c.survive(&ok)
	in, n, err := c.read(c.in)
	c.in = in
	if err != nil || n == 0 || c.ended() {
		return false
	}
	c.took(n)
	if !c.process() {
		return false
	}
	if goal := c.pace(); goal != nil {
		c.server.flusher.await(goal)
	}
	return true
}

func (c *conn) stopIdle() {} // a deadline ends the read that waits

func (c *conn) unwatch() {}
