package gossip

import (
	"slices"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// link is what is known of a connection of the bus, in either direction. To
// every node there is one, on which go this node's pings and what it has to
// say; on the one that the node opens come its pings, and go the pongs.
type link struct {
	// node is who is at the other end. Of a link that a peer opened that is
	// found out with the first frame; until then it is empty. A handshake has
	// a made-up id.
	node      clusterstate.NodeID
	handshake bool

	localIP, peerIP string
	created         int64 // unix ms
}

func (in Accepted) apply(n *Node, t *turn) error {
	if in.Link.Inbound() {
		n.table.own()
		n.table.links[in.Link] = link{localIP: in.LocalIP, peerIP: in.PeerIP, created: t.now.Wall.UnixMilli()}
	}
	return nil
}

func (in LinkUp) apply(n *Node, t *turn) error {
	l, known := n.table.links[in.Link]
	if !known || in.Link.Inbound() {
		return nil // it was given up meanwhile
	}
	l.localIP = in.LocalIP
	n.table.own()
	n.table.links[in.Link] = l
	if l.handshake {
		h := n.table.handshake(l.node)
		h.up = true
		greeting := frame.TypePing
		if h.meet {
			greeting = frame.TypeMeet
		}
		t.ping(greeting, in.Link, "", false)
		return nil
	}
	p := n.table.alter(l.node)
	p.up = true
	// A ping that the old link did not get an answer to goes on counting.
	sent, at := p.pingSent, p.pingAt
	n.ping(t, p)
	if sent != 0 {
		p.pingSent, p.pingAt = sent, at
	}
	return nil
}

func (in LinkDown) apply(n *Node, t *turn) error {
	if in.Overflow {
		n.overflows++
	}
	l, known := n.table.links[in.Link]
	if !known {
		return nil
	}
	if !l.handshake && l.node != "" && !in.Link.Inbound() {
		// Refused connections count as unanswered pings; otherwise a node
		// that is down, and whose last pong came, would never be missed.
		if p := n.table.alter(l.node); !p.up && p.pingSent == 0 {
			p.pingSent, p.pingAt = t.now.Wall.UnixMilli(), t.now.Mono
		}
	}
	n.unlink(in.Link)
	return nil
}

// unlink forgets a link that is gone.
func (n *Node) unlink(id LinkID) {
	l, known := n.table.links[id]
	if !known {
		return
	}
	n.table.own()
	delete(n.table.links, id)
	switch {
	case l.handshake:
		if h := n.table.handshake(l.node); h != nil {
			h.link, h.up = 0, false
		}
	case l.node == "":
	default:
		p := n.table.alter(l.node)
		if p.link == id {
			p.link, p.up = 0, false
		}
		if p.from == id {
			p.from = 0
		}
	}
}

// hangUp closes a link.
func (n *Node) hangUp(t *turn, id LinkID) {
	if id == 0 {
		return
	}
	n.unlink(id)
	t.out.Close = append(t.out.Close, id)
}

// dial asks for a link to a node or to a handshake.
func (n *Node) dial(t *turn, l link, ip string, port int) LinkID {
	n.lastLink++
	l.created = t.now.Wall.UnixMilli()
	n.table.own()
	n.table.links[n.lastLink] = l
	t.out.Dial = append(t.out.Dial, Dial{Link: n.lastLink, Node: l.node, IP: ip, Port: port})
	return n.lastLink
}

// bind notes who opened a link. A node has one: its new link replaces the old.
func (n *Node) bind(t *turn, id LinkID, node clusterstate.NodeID) {
	l := n.table.links[id]
	if l.node == node {
		return
	}
	if l.node != "" {
		if p := n.table.alter(l.node); p.from == id {
			p.from = 0
		}
	}
	if old := n.table.peer(node).from; old != 0 {
		n.hangUp(t, old)
	}
	l.node = node
	n.table.own()
	n.table.links[id] = l
	n.table.alter(node).from = id
	t.out.Known = append(t.out.Known, id)
}

// LinkInfo is a link of the bus, as CLUSTER LINKS lists it.
type LinkInfo struct {
	Link    LinkID
	Node    clusterstate.NodeID
	To      bool // opened by this node
	Created time.Time
}

// Links returns the links to and from known nodes, node by node in the order of
// the ids, the link to a node first.
func (n *Node) Links() []LinkInfo {
	var out []LinkInfo
	for _, node := range n.view.Nodes() {
		p := n.table.peer(node.ID)
		for _, id := range [...]LinkID{p.link, p.from} {
			if id != 0 {
				created := time.UnixMilli(n.table.links[id].created)
				out = append(out, LinkInfo{Link: id, Node: node.ID, To: id == p.link, Created: created})
			}
		}
	}
	for _, h := range n.table.handshakes {
		if h.link != 0 {
			created := time.UnixMilli(n.table.links[h.link].created)
			out = append(out, LinkInfo{Link: h.link, Node: h.id, To: true, Created: created})
		}
	}
	return out
}

// hangUpAll closes every link, both ways, whoever is at the other end.
func (n *Node) hangUpAll(t *turn) {
	var ids []LinkID
	for id := range n.table.links {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		n.hangUp(t, id)
	}
}
