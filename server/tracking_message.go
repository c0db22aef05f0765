package server

import (
	"slotcast/channels"
	"slotcast/resp2"
	"slotcast/resp3"
)

// invalidateChannel is where a RESP2 subscriber finds what is redirected to it.
const invalidateChannel = "__redis__:invalidate"

// invalidation names keys that are no longer what a client has read, or all of
// them. It is encoded once for each protocol, whoever gets it.
type invalidation struct {
	keys    []string
	all     bool
	encoded [2][][]byte
}

// Slices implements channels.Batch. Without push frames it is a message of the
// channel; who may get that is decided by outbox.invalidate.
func (m *invalidation) Slices(f channels.Form) [][]byte {
	f &= channels.RESP3
	if m.encoded[f] == nil {
		m.encoded[f] = [][]byte{m.encode(f == channels.RESP3)}
	}
	return m.encoded[f]
}

func (m *invalidation) encode(push bool) []byte {
	n := 64
	for _, key := range m.keys {
		n += len(key) + 16
	}
	r := Reply{buf: make([]byte, 0, n), resp3: push}
	if push {
		r.Push(2)
		r.BulkString("invalidate")
	} else {
		r.buf = channels.AppendHeader(r.buf, 0, "message", "", invalidateChannel)
	}
	if m.all {
		r.Null()
		return r.buf
	}
	r.Array(len(m.keys))
	for _, key := range m.keys {
		r.BulkString(key)
	}
	return r.buf
}

// tell sends an invalidation to who is to be told for a tracker of this mode.
func (cs *caches) tell(tr *tracker, m *trackingMode, message *invalidation) {
	c := tr.conn.Load()
	if c == nil {
		return
	}
	if m.redirect == 0 {
		c.outbox.invalidate(message, false)
		return
	}
	if to := cs.server.conns.find(m.redirect); to != nil && to.outbox.invalidate(message, true) {
		return
	}
	m.broken.Store(true)
	c.outbox.Deliver(brokenRedirect(m.redirect))
}

// invalidate queues an invalidation for a connection that can take it: one that
// gets pushes and tracks, or one that others redirect to and that gets pushes or
// is a subscriber. It reports false only for a connection that is at its end.
func (o *outbox) invalidate(message *invalidation, redirected bool) (open bool) {
	o.mu.Lock()
	open = o.state == outboxOpen
	if open && o.takes(redirected) {
		o.pushAll(message.Slices(o.form))
	}
	o.unlock()
	return open
}

// takes is asked under mu: after a command that ends tracking, or the last
// subscription, has separated what is parked, nothing more comes in.
func (o *outbox) takes(redirected bool) bool {
	if o.form&channels.RESP3 == 0 {
		return redirected && o.conn.subscriber()
	}
	return redirected || o.conn.tracking() != nil
}

// brokenRedirect tells a connection that the one it redirects to is gone.
type brokenRedirect int64

// Slices implements channels.Batch: RESP2 has no way to say it.
func (id brokenRedirect) Slices(f channels.Form) [][]byte {
	if f&channels.RESP3 == 0 {
		return nil
	}
	b := resp2.AppendBulkString(resp3.AppendPush(nil, 2), "tracking-redir-broken")
	return [][]byte{resp2.AppendInt(b, int64(id))}
}
