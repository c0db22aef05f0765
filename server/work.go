package server

import (
	"sync"

	"slotcast/resp2"
)

// work is what a connection needs only while its commands run. An idle one has
// none.
type work struct {
	call    call
	args    [][]byte
	framer  resp2.Framer
	reply   Reply
	tally   tally
	ahead   []byte         // read while a command waited
	changed []change       // that listeners of prefixes are not told of yet
	filed   int            // keys that the command may have added to the table of tracked ones
	lent    []*flushWorker // by the flusher, to who publishes
}

var works = sync.Pool{New: func() any { return new(work) }}

// begin gets what process needs; finish gives it back.
func (c *conn) begin() {
	w := works.Get().(*work)
	w.reply.resp3 = c.resp3
	if c.part != nil {
		w.framer = *c.part
	}
	c.work, c.reply = w, &w.reply
}

// keepPart has the connection remember how far the framer has come in a request
// of which a part was read.
func (c *conn) keepPart() {
	if c.work.framer == (resp2.Framer{}) {
		c.part = nil
		return
	}
	if c.part == nil {
		c.part = new(resp2.Framer)
	}
	*c.part = c.work.framer
}

// keptArgs bounds the arguments whose headers are kept for the next command.
const keptArgs = 64

func (c *conn) finish() {
	w := c.work
	if len(w.lent) > 0 {
		c.returnWorkers()
	}
	if len(w.changed) > 0 {
		c.server.caches.broadcast(c) // what a command had done when it panicked
	}
	c.work, c.reply = nil, nil
	w.call, w.tally, w.framer = call{}, tally{}, resp2.Framer{}
	w.ahead, w.filed = nil, 0
	if cap(w.args) > keptArgs {
		w.args = nil
	}
	clear(w.args[:cap(w.args)])
	w.reply = Reply{buf: w.reply.buf[:0]}
	works.Put(w)
}
