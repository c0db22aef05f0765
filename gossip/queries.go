package gossip

import (
	"fmt"

	"slotcast/clusterstate"
)

// NodesText returns the text of CLUSTER NODES for a client of the variant:
// one line for each known node, in the order of the ids.
func (n *Node) NodesText(va clusterstate.Variant) []byte {
	var b []byte
	lines := n.lines()
	for i := range lines {
		b = lines[i].AppendClient(b, va)
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

// FailureReports answers CLUSTER COUNT-FAILURE-REPORTS. Reports come over the
// bus from peers; a node without a bus has none of anyone it knows.
func (n *Node) FailureReports(id string) (int, error) {
	if n.view.Node(clusterstate.NodeID(id)) == nil {
		return 0, &UnknownNodeError{ID: id}
	}
	return 0, nil
}

// InfoText returns the lines of CLUSTER INFO, each ended by CR LF, in the
// order of Redis. The counters of bus messages are those of a node without a
// bus.
func (n *Node) InfoText() []byte {
	v := n.view
	var assigned, ok, suspected, failed int
	for slot := range uint16(clusterstate.Slots) {
		owner := v.Owner(slot)
		switch {
		case owner == nil:
			continue
		case owner.Failed:
			failed++
		case n.peers[owner.ID].suspected:
			suspected++
		default:
			ok++
		}
		assigned++
	}
	epoch := v.Myself().ConfigEpoch
	if primary := v.Node(v.Myself().Primary); primary != nil {
		epoch = primary.ConfigEpoch
	}
	state := "fail"
	if v.ClusterOK() {
		state = "ok"
	}
	b := fmt.Appendf(nil, "cluster_state:%s\r\n", state)
	for _, f := range []struct {
		name  string
		value uint64
	}{
		{"cluster_slots_assigned", uint64(assigned)},
		{"cluster_slots_ok", uint64(ok)},
		{"cluster_slots_pfail", uint64(suspected)},
		{"cluster_slots_fail", uint64(failed)},
		{"cluster_known_nodes", uint64(len(v.Nodes()))},
		{"cluster_size", uint64(n.survey(v).size)},
		{"cluster_current_epoch", n.currentEpoch},
		{"cluster_my_epoch", epoch},
		{"cluster_stats_messages_sent", 0},
		{"cluster_stats_messages_received", 0},
		{"total_cluster_links_buffer_limit_exceeded", 0},
	} {
		b = fmt.Appendf(b, "%s:%d\r\n", f.name, f.value)
	}
	return b
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
// is this node's own replication offset; peers tell theirs over the bus, so
// here they are 0.
func (n *Node) Shards(offset int64) []Shard {
	slots := make(map[clusterstate.NodeID][]clusterstate.SlotRange)
	for _, r := range n.view.OwnedRanges() {
		slots[r.Owner.ID] = append(slots[r.Owner.ID], r.SlotRange)
	}
	var out []Shard
	for _, primary := range n.view.Nodes() {
		if primary.Replica {
			continue
		}
		s := Shard{Slots: slots[primary.ID], Nodes: []ShardNode{n.shardNode(primary, offset)}}
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
