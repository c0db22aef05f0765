package server

import (
	"slotcast/channels"
	"slotcast/resp2"
	"slotcast/resp3"
)

// ownSince is the release of slotcast that brought the commands which Redis
// does not have.
const ownSince = "0.1.0"

// clusterSubscribe asks for rows as bare pushes: frames that belong to no
// channel, for clients with a handler for pushes. In RESP2 a frame that is no
// reply and no message breaks clients, so there is none.
func clusterSubscribe(cl *call) {
	err := error(nil)
	switch {
	case !is(cl.args[2], "slots"):
		err = errSyntax
	case !cl.reply.resp3:
		err = errBareNeedsRESP3
	default:
		err = cl.server.familyRefusal()
	}
	if err != nil {
		cl.fail(err)
		return
	}
	cl.conn.subscribeBare(cl.exec)
	cl.joined()
	cl.reply.OK()
}

// clusterUnsubscribe is no error for who has not subscribed, in RESP2 either:
// HELLO 2 has ended it already.
func clusterUnsubscribe(cl *call) {
	if !is(cl.args[2], "slots") {
		cl.fail(errSyntax)
		return
	}
	cl.conn.leaveBare()
	cl.left()
	cl.reply.OK()
}

// subscribeBare is subscribe without a channel.
func (c *conn) subscribeBare(in *execution) {
	c.bare.Store(true)
	if in != nil {
		in.bare = true
		return
	}
	c.joinBare()
}

// joinBare begins what was asked for, unless it has been given up again.
func (c *conn) joinBare() {
	if c.bare.Load() && !c.bareRows {
		c.bareRows = true
		c.server.family.joinBare(c)
	}
}

// leaveBare ends it.
func (c *conn) leaveBare() {
	c.bare.Store(false)
	if c.bareRows {
		c.bareRows = false
		c.server.family.partBare(c)
	}
}

func (f *family) joinBare(c *conn) {
	f.join(c)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.bare == nil {
		f.bare = make(map[*conn]struct{})
	}
	f.bare[c] = struct{}{}
}

func (f *family) partBare(c *conn) {
	f.mu.Lock()
	delete(f.bare, c)
	f.mu.Unlock()
	f.part(c)
}

// pushBare delivers to all who asked for bare pushes. The commit lock is held.
func (f *family) pushBare(b channels.Batch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.bare {
		c.outbox.Deliver(b)
	}
}

// appendBareHeader appends the start of a bare push, up to its row.
func appendBareHeader(b []byte) []byte {
	b = resp3.AppendPush(b, 3)
	b = resp2.AppendBulkString(b, "cluster")
	return resp2.AppendBulkString(b, "slots")
}
