package gossip

import "slotcast/clusterstate"

// NodesText returns the text of CLUSTER NODES for a client of the variant:
// one line for each known node, in the order of the ids, then the handshakes.
func (n *Node) NodesText(va clusterstate.Variant) []byte {
	var b []byte
	lines := n.lines()
	for i := range lines {
		b = lines[i].AppendClient(b, va)
		b = append(b, '\n')
	}
	for _, h := range n.table.handshakes {
		line := clusterstate.NodeLine{
			ID: h.id, IP: h.ip, Port: h.port, TLSPort: h.tlsPort, BusPort: h.busPort,
			Flags: clusterstate.LineHandshake, Connected: h.up,
		}
		b = line.AppendClient(b, va)
		b = append(b, '\n')
	}
	return b
}

// ReplicaLines returns the elements of CLUSTER REPLICAS: the lines of the
// replicas of a primary.
func (n *Node) ReplicaLines(id string, va clusterstate.Variant) ([]string, error) {
	primary := n.view.Node(clusterstate.NodeID(id))
	if primary == nil {
		return nil, &UnknownNodeError{ID: id}
	}
	if primary.Replica {
		return nil, ErrNotPrimary
	}
	out := make([]string, 0, len(primary.Replicas))
	for _, r := range primary.Replicas {
		line := n.line(r, nil)
		out = append(out, string(line.AppendClient(nil, va)))
	}
	return out, nil
}

// FailureReports answers CLUSTER COUNT-FAILURE-REPORTS.
func (n *Node) FailureReports(id string) (int, error) {
	p := n.table.peer(clusterstate.NodeID(id))
	if p == nil {
		return 0, &UnknownNodeError{ID: id}
	}
	return n.freshReports(p, n.last), nil
}

// Shard is one element of CLUSTER SHARDS: a primary, with or without slots,
// and its replicas.
type Shard struct {
	Slots []clusterstate.SlotRange
	Nodes []ShardNode
}

// ShardNode is a node of a shard. A port that is 0 and a hostname that is empty
// are left out of the reply. Endpoint may be empty, as in Redis.
type ShardNode struct {
	ID            clusterstate.NodeID
	Port, TLSPort int
	IP            string
	Endpoint      string
	Hostname      string
	Replica       bool
	Offset        int64
	Health        string // "online", "fail" or "loading"
}

// Shards returns the shards in the order of their primaries' ids. The offset
// is this node's own replication offset; peers tell theirs over the bus.
func (n *Node) Shards(offset int64) []Shard {
	nodes := n.view.Nodes()
	slots := n.view.RangesOf(nodes)
	var out []Shard
	for i, primary := range nodes {
		if primary.Replica {
			continue
		}
		s := Shard{Slots: slots[i], Nodes: []ShardNode{n.shardNode(primary, offset)}}
		for _, r := range primary.Replicas {
			s.Nodes = append(s.Nodes, n.shardNode(r, offset))
		}
		out = append(out, s)
	}
	return out
}

func (n *Node) shardNode(node *clusterstate.Node, mine int64) ShardNode {
	s := ShardNode{
		ID: node.ID, Port: node.Port, TLSPort: node.TLSPort,
		IP: node.IP, Endpoint: node.IP, Hostname: node.Hostname,
		Replica: node.Replica, Health: "online",
		Offset: int64(n.table.peer(node.ID).offset),
	}
	if node == n.myself() {
		s.Offset = mine
	}
	switch n.cfg.PreferredEndpoint {
	case clusterstate.EndpointHostname:
		s.Endpoint = node.Hostname
		if s.Endpoint == "" {
			s.Endpoint = "?"
		}
	case clusterstate.EndpointUnknown:
		s.Endpoint = ""
	}
	switch {
	case node.Failed:
		s.Health = "fail"
	case node.Replica && s.Offset == 0:
		s.Health = "loading"
	}
	return s
}
