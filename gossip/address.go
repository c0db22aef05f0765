package gossip

import (
	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// address is where a node is reached.
type address struct {
	ip                     string
	port, tlsPort, busPort int
}

// addressOf returns the address that a sender has by its frame: the ports are
// those it announces, and so is the ip if it announces one.
func (n *Node) addressOf(m *frame.Message, l link, otherwise string) address {
	a := address{ip: m.IP, port: int(m.Port), tlsPort: int(m.OtherPort), busPort: int(m.BusPort)}
	if a.ip == "" {
		a.ip = l.peerIP
	}
	if a.ip == "" {
		a.ip = otherwise
	}
	return a
}

// readdress notes where a node is now, and has its link dialled anew if that is
// elsewhere.
func (n *Node) readdress(t *turn, id clusterstate.NodeID, a address) {
	node := *n.node(t, id)
	if a.ip == "" {
		a.ip = node.IP
	}
	if !node.NoAddr && a == (address{node.IP, node.Port, node.TLSPort, node.BusPort}) {
		return
	}
	node.NoAddr = false
	node.IP, node.Port, node.TLSPort, node.BusPort = a.ip, a.port, a.tlsPort, a.busPort
	t.edit.SetNode(node)
	n.hangUp(t, n.table.peer(id).link)
	t.mustSave()
	t.warnf("Address updated for node %s, now %s:%d", id, a.ip, a.port)
}

// loseAddress notes that somebody else answers where a node was. Its address is
// kept for the rows: clients are better sent there than to this node.
func (n *Node) loseAddress(t *turn, id clusterstate.NodeID) {
	node := *n.node(t, id)
	node.NoAddr = true
	t.edit.SetNode(node)
	n.hangUp(t, n.table.peer(id).link)
	t.mustSave()
	t.logf("Node %s is not at %s:%d any more", id, node.IP, node.BusPort)
}

// learnFromPeer finds out this node's own address: it is the one that a peer
// has reached it by. A MEET has been typed in by somebody who knows which of
// several addresses is the right one; of a mere PING it is better than nothing.
func (n *Node) learnFromPeer(t *turn, l link, m *frame.Message) {
	if n.cfg.AnnounceIP != "" || l.localIP == "" || l.localIP == n.learned {
		return
	}
	if m.Type == frame.TypeMeet || n.learned == "" {
		n.learned = l.localIP
		n.announce(t)
		t.warnf("IP address for this node updated to %s", l.localIP)
	}
}
