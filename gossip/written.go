package gossip

import (
	"slices"

	"slotcast/clusterstate"
)

// writtenLine is the line of a node as it stood in the last nodes.conf. A save
// rewrites the whole file, but mostly one line or two of it are new, and in a
// large cluster the text of the others would be most of the work.
//
// Of the times of ping and pong a line may tell older ones: nobody who loads
// the file asks for more than whether there was one. It is never altered, so a
// clone shares it with its original.
type writtenLine struct {
	of   lineContent
	text []byte // with the end of the line; nil of this node, whose line has more in it

	slots []clusterstate.SlotRange
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
	nodes := n.view.Nodes()
	n.fileRows = slices.Grow(n.fileRows[:0], len(nodes))[:len(nodes)]
	for _, p := range n.table.rows {
		p.among(nodes)
		n.fileRows[p.place] = p
	}
	n.writeLines(nodes)
	b := make([]byte, 0, n.fileSize+n.fileSize/16+512)
	for i, node := range nodes {
		w := n.fileRows[i].written
		if w.text != nil {
			b = append(b, w.text...)
		} else {
			line := n.line(node, w.slots)
			b = append(line.AppendFile(b), '\n')
		}
	}
	clear(n.fileRows)
	rest := clusterstate.NodesConf{CurrentEpoch: n.currentEpoch, LastVoteEpoch: n.lastVoteEpoch}
	b = rest.Append(b)
	n.fileSize = len(b)
	return b
}

// writeLines makes the lines anew that are not as they were last.
func (n *Node) writeLines(nodes []*clusterstate.Node) {
	var stale []*writtenLine
	var moved []*clusterstate.Node // whose slots are not as they were last
	for i, node := range nodes {
		p := n.fileRows[i]
		last, content := p.written, n.lineContent(node, p)
		if last != nil && last.of == content {
			continue
		}
		w := &writtenLine{of: content}
		switch {
		case last != nil && last.of.slots == content.slots:
			w.slots = last.slots
		case p.slots > 0:
			moved = append(moved, node)
		}
		p.written = w
		stale = append(stale, w)
	}
	if len(moved) > 0 {
		for i, ranges := range n.view.RangesOf(moved) {
			n.table.peer(moved[i].ID).written.slots = ranges
		}
	}
	for _, w := range stale {
		if w.of.node != n.myself() {
			line := n.line(w.of.node, w.slots)
			w.text = append(line.AppendFile(nil), '\n')
		}
	}
}
