package gossip

const (
	// Every second (ticksPerPing ticks) a ping goes to the one of a few random
	// nodes that has been silent for longest, so that news travel also where
	// nobody is overdue.
	ticksPerPing = 10
	pingDraws    = 5
)

// tend does for the links and peers what is due with time: dial, ping, give up
// what does not answer, suspect who is silent.
func (n *Node) tend(t *turn) {
	n.tendHandshakes(t)
	if n.ticks++; n.ticks%ticksPerPing == 0 {
		n.pingSomeone(t)
	}
	me := n.table.peer(n.view.Myself().ID).number
	for i := range n.table.rows {
		p := n.table.rows[i]
		if p.number == me {
			continue
		}
		if p.link == 0 {
			p = n.redial(t, p)
		}
		n.watch(t, p)
	}
}

// redial asks for the link to a node that has none, if it has an address. It
// returns the peer as it is now.
func (n *Node) redial(t *turn, p *peer) *peer {
	node := p.among(t.edit.Nodes())
	if node.NoAddr || node.IP == "" || node.BusPort == 0 {
		return p
	}
	p = n.table.altered(p)
	p.link, p.up, p.linkAt = n.dial(t, link{node: p.id}, node.IP, node.BusPort), false, t.now.Mono
	return p
}

func (n *Node) pingSomeone(t *turn) {
	var oldest *peer
	for range pingDraws {
		p := n.table.rows[n.pick(len(n.table.rows))]
		if p.up && p.pingSent == 0 && (oldest == nil || p.pongAt < oldest.pongAt) {
			oldest = p
		}
	}
	if oldest != nil {
		n.ping(t, oldest)
	}
}

// watch looks after one node.
func (n *Node) watch(t *turn, p *peer) {
	timeout, now := n.cfg.NodeTimeout, t.now.Mono
	if p.link == 0 && p.among(t.edit.Nodes()).NoAddr {
		return
	}
	waits := p.pingSent != 0
	switch {
	case p.link != 0 && now-p.linkAt > timeout && waits && now-p.pingAt > timeout/2 && (now-p.dataAt > timeout/2 || now-p.pingAt > timeout):
		// The connection may be broken rather than the node: so it is if the
		// node is heard on its own link and yet does not answer for long. As
		// long as a ping waits no other is sent, and FAIL is cleared by a PONG
		// alone.
		n.hangUp(t, p.link)
	case p.up && !waits && now-p.pongAt > timeout/2:
		n.ping(t, p)
		return
	case !waits && now-p.pongAt > timeout/2:
		// Were there a link, a ping would go out now: it counts as sent.
		p = n.table.altered(p)
		p.pingSent, p.pingAt = t.now.Wall.UnixMilli(), now
		return
	}
	if !waits || p.suspected || min(now-p.pingAt, now-p.dataAt) <= timeout || p.among(t.edit.Nodes()).Failed {
		return
	}
	n.suspect(t, p.id, true)
	t.logf("Node %s does not answer", p.id)
	n.convict(t, p.id)
}

// pick draws a number below k, which is not 0.
func (n *Node) pick(k int) int { return int(n.random.Uint64() % uint64(k)) }
