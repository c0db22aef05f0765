package server

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"slotcast/channels"
	"slotcast/clusterstate"
	"slotcast/gossip"
	"slotcast/quirks"
)

// movers are the connections that have asked by CLIENT MAINT_NOTIFICATIONS to
// be told when slots move. They are connections of applications, that serve
// commands as before: they are never closed or refused because the node has
// nothing to tell, and other messages have nothing to do with them.
type movers struct {
	count atomic.Int32
	mu    sync.Mutex           // guards conns; the innermost lock but for outboxes
	conns []map[*conn]struct{} // by group, as in holds; nil before the first
}

// wantMoves begins or ends it for a connection. How its moves are gathered goes by
// what it has said of itself so far, and stays so until it asks anew: between two
// gatherers it would miss what waits in the one, or be told again by the other.
// Who asks first and gives its name later is taken for a stranger.
func (c *conn) wantMoves(want bool) {
	if c.wantsMoves == want {
		return
	}
	c.wantsMoves = want
	m := &c.server.movers
	m.mu.Lock()
	defer m.mu.Unlock()
	if !want {
		for _, conns := range m.conns { // it is in one of them
			delete(conns, c)
		}
		m.count.Add(-1)
		return
	}
	if m.conns == nil {
		m.conns = make([]map[*conn]struct{}, len(holds))
		for group := range m.conns {
			m.conns[group] = make(map[*conn]struct{})
		}
	}
	group := slices.Index(holds, quirks.Hold(c.identity.Load().client()))
	m.conns[group][c] = struct{}{}
	m.count.Add(1)
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

// wanted says whether anybody is to be told of moves that are heard of now, in
// this view. What a minority believes is not passed on, as in rows.
func (m *movers) wanted(s *Server, v *clusterstate.View) bool {
	return m.count.Load() > 0 && !v.Minority() && s.config.Values().MaintNotifications
}

// tellMoves queues frames of the moves that the published view agrees with, each
// for all connections of its group that want it now: one that has asked since the
// move may have read the map before it, and one that knows of it is told nothing
// wrong. The commit lock is held, so that the map which a client reads next shows
// them.
func (t *topology) tellMoves(told []telling) {
	m, v := &t.server.movers, t.published().view
	if len(told) == 0 || !m.wanted(t.server, v) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range told {
		b := &movesBatch{view: v, list: one.list}
		for c := range m.conns[one.group] {
			c.outbox.notify(b)
		}
	}
}

// tellMovesLater is tellMoves for moves that come without a change of the view.
func (t *topology) tellMovesLater(told []telling) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tellMoves(told)
}

// gatherMoves takes in the moves of an output, and returns those to be told with it.
func (o *owner) gatherMoves(out gossip.Output) []telling {
	if out.Reset {
		o.moves.drop()
	}
	v := out.View
	if v == nil {
		v = o.server.topology.current()
	}
	if len(out.Moved) == 0 || !o.server.movers.wanted(o.server, v) {
		return nil
	}
	told := o.moves.take(o.now().Mono, out.Moved)
	o.awaitMoves()
	return told
}

// awaitMoves has the owner's loop woken when the moves that wait are due.
func (o *owner) awaitMoves() {
	o.movesDue = nil
	if d, ok := o.moves.wait(o.now().Mono); ok {
		o.movesDue = time.After(d)
	}
}

// releaseMoves tells of the moves that have waited long enough.
func (o *owner) releaseMoves() {
	told := o.moves.release(o.now().Mono)
	o.awaitMoves()
	if len(told) > 0 && !o.dead {
		o.server.topology.tellMovesLater(told)
	}
}

// movesBatch is a frame of moves.
type movesBatch struct {
	view    *clusterstate.View
	list    []carried
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

// encode writes the frame, with a triplet for each pair of nodes. A slot that has
// left again is told of when its new owner claims it.
func (b *movesBatch) encode(va clusterstate.Variant) (cut [][]byte) {
	endpoints := map[clusterstate.NodeID]string{} // empty if it cannot be spelled
	endpoint := func(id clusterstate.NodeID) string {
		e, seen := endpoints[id]
		if !seen {
			e, _ = endpointOf(b.view, id, va)
			endpoints[id] = e
		}
		return e
	}
	all := mentions(b.list, func(mv gossip.Move) bool {
		owner := b.view.Owner(mv.Slot)
		return owner != nil && owner.ID == mv.To && endpoint(mv.From) != "" && endpoint(mv.To) != ""
	})
	if len(all) == 0 {
		return nil
	}
	type pair struct{ from, to clusterstate.NodeID }
	var pairs []pair // in the order of their first slots
	moved := map[pair][]clusterstate.SlotRange{}
	for _, m := range all { // by slot
		p := pair{m.From, m.To}
		ranges := moved[p]
		switch last := len(ranges) - 1; {
		case last < 0:
			pairs = append(pairs, p)
			fallthrough
		case ranges[last].End+1 != m.Slot:
			moved[p] = append(ranges, clusterstate.SlotRange{Start: m.Slot, End: m.Slot})
		default:
			ranges[last].End = m.Slot
		}
	}
	r := Reply{resp3: true}
	r.Push(3)
	r.BulkString("SMIGRATED")
	r.Int(frameNumber(all))
	r.Array(len(pairs))
	for _, p := range pairs {
		r.Array(3)
		r.BulkString(endpoint(p.from))
		r.BulkString(endpoint(p.to))
		r.BulkString(rangesText(moved[p]))
	}
	return slices.Collect(slices.Chunk(r.buf, sliceSize))
}

// rangesText is "1,5-9".
func rangesText(ranges []clusterstate.SlotRange) string {
	var b []byte
	for i, r := range ranges {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(r.Start), 10)
		if r.End != r.Start {
			b = strconv.AppendUint(append(b, '-'), uint64(r.End), 10)
		}
	}
	return string(b)
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
