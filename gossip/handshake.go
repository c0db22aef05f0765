package gossip

import (
	"net/netip"
	"slices"
	"strconv"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// maxAsked is how many handshakes may be under way for a stranger to begin one
// more: all nodes of a large cluster may meet the same node at once.
const maxAsked = 2048

// minHandshake is how long a handshake may take where the node timeout is
// shorter.
const minHandshake = time.Second

// handshake is a node whose id is not known yet: somebody gave its address, or
// it asked by a MEET to be let in. It ends when a frame tells its id. Until
// then it is in no view and in no file.
type handshake struct {
	id      clusterstate.NodeID // made up
	ip      string
	port    int
	tlsPort int
	busPort int
	meet    bool // to be greeted with MEET, so that it takes this node in

	began time.Duration
	link  LinkID
	up    bool
}

func (tb *table) handshake(id clusterstate.NodeID) *handshake {
	for _, h := range tb.handshakes {
		if h.id == id {
			return h
		}
	}
	return nil
}

// Meet is MEET, to be made by ParseMeet.
type Meet struct {
	IP            string
	Port, BusPort int

	// Invalid is the fault of the arguments.
	Invalid error
}

// ParseMeet reads the arguments of MEET, the address and one or two ports.
func ParseMeet(args [][]byte) Meet {
	port, err := strconv.ParseInt(string(args[1]), 10, 64)
	if err != nil {
		return Meet{Invalid: &PortError{Port: string(args[1])}}
	}
	bus := port + busPortOffset
	if len(args) > 2 {
		if bus, err = strconv.ParseInt(string(args[2]), 10, 64); err != nil {
			return Meet{Invalid: &PortError{Port: string(args[2]), Bus: true}}
		}
	}
	ip, err := netip.ParseAddr(string(args[0]))
	valid := func(p int64) bool { return p >= 1 && p <= 65535 }
	if err != nil || ip.Zone() != "" || !valid(port) || !valid(bus) {
		return Meet{Invalid: &AddressError{string(args[0]), string(args[1])}}
	}
	return Meet{IP: ip.String(), Port: int(port), BusPort: int(bus)}
}

func (in Meet) apply(n *Node, t *turn) error {
	if in.Invalid != nil {
		return in.Invalid
	}
	n.shakeHands(t, handshake{ip: in.IP, port: in.Port, busPort: in.BusPort, meet: true})
	return nil
}

// shakeHands begins a handshake, unless there is one with the same address.
func (n *Node) shakeHands(t *turn, h handshake) {
	same := func(o *handshake) bool { return o.ip == h.ip && o.port == h.port && o.busPort == h.busPort }
	if slices.ContainsFunc(n.table.handshakes, same) {
		return
	}
	h.id, h.began = n.newID(), t.now.Mono
	n.table.handshakes = append(n.table.handshakes, &h)
	n.dialHandshake(t, &h)
}

func (n *Node) dialHandshake(t *turn, h *handshake) {
	h.link = n.dial(t, link{node: h.id, handshake: true}, h.ip, h.busPort)
}

// giveUp ends a handshake without a result.
func (n *Node) giveUp(t *turn, h *handshake) {
	n.hangUp(t, h.link)
	n.table.handshakes = slices.DeleteFunc(n.table.handshakes, func(o *handshake) bool { return o == h })
}

// tendHandshakes gives up those that took too long, and dials again where the
// link broke.
func (n *Node) tendHandshakes(t *turn) {
	limit := max(n.cfg.NodeTimeout, minHandshake)
	for _, h := range slices.Clone(n.table.handshakes) {
		if t.now.Mono-h.began > limit {
			n.giveUp(t, h)
		} else if h.link == 0 {
			n.dialHandshake(t, h)
		}
	}
}

// introduce takes in what the other end of a handshake says of itself. What
// else the frame says counts the next time: at its arrival the sender was a
// stranger.
func (n *Node) introduce(t *turn, h *handshake, m *frame.Message) {
	id := m.Sender
	switch {
	case n.table.peer(id) != nil:
		// Known already, by gossip or by a handshake the other way.
		if id != n.view.Myself().ID {
			n.readdress(t, id, n.addressOf(m, n.table.links[h.link], h.ip))
		}
		n.giveUp(t, h)
		return
	case !id.Valid() || len(n.table.rows) >= maxNodes:
		return
	}
	node := clusterstate.Node{
		ID: id, Replica: m.Flags.Has(frame.FlagReplica),
		IP: h.ip, Port: h.port, TLSPort: h.tlsPort, BusPort: h.busPort,
	}
	t.edit.SetNode(node)
	p := n.table.add(newPeer(id, string(n.newID())))
	p.link, p.up, p.linkAt = h.link, true, t.now.Mono
	p.dataAt, p.pongAt, p.pongReceived = t.now.Mono, t.now.Mono, t.now.Wall.UnixMilli()
	l := n.table.links[h.link]
	l.node, l.handshake = id, false
	n.table.links[h.link] = l
	h.link = 0
	n.giveUp(t, h)
	n.heed(p, m)
	t.mustSave()
	t.logf("Handshake with node %s completed.", id)
}

// answerMeet begins a handshake with a stranger who asks to be let in.
func (n *Node) answerMeet(t *turn, from LinkID, m *frame.Message) {
	l := n.table.links[from]
	a := n.addressOf(m, l, l.peerIP)
	if a.ip != "" && a.busPort != 0 && len(n.table.handshakes) < maxAsked {
		n.shakeHands(t, handshake{ip: a.ip, port: a.port, tlsPort: a.tlsPort, busPort: a.busPort})
	}
}
