package server

import "sync"

// work is what a connection needs only while its commands run. An idle one has
// none.
type work struct {
	call    call
	args    [][]byte
	tally   tally
	replies []byte   // a buffer to collect replies in
	changed []change // that listeners of prefixes are not told of yet
}

var works = sync.Pool{New: func() any { return new(work) }}

// begin gets what process needs; finish gives it back.
func (c *conn) begin() {
	c.work = works.Get().(*work)
	c.reply.buf = c.work.replies[:0]
}

// keptArgs bounds the arguments whose headers are kept for the next command.
const keptArgs = 64

func (c *conn) finish() {
	w := c.work
	if len(w.changed) > 0 {
		c.server.caches.broadcast(c) // what a command had done when it panicked
	}
	c.work = nil
	w.call, w.tally = call{}, tally{}
	if cap(w.args) > keptArgs {
		w.args = nil
	}
	clear(w.args[:cap(w.args)])
	w.replies, c.reply.buf = c.reply.buf[:0], nil
	works.Put(w)
}
