package gossip

import (
	"slices"

	"slotcast/clusterstate"
)

// written keeps the line of each node as it stood in the last nodes.conf. A
// save rewrites the whole file, but mostly one line or two of it are new, and
// in a large cluster the text of the others would be most of the work.
//
// Of the times of ping and pong a line may tell older ones: nobody who loads
// the file asks for more than whether there was one. A clone shares it with its
// original: what a line is good for is part of it.
type written struct {
	lines map[uint32]*writtenLine // by the number of the peer
	size  int                     // of the last text
	rows  []*peer                 // room for those of the table in the order of the file
}

type writtenLine struct {
	of   lineContent
	text []byte // with the end of the line
}

// lineContent is all that a line says. The nodes are pointers into a view,
// where whatever differs is another one.
type lineContent struct {
	node, primary          *clusterstate.Node
	shardID, nodename      string
	clientIPv4, clientIPv6 string
	suspected, noFailover  bool
	up, pinged, ponged     bool

	slots *ownership
}

func (n *Node) lineContent(node *clusterstate.Node, p *peer) lineContent {
	c := lineContent{
		node:    node,
		shardID: p.shardID, nodename: p.nodename, clientIPv4: p.clientIPv4, clientIPv6: p.clientIPv6,
		suspected: p.suspected, noFailover: p.noFailover,
		up: p.up, pinged: p.pingSent != 0, ponged: p.pongReceived != 0,
		slots: p.owns,
	}
	if node.Primary != "" {
		c.primary = n.view.Node(node.Primary)
	}
	return c
}

// confText returns the text of nodes.conf as it is to be now.
func (n *Node) confText() []byte {
	w := n.written
	nodes := n.view.Nodes()
	if len(w.lines) > 2*len(nodes) {
		clear(w.lines) // most of them were forgotten
	}
	w.rows = slices.Grow(w.rows[:0], len(nodes))[:len(nodes)]
	for _, p := range n.table.rows {
		p.among(nodes)
		w.rows[p.place] = p
	}
	var owned []clusterstate.OwnedRange
	b := make([]byte, 0, w.size+w.size/16+512)
	for i, node := range nodes {
		p := w.rows[i]
		content := n.lineContent(node, p)
		me := node == n.myself() // whose line has the open slots too
		kept := w.lines[p.number]
		if !me && kept != nil && kept.of == content {
			b = append(b, kept.text...)
			continue
		}
		var slots []clusterstate.SlotRange
		if p.slots > 0 {
			if owned == nil {
				owned = n.view.OwnedRanges()
			}
			for i := range owned {
				if owned[i].Owner == node {
					slots = append(slots, owned[i].SlotRange)
				}
			}
		}
		line := n.line(node, slots)
		start := len(b)
		b = append(line.AppendFile(b), '\n')
		if !me {
			w.lines[p.number] = &writtenLine{content, append([]byte(nil), b[start:]...)}
		}
	}
	clear(w.rows)
	rest := clusterstate.NodesConf{CurrentEpoch: n.currentEpoch, LastVoteEpoch: n.lastVoteEpoch}
	b = rest.Append(b)
	w.size = len(b)
	return b
}
