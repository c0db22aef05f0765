package gossip

import (
	"strings"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

const (
	// maxNodes bounds the nodes that peers can make this one take in. No cluster
	// has more, but whoever makes nodes up could name any number.
	maxNodes = clusterstate.Slots

	// At least minGossip nodes are told of in each ping, a tenth of all in a
	// large cluster: within two node timeouts, in which a report of a failure
	// counts, everyone then hears of a node from most of the others.
	minGossip   = 3
	gossipShare = 10

	// maxAhead is how far in the future a moment told by a peer may lie. Where
	// the clocks are further apart, the peer's word on pongs is of no use.
	maxAhead = 500 * time.Millisecond
)

// chooseGossip chooses at random which nodes a ping tells of, and adds every
// suspect: failures are to spread quickly. The list is good until the next.
func (n *Node) chooseGossip(to clusterstate.NodeID) []frame.Gossip {
	rows := n.table.rows
	known := len(rows) + len(n.table.handshakes)
	wanted := min(max(minGossip, known/gossipShare), known-2)
	if wanted < 0 {
		wanted = 0
	}
	if len(n.drawn) < len(rows) {
		n.drawn = make([]uint32, len(rows)+len(rows)/2)
		n.draw = 0
	}
	n.draw++
	list := n.gossip[:0]
	defer func() { n.gossip = list }()
	me, receiver := n.table.peer(n.view.Myself().ID), n.table.peer(to)
	for draws := 3 * wanted; draws > 0 && len(list) < wanted; draws-- {
		i := n.pick(len(rows))
		p := rows[i]
		if p == me || p == receiver || p.suspected || n.drawn[i] == n.draw || p.link == 0 && p.slots == 0 {
			continue
		}
		n.drawn[i] = n.draw
		if node := p.among(n.view.Nodes()); !node.NoAddr {
			list = append(list, entry(node, p))
		}
	}
	if n.table.suspects == 0 {
		return list
	}
	for _, p := range rows {
		if p.suspected {
			if node := p.among(n.view.Nodes()); !node.NoAddr {
				list = append(list, entry(node, p))
			}
		}
	}
	return list
}

// entry is what this node says of another.
func entry(node *clusterstate.Node, p *peer) frame.Gossip {
	g := frame.Gossip{
		ID:       node.ID,
		PingSent: uint32(p.pingSent / 1000), PongReceived: uint32(p.pongReceived / 1000),
		IP: node.IP, Port: uint16(node.Port), OtherPort: uint16(node.TLSPort), BusPort: uint16(node.BusPort),
		Flags: frame.FlagPrimary,
	}
	if node.Replica {
		g.Flags = frame.FlagReplica
	}
	if p.suspected {
		g.Flags |= frame.FlagPFail
	}
	if node.Failed {
		g.Flags |= frame.FlagFail
	}
	if p.noFailover {
		g.Flags |= frame.FlagNoFailover
	}
	return g
}

// hearGossip takes in what a node of the cluster says of others.
func (n *Node) hearGossip(t *turn, m *frame.Message) {
	if !m.ValidGossip() {
		return
	}
	sender := n.table.peer(m.Sender)
	from := sender.number
	counts := sender.slots > 0 && !sender.among(t.edit.Nodes()).Replica
	me := n.view.Myself().ID
	for i := range m.Gossip {
		g := &m.Gossip[i]
		p := n.table.peer(g.ID)
		switch {
		case g.ID == me:
		case p == nil:
			n.meetByGossip(t, g)
		default:
			failing := g.Flags.Has(frame.FlagPFail | frame.FlagFail)
			if counts && (failing || len(p.reports) > 0) {
				p = n.report(t, p, from, failing)
			}
			if !failing {
				n.hearOfHealth(t, p, g)
			}
		}
	}
}

// meetByGossip adds a node that a node of the cluster knows.
func (n *Node) meetByGossip(t *turn, g *frame.Gossip) {
	if len(n.table.rows) >= maxNodes || g.Flags.Has(frame.FlagNoAddr|frame.FlagHandshake) || g.IP == "" || n.banned(g.ID, t.now.Mono) {
		return
	}
	id := clusterstate.NodeID(strings.Clone(string(g.ID))) // of the gossip this alone is kept
	t.edit.SetNode(clusterstate.Node{
		ID:      id,
		Replica: g.Flags.Has(frame.FlagReplica),
		Failed:  g.Flags.Has(frame.FlagFail),
		IP:      strings.Clone(g.IP), Port: int(g.Port), TLSPort: int(g.OtherPort), BusPort: int(g.BusPort),
	})
	p := newPeer(id, string(n.newID()))
	p.suspected = g.Flags.Has(frame.FlagPFail) && !g.Flags.Has(frame.FlagFail)
	p.noFailover = g.Flags.Has(frame.FlagNoFailover)
	n.table.add(p)
	t.news = true
	t.mustSave()
	t.logf("Node %s is known by gossip, at %s:%d", g.ID, g.IP, g.BusPort)
}

// hearOfHealth takes in that somebody reaches a node. A pong that a peer got is
// as good as one of one's own, which keeps the number of pings low. And if this
// node is the one that does not reach it, it may know it by a wrong address.
func (n *Node) hearOfHealth(t *turn, p *peer, g *frame.Gossip) {
	if p.pingSent == 0 && len(p.reports) == 0 {
		age := t.now.Wall.Sub(time.Unix(int64(g.PongReceived), 0))
		if at := t.now.Mono - age; age >= -maxAhead && at > p.pongAt {
			p = n.table.altered(p)
			p.pongAt, p.pongReceived = at, int64(g.PongReceived)*1000
		}
		return
	}
	node := p.among(t.edit.Nodes())
	if (p.suspected || node.Failed) && !g.Flags.Has(frame.FlagNoAddr) && g.IP != "" {
		a := address{g.IP, int(g.Port), int(g.OtherPort), int(g.BusPort)}
		if a != (address{node.IP, node.Port, node.TLSPort, node.BusPort}) {
			a.ip = strings.Clone(a.ip)
			n.readdress(t, p.id, a)
		}
	}
}
