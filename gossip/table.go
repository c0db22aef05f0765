package gossip

import (
	"maps"
	"slices"
	"strings"
	"time"

	"slotcast/clusterstate"
)

// never is long before every moment.
const never time.Duration = -1 << 61

// peer is what is known of a node of the view, this one included, beyond what
// the view holds. What every tick and every word of gossip looks at comes
// first: in a large cluster it is the memory, not the work, that takes time.
type peer struct {
	id     clusterstate.NodeID
	token  *ownership // whose it is to alter
	number uint32     // a shorter name in this process, not used twice

	suspected  bool // PFAIL
	up         bool // link stands
	noFailover bool
	extended   bool // it reads extensions beyond the hostname
	light      bool // it reads light frames
	alone      bool // its keys have no copies: see flagAlone in suitors.go

	// disputed is set if others own some of the last claim that was looked at;
	// claimed is a fingerprint of that, 0 if there is none or if owners
	// changed since.
	disputed bool
	claimed  uint64

	// The same moments twice: what is shown and told in unix ms, 0 for none,
	// and what intervals are measured with. pingSent is 0 unless a ping waits
	// for its pong.
	pingSent, pongReceived int64
	pingAt, pongAt         time.Duration
	dataAt                 time.Duration // the last frame of any type

	link    LinkID // to it; 0 for none
	linkAt  time.Duration
	reports []report // belongs to the peer as the peer to its node

	// place is where the node was found last among the nodes of a view. It is
	// a guess that spares a search, so it may be set by whoever reads.
	place int

	// written is its line of nodes.conf, nil if there is none yet. What that is
	// good for it says itself, so it may be set by whoever reads, too.
	written *writtenLine

	slots    int        // how many it owns
	owns     *ownership // which: another token whenever they change
	from     LinkID     // from it; 0 for none
	offset   uint64     // of replication
	failedAt time.Duration
	votedAt  time.Duration // when this node voted for a replica of it

	shardID    string
	nodename   string
	clientIPv4 string
	clientIPv6 string

	// heirOf is whose replica it has been, if it became a primary and does not
	// own yet what it claims as such.
	heirOf clusterstate.NodeID
}

// ownership is a token: a peer may be altered in place by the node that has the
// same one, and owns the same slots while it has the same one. It has a size so
// that two are never the same pointer.
type ownership struct{ _ byte }

// table holds the peers and what hangs on them. A clone of the node shares what
// it can: peers until one of both alters them, the maps likewise.
type table struct {
	rows  []*peer
	index map[clusterstate.NodeID]int

	handshakes []*handshake
	links      map[LinkID]link
	bans       map[clusterstate.NodeID]time.Duration // until when

	token  *ownership
	shared bool // the maps are not to be altered

	suspects int // how many peers are suspected
	numbers  uint32
}

func newTable() table {
	return table{
		index: map[clusterstate.NodeID]int{},
		links: map[LinkID]link{},
		bans:  map[clusterstate.NodeID]time.Duration{},
		token: new(ownership),
	}
}

// split makes a second table of the same content. Its cost is a copy of a
// pointer for each node.
func (tb *table) split() table {
	other := *tb
	other.rows = slices.Clone(tb.rows)
	other.handshakes = make([]*handshake, len(tb.handshakes))
	for i, h := range tb.handshakes {
		again := *h
		other.handshakes[i] = &again
	}
	tb.shared, other.shared = true, true
	tb.token, other.token = new(ownership), new(ownership)
	return other
}

// own makes the maps the table's own.
func (tb *table) own() {
	if tb.shared {
		tb.index, tb.links, tb.bans, tb.shared = maps.Clone(tb.index), maps.Clone(tb.links), maps.Clone(tb.bans), false
	}
}

// peer returns what is known of a node, to be read; nil if it is unknown.
func (tb *table) peer(id clusterstate.NodeID) *peer {
	if i, known := tb.index[id]; known {
		return tb.rows[i]
	}
	return nil
}

// alter returns the same to be altered. Pointers from before may be outdated.
func (tb *table) alter(id clusterstate.NodeID) *peer {
	i, known := tb.index[id]
	if !known {
		return nil
	}
	p := tb.rows[i]
	if p.token != tb.token {
		again := *p
		p, again.token = &again, tb.token
		again.reports = slices.Clone(again.reports)
		tb.rows[i] = p
	}
	return p
}

// altered is alter for who has the peer at hand.
func (tb *table) altered(p *peer) *peer {
	if p.token == tb.token {
		return p
	}
	return tb.alter(p.id)
}

// among returns the node of a peer among the nodes of a view, which are in the
// order of their ids.
func (p *peer) among(nodes []*clusterstate.Node) *clusterstate.Node {
	if p.place < len(nodes) && nodes[p.place].ID == p.id {
		return nodes[p.place]
	}
	i, known := slices.BinarySearchFunc(nodes, p.id, func(n *clusterstate.Node, id clusterstate.NodeID) int {
		return strings.Compare(string(n.ID), string(id))
	})
	if !known {
		return nil
	}
	p.place = i
	return nodes[i]
}

// node returns the node of the id as edited so far, nil if it is unknown. In a
// large cluster this is quicker than a search of the view.
func (n *Node) node(t *turn, id clusterstate.NodeID) *clusterstate.Node {
	if p := n.table.peer(id); p != nil {
		return p.among(t.edit.Nodes())
	}
	return nil
}

// add adds a peer that is not known yet.
func (tb *table) add(p peer) *peer {
	tb.own()
	tb.numbers++
	p.number, p.token = tb.numbers, tb.token
	tb.index[p.id] = len(tb.rows)
	tb.rows = append(tb.rows, &p)
	if p.suspected {
		tb.suspects++
	}
	return &p
}

// remove forgets a peer. The last one takes its place: the order of the rows
// means nothing.
func (tb *table) remove(id clusterstate.NodeID) {
	i, known := tb.index[id]
	if !known {
		return
	}
	tb.own()
	if tb.rows[i].suspected {
		tb.suspects--
	}
	last := len(tb.rows) - 1
	tb.rows[i] = tb.rows[last]
	tb.index[tb.rows[i].id] = i
	delete(tb.index, id)
	tb.rows[last] = nil
	tb.rows = tb.rows[:last]
}

// suspect sets or clears PFAIL.
func (tb *table) suspect(id clusterstate.NodeID, suspected bool) {
	p := tb.peer(id)
	if p.suspected == suspected {
		return
	}
	tb.alter(id).suspected = suspected
	if suspected {
		tb.suspects++
	} else {
		tb.suspects--
	}
}

// newPeer is a node about which nothing is known yet.
func newPeer(id clusterstate.NodeID, shardID string) peer {
	return peer{
		id: id, shardID: shardID, failedAt: never, votedAt: never,
		pingAt: never, pongAt: never, dataAt: never,
	}
}
