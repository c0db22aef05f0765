package clusterstate

import "slices"

// NodeID is a node's name: 40 characters of 0-9 and a-z. It is a string and not
// an array because it is compared rarely (nodes are compared by pointer) and
// printed often.
type NodeID string

// NodeIDLen is the length of every valid NodeID in bytes.
const NodeIDLen = 40

// Valid tells whether the id has the length and the characters of a node id.
// Only a valid id can be the id of a known node.
func (id NodeID) Valid() bool {
	if len(id) != NodeIDLen {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// Node is what a view knows of one node: only what can alter a row or a
// redirect. The nodes of a view are immutable; a node that changes is another
// *Node in the next view, and one that does not is the same pointer.
type Node struct {
	ID NodeID

	// Replica tells the role; Primary is the id of a replica's primary, empty
	// for a primary and for a replica whose primary is unknown.
	Replica bool
	Primary NodeID

	// Failed is the FAIL state (a majority agreed); a mere suspicion is not in
	// the view.
	Failed bool

	// Synced tells that a replica holds data: its replication offset is not
	// zero. Without it the node is left out of the rows.
	Synced bool

	// IP is the last known address, empty if none was ever known. NoAddr tells
	// that a peer's address is known to be wrong now; IP then keeps the last
	// one, since a null would send clients to this node instead.
	IP     string
	NoAddr bool

	Hostname string

	// Port is the plain client port, TLSPort the one for TLS clients; 0 is
	// none. BusPort is the port of the cluster bus.
	Port, TLSPort, BusPort int

	ConfigEpoch uint64

	// Replicas are all replicas of this node in the order of their ids,
	// failed and unsynced ones included. They hang on the primary, and are
	// filled in by Editor.View, so that whatever alters a shard's row alters
	// the pointer of the shard's primary.
	Replicas []*Node

	// listed are those of them that rows show, seat is the node's number in its
	// views. Both are the editor's as well.
	listed []*Node
	seat   seat
}

// withReplicas returns the node with another list of replicas.
func (n *Node) withReplicas(list []*Node) *Node {
	linked := *n
	linked.Replicas, linked.listed = list, list
	hidden := func(r *Node) bool { return r.Failed || !r.Synced }
	if slices.ContainsFunc(list, hidden) {
		linked.listed = slices.DeleteFunc(slices.Clone(list), hidden)
	}
	return &linked
}

// ClientPort returns the port that a client of the variant is told. A node
// that has only the other port is announced with that one: a port of 0 serves
// nobody.
func (n *Node) ClientPort(va Variant) int {
	first, second := n.Port, n.TLSPort
	if va.TLS {
		first, second = second, first
	}
	if first != 0 {
		return first
	}
	return second
}

// sameButReplicas tells whether two nodes agree in everything that is the
// node's own.
func (n *Node) sameButReplicas(m *Node) bool {
	return n.ID == m.ID && n.Replica == m.Replica && n.Primary == m.Primary &&
		n.Failed == m.Failed && n.Synced == m.Synced && n.ConfigEpoch == m.ConfigEpoch &&
		n.NoAddr == m.NoAddr && n.BusPort == m.BusPort && n.sameAddress(m)
}

// sameAddress tells whether clients are told the same of two nodes. NoAddr and
// BusPort are not in it: no row shows them.
func (n *Node) sameAddress(m *Node) bool {
	return n.IP == m.IP && n.Hostname == m.Hostname && n.Port == m.Port && n.TLSPort == m.TLSPort
}
