package gossip

import (
	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// Received is a frame that came on a link, decoded. The message is not kept
// beyond the step, but for the payload of one of Pub/Sub.
type Received struct {
	Link    LinkID
	Message *frame.Message
}

func (in Received) apply(n *Node, t *turn) error {
	l, known := n.table.links[in.Link]
	if !known {
		return nil // closed, but the frame was on its way already
	}
	m := in.Message
	n.received[m.Type]++
	if m.Light {
		n.receiveLight(t, in.Link, l, m)
		return nil
	}
	if m.Type == frame.TypePing || m.Type == frame.TypeMeet {
		n.learnFromPeer(t, l, m)
	}
	switch {
	case l.handshake:
		n.receiveGreeting(t, in.Link, l, m)
	case !in.Link.Inbound() && m.Sender != l.node:
		if isPing(m.Type) {
			n.loseAddress(t, l.node)
		}
	case m.Sender == n.view.Myself().ID:
		// This node met itself, or another has a copy of its nodes.conf.
		n.answer(t, in.Link, m)
	case n.table.peer(m.Sender) == nil:
		n.receiveStranger(t, in.Link, m)
	default:
		if in.Link.Inbound() {
			n.bind(t, in.Link, m.Sender)
		}
		n.receiveKnown(t, in.Link, m)
	}
	return nil
}

// isPing tells whether a message is of the kind that says all of its sender.
func isPing(t frame.Type) bool {
	return t == frame.TypePing || t == frame.TypePong || t == frame.TypeMeet
}

// answer sends the PONG that a PING and a MEET want, from whomever they come.
func (n *Node) answer(t *turn, link LinkID, m *frame.Message) {
	if m.Type == frame.TypePing || m.Type == frame.TypeMeet {
		t.ping(frame.TypePong, link, m.Sender, readsExtensions(m))
	}
}

func (n *Node) receiveGreeting(t *turn, link LinkID, l link, m *frame.Message) {
	n.answer(t, link, m)
	if isPing(m.Type) {
		n.introduce(t, n.table.handshake(l.node), m)
	}
}

func (n *Node) receiveStranger(t *turn, link LinkID, m *frame.Message) {
	n.answer(t, link, m)
	if m.Type == frame.TypeMeet {
		n.answerMeet(t, link, m)
	}
}

// receiveLight takes a frame that does not say who sent it: the link does, or
// the link is worth nothing.
func (n *Node) receiveLight(t *turn, id LinkID, l link, m *frame.Message) {
	if l.handshake || l.node == "" {
		n.hangUp(t, id)
		return
	}
	n.table.alter(l.node).dataAt = t.now.Mono
	n.deliver(t, m)
}

// receiveKnown takes a frame of a node of the cluster.
func (n *Node) receiveKnown(t *turn, link LinkID, m *frame.Message) {
	p := n.table.alter(m.Sender)
	p.dataAt = t.now.Mono
	n.heed(p, m)
	n.followEpochs(t, m)
	n.noteOffset(t, p, m.Offset)
	switch m.Type {
	case frame.TypePing, frame.TypePong, frame.TypeMeet:
		n.receivePing(t, link, m)
	case frame.TypeFail:
		n.receiveFail(t, m)
	case frame.TypePublish, frame.TypePublishShard:
		n.deliver(t, m)
	case frame.TypeAuthRequest:
		n.vote(t, m)
	case frame.TypeUpdate:
		n.receiveUpdate(t, m)
	case frame.TypeMFStart:
		n.refuseManualFailover(t, m)
	case frame.TypeAuthAck, frame.TypeModule:
		// This node asks for no votes, and has no modules.
	}
}

// receivePing takes the frames that say all of their sender, in the order in
// which the parts depend on each other.
func (n *Node) receivePing(t *turn, link LinkID, m *frame.Message) {
	n.answer(t, link, m)
	n.table.alter(m.Sender).noFailover = m.Flags.Has(frame.FlagNoFailover)
	if m.Type == frame.TypePing && link.Inbound() {
		l := n.table.links[link]
		n.readdress(t, m.Sender, n.addressOf(m, l, l.peerIP))
	}
	if m.Type == frame.TypePong && !link.Inbound() {
		n.pong(t, m.Sender)
	}
	was := n.followRole(t, m)
	if m.Primary == "" {
		n.followClaim(t, m, was)
		n.arriveAt(t, m)
		n.settleCollision(t, m)
	}
	n.hearGossip(t, m)
	n.heedExtensions(t, m)
}

// heed notes what kind of server a peer is.
func (n *Node) heed(p *peer, m *frame.Message) {
	p.light = m.Flags.Has(frame.FlagLightHeader)
	p.extended = p.extended || readsExtensions(m)
	p.alone = m.Flags.Has(flagAlone)
}

// readsExtensions tells whether the sender is one of those that know more
// extensions than the hostname. Redis 7.0 drops the others with a line in its
// log at each, and gives no sign of itself, but the newer ones do: they send a
// shard id to whoever reads it, or announce by the bare flag that they would.
func readsExtensions(m *frame.Message) bool {
	if !m.MessageFlags.Has(frame.HasExtensions) {
		return false
	}
	return m.Flags.Has(frame.FlagLightHeader) || m.Extensions.ShardID != "" || m.Extensions.Hostname == ""
}

// pong notes that a node has answered.
func (n *Node) pong(t *turn, id clusterstate.NodeID) {
	p := n.table.alter(id)
	p.pingSent = 0
	p.pongReceived, p.pongAt = t.now.Wall.UnixMilli(), t.now.Mono
	n.absolve(t, id)
}

// noteOffset notes how far a node's replication is. The view holds of it
// whether a replica has data at all.
func (n *Node) noteOffset(t *turn, p *peer, offset uint64) {
	p.offset = offset
	n.judgeReplica(t, p.id)
}
