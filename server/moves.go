package server

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"slotcast/channels"
	"slotcast/clusterstate"
	"slotcast/gossip"
)

// movers are the connections that have asked by CLIENT MAINT_NOTIFICATIONS to
// be told when slots move. They are connections of applications, that serve
// commands as before: they are never closed or refused because the node has
// nothing to tell, and other messages have nothing to do with them.
type movers struct {
	count atomic.Int32
	mu    sync.Mutex // guards conns; the innermost lock but for outboxes
	conns map[*conn]struct{}
}

// wantMoves begins or ends it for a connection.
func (c *conn) wantMoves(want bool) {
	if c.wantsMoves == want {
		return
	}
	c.wantsMoves = want
	m := &c.server.movers
	m.mu.Lock()
	defer m.mu.Unlock()
	if !want {
		delete(m.conns, c)
	} else {
		if m.conns == nil {
			m.conns = make(map[*conn]struct{})
		}
		m.conns[c] = struct{}{}
	}
	m.count.Store(int32(len(m.conns)))
}

// clientMaintNotifications takes the request that clients make of a server which
// announces its maintenance. What they call the type of a moving endpoint is
// about announcements that are not made here, but it has to be one of theirs.
func clientMaintNotifications(cl *call) {
	on, ok := cl.onOff(cl.args[2])
	if !ok {
		return
	}
	options := cl.args[3:]
	for ; on && len(options) >= 2 && is(options[0], "moving-endpoint-type") && isEndpointType(options[1]); options = options[2:] {
	}
	switch {
	case len(options) > 0:
		cl.fail(errSyntax)
		return
	case on && !cl.reply.resp3:
		cl.fail(errMovesNeedRESP3)
		return
	case on && !cl.server.config.Values().MaintNotifications:
		cl.fail(errMovesDisabled)
		return
	}
	cl.conn.wantMoves(on)
	if !on {
		cl.left()
	}
	cl.reply.OK()
}

func isEndpointType(arg []byte) bool {
	for _, kind := range []string{"internal-ip", "internal-fqdn", "external-ip", "external-fqdn", "none"} {
		if is(arg, kind) {
			return true
		}
	}
	return false
}

// tellMoves queues a frame for each move that the published view agrees with.
// The commit lock is held, so that the map which a client reads next shows them.
// What a minority believes is not passed on, as in rows.
func (t *topology) tellMoves(moved []gossip.Move) {
	m, v := &t.server.movers, t.published().view
	if len(moved) == 0 || m.count.Load() == 0 || v.Minority() || !t.server.config.Values().MaintNotifications {
		return
	}
	b := &movesBatch{view: v, moved: moved}
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.conns {
		c.outbox.notify(b)
	}
}

// tellMovesLater is tellMoves for moves that come without a change of the view.
func (t *topology) tellMovesLater(moved []gossip.Move) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tellMoves(moved)
}

// movesBatch is what the claim of one node sends: a frame for each slot, so that
// its number can be the same whichever claims have come together.
type movesBatch struct {
	view    *clusterstate.View
	moved   []gossip.Move
	encoded [channels.Forms][][]byte
	done    [channels.Forms]bool
}

// Slices implements channels.Batch.
func (b *movesBatch) Slices(f channels.Form) [][]byte {
	if f&channels.RESP3 == 0 {
		return nil
	}
	f &^= channels.JSON
	if !b.done[f] {
		b.encoded[f], b.done[f] = b.encode(variant(f)), true
	}
	return b.encoded[f]
}

func (b *movesBatch) encode(va clusterstate.Variant) (slices [][]byte) {
	r := Reply{resp3: true}
	for _, mv := range b.moved {
		from, known := endpointOf(b.view, mv.From, va)
		to, known2 := endpointOf(b.view, mv.To, va)
		if owner := b.view.Owner(mv.Slot); !known || !known2 || owner == nil || owner.ID != mv.To {
			continue
		}
		r.Push(3)
		r.BulkString("SMIGRATED")
		r.Int(mv.Number())
		r.Array(1)
		r.Array(3)
		r.BulkString(from)
		r.BulkString(to)
		r.BulkString(strconv.Itoa(int(mv.Slot)))
		if len(r.buf) > sliceSize-sliceSize/8 {
			slices = append(slices, r.buf)
			r.buf = nil
		}
	}
	if len(r.buf) > 0 {
		slices = append(slices, r.buf)
	}
	return slices
}

// endpointOf spells a node as host and port of CLUSTER SLOTS. Clients split it
// at its only colon, so there is none with an address of IPv6, and where the
// host is not known.
func endpointOf(v *clusterstate.View, id clusterstate.NodeID, va clusterstate.Variant) (endpoint string, ok bool) {
	n := v.Node(id)
	if n == nil {
		return "", false
	}
	e := v.NodeEntry(n, va)
	if !e.Known() || strings.Contains(e.Endpoint, ":") {
		return "", false
	}
	return e.Endpoint + ":" + strconv.Itoa(int(e.Port)), true
}
