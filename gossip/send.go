package gossip

import (
	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// intent is a frame to be sent once the step is through, so that its header
// tells of the view that the step has made.
type intent struct {
	kind     frame.Type
	link     LinkID              // 0 is every node that can be reached
	to       clusterstate.NodeID // of PING, PONG and MEET, as far as it is known
	extended bool                // of the same: the receiver reads all extensions
	about    clusterstate.NodeID // of FAIL and UPDATE
	publish  *Publish
}

func (t *turn) send(in intent) { t.intents = append(t.intents, in) }

func (t *turn) ping(kind frame.Type, link LinkID, to clusterstate.NodeID, extended bool) {
	t.send(intent{kind: kind, link: link, to: to, extended: extended})
}

// broadcastPong tells everyone at once what else they would hear with the next
// ping.
func (t *turn) broadcastPong() { t.send(intent{kind: frame.TypePong}) }

// ping pings a node over a link that stands.
func (n *Node) ping(t *turn, p *peer) {
	p = n.table.altered(p)
	p.pingSent, p.pingAt = t.now.Wall.UnixMilli(), t.now.Mono
	t.ping(frame.TypePing, p.link, p.id, p.extended)
}

// emit turns the intents of a step into frames. A link that was closed within
// the step gets none.
func (n *Node) emit(t *turn) {
	if len(t.intents) == 0 {
		return
	}
	header := n.header()
	for i := range t.intents {
		in := &t.intents[i]
		m := frame.Message{Type: in.kind, Header: header}
		switch {
		case in.publish != nil:
			n.emitPublish(t, &m, in.publish)
			continue
		case in.kind == frame.TypeFail:
			m.Failed = in.about
		case in.kind == frame.TypeUpdate:
			m.Update = n.update(in.about)
		case isPing(in.kind) && in.link == 0:
			n.emitPongs(t, &m)
			continue
		case isPing(in.kind):
			n.fillPing(&m, t, in.to, in.extended)
		}
		if _, open := n.table.links[in.link]; in.link == 0 || open {
			n.deal(t, in.link, in.kind, frame.Append(nil, &m), nil)
		}
	}
}

// deal sends a frame to a link, or to the nodes that the filter admits.
func (n *Node) deal(t *turn, link LinkID, kind frame.Type, encoded []byte, admits func(*peer) bool) {
	if link != 0 {
		n.sent[kind]++
		t.out.Send = append(t.out.Send, Send{link, encoded})
		return
	}
	for _, p := range n.table.rows {
		if p.up && (admits == nil || admits(p)) {
			n.sent[kind]++
			t.out.Send = append(t.out.Send, Send{p.link, encoded})
		}
	}
}

// emitPongs sends one PONG to everyone, in two forms.
func (n *Node) emitPongs(t *turn, m *frame.Message) {
	for _, extended := range [...]bool{true, false} {
		n.fillPing(m, t, "", extended)
		n.deal(t, 0, m.Type, frame.Append(nil, m), func(p *peer) bool { return p.extended == extended })
	}
}

// fillPing fills in the gossip and the extensions.
func (n *Node) fillPing(m *frame.Message, t *turn, to clusterstate.NodeID, extended bool) {
	m.Gossip = n.chooseGossip(to)
	m.Extensions = n.extensions(t, extended)
	m.MessageFlags |= frame.HasExtensions // Valkey sends its own to whoever shows this
}

// header is what this node says of itself.
func (n *Node) header() frame.Header {
	me := n.view.Myself()
	h := frame.Header{
		Sender:       me.ID,
		CurrentEpoch: n.currentEpoch,
		ConfigEpoch:  me.ConfigEpoch,
		IP:           n.cfg.AnnounceIP,
		Port:         uint16(me.Port),
		OtherPort:    uint16(me.TLSPort),
		BusPort:      uint16(me.BusPort),
		Flags:        frame.FlagMyself | frame.FlagPrimary | frame.FlagLightHeader | flagAlone,
		StateFail:    !n.view.ClusterOK(),
	}
	claims := me
	if me.Replica {
		// Only a nodes.conf of another server makes this node one. It has no
		// data, so it must not become a primary.
		h.Flags = frame.FlagMyself | frame.FlagReplica | frame.FlagNoFailover | frame.FlagLightHeader
		h.Primary = me.Primary
		if claims = n.view.Node(me.Primary); claims == nil {
			return h
		}
		h.ConfigEpoch = claims.ConfigEpoch
	}
	if n.claims == nil || n.claimant != claims.ID {
		n.claims, n.claimant = n.bitmap(claims.ID), claims.ID
	}
	h.Slots = n.claims
	return h
}

// bitmap returns the slots that a node owns and claims.
func (n *Node) bitmap(id clusterstate.NodeID) *frame.Bitmap {
	set := new(frame.Bitmap)
	if node := n.view.Node(id); node != nil {
		for _, ranges := range n.view.RangesOf([]*clusterstate.Node{node}) {
			eachSlot(ranges, set.Set)
		}
	}
	for i, unclaimed := range n.unclaimed {
		set[i] &^= unclaimed
	}
	return set
}

// update is what an UPDATE says about a node.
func (n *Node) update(about clusterstate.NodeID) frame.Update {
	u := frame.Update{Node: about, Slots: n.bitmap(about)}
	if node := n.view.Node(about); node != nil {
		u.ConfigEpoch = node.ConfigEpoch
	}
	return u
}
