package sim

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"slotcast/gossip"
	"slotcast/gossip/frame"
)

// conn is a connection between two machines. An end that has closed, or whose
// machine went down, has no link any more.
type conn struct {
	net    *Network
	caller end
	called end
	stands bool // the caller has been told
}

// end is one end of a connection. latest is when the last that was sent from
// there arrives: the next does not overtake it.
type end struct {
	machine *Machine
	link    gossip.LinkID
	open    bool
	latest  time.Duration
}

// ends returns the end at a machine and the other one.
func (c *conn) ends(at *Machine) (own, other *end) {
	if c.caller.machine == at {
		return &c.caller, &c.called
	}
	return &c.called, &c.caller
}

// dial begins a connection. A partition swallows the attempt, which is given up
// after the node timeout; where no node runs it is refused.
func (w *Network) dial(m *Machine, d gossip.Dial) {
	c := &conn{net: w, caller: end{machine: m, link: d.Link, open: true}}
	m.conns[d.Link] = c
	to := w.byPlace[place(d.IP, d.Port)]
	if to == nil {
		w.after(0, func() { c.down(&c.caller) })
		return
	}
	c.called.machine = to
	w.after(m.Config.NodeTimeout, func() {
		if !c.stands {
			c.down(&c.caller)
		}
	})
	if w.Apart(m, to) {
		return
	}
	if to == m {
		// Both ends on one machine would be one end; a node meets itself only
		// by mistake, and then it is enough that nobody answers.
		return
	}
	w.launch(&Flight{From: m, To: to, What: "connects", arrive: func() { c.accept() }}, &c.caller.latest)
}

// accept is the arrival of a connection.
func (c *conn) accept() {
	caller, called := &c.caller, &c.called
	if !caller.open || c.net.Apart(caller.machine, called.machine) {
		return
	}
	if called.machine.running == nil {
		c.net.launch(&Flight{From: called.machine, To: caller.machine, What: "refuses", arrive: func() { c.down(caller) }}, &called.latest)
		return
	}
	called.machine.accepted++
	called.link, called.open = called.machine.accepted, true
	called.machine.conns[called.link] = c
	called.machine.Step(gossip.Accepted{Link: called.link, LocalIP: called.machine.IP, PeerIP: caller.machine.IP})
	c.net.launch(&Flight{From: called.machine, To: caller.machine, What: "accepts", arrive: func() {
		if caller.open {
			c.stands = true
			caller.machine.Step(gossip.LinkUp{Link: caller.link, LocalIP: caller.machine.IP})
		}
	}}, &called.latest)
}

// send sends a frame from a machine to the other end. It is decoded where it
// arrives: on its way it takes less room so.
func (c *conn) send(from *Machine, encoded []byte) {
	own, other := c.ends(from)
	what := frame.Type(binary.BigEndian.Uint16(encoded[atType:]) &^ lightBit).String()
	c.net.launch(&Flight{From: from, To: other.machine, Frame: encoded, What: what, arrive: func() {
		if !other.open || other.machine.running == nil || c.net.Apart(from, other.machine) {
			return
		}
		m, err := frame.Decode(encoded)
		if err != nil {
			panic(err) // a node has sent what no node can read
		}
		other.machine.Step(gossip.Received{Link: other.link, Message: m})
	}}, &own.latest)
}

// The type stands in the same place in all frames.
const (
	atType   = 12
	lightBit = 1 << 15
)

// breaks ends the connection from one side. The other hears of it, unless a
// partition is in between.
func (c *conn) breaks(at *Machine) {
	own, other := c.ends(at)
	own.open = false
	if other.machine == nil || !other.open || c.net.Apart(at, other.machine) {
		return
	}
	c.net.launch(&Flight{From: at, To: other.machine, What: "closes", arrive: func() { c.down(other) }}, &own.latest)
}

// down tells one end that the connection is gone.
func (c *conn) down(at *end) {
	if !at.open || at.machine.running == nil {
		return
	}
	at.open = false
	delete(at.machine.conns, at.link)
	at.machine.Step(gossip.LinkDown{Link: at.link})
}

// sortedConns returns connections in the order of their links.
func sortedConns(conns map[gossip.LinkID]*conn) []*conn {
	out := make([]*conn, 0, len(conns))
	for _, id := range slices.Sorted(maps.Keys(conns)) {
		out = append(out, conns[id])
	}
	return out
}
