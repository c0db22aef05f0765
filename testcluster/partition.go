package testcluster

import (
	"context"
	"net"
	"sync"
)

// Partition cuts the cluster bus between groups of nodes; those that are in none
// of them are one more group. Clients still reach every node, and MIGRATE does:
// what is gone are the links by which nodes hear of each other. It takes the
// place of an earlier partition. When it returns nothing passes any more, as if
// the network swallowed it.
//
//	c.Partition([]*testcluster.Node{c.Node(0)}) // from all others
func (c *Cluster) Partition(groups ...[]*Node) {
	c.tb.Helper()
	group := make([]int, len(c.nodes))
	for i, g := range groups {
		for _, n := range g {
			if group[n.number] != 0 {
				c.tb.Fatalf("testcluster: %s is named twice", n)
			}
			group[n.number] = i + 1
		}
	}
	c.network.partition(group)
}

// Heal ends the partition. The nodes find each other again at once; what they
// think of each other takes longer (see [Cluster.WaitReady]): one that was found
// to have failed is so for twice the node timeout, and one that was in a minority
// waits as long as the node timeout.
func (c *Cluster) Heal() { c.network.partition(make([]int, len(c.nodes))) }

// network is what lies between the buses of the nodes. Each link is dialled by
// one of them, and so found here.
type network struct {
	numbers map[string]int // of the nodes, by the addresses of their buses

	mu      sync.Mutex // guards the rest
	group   []int      // of each node; those of different groups are cut off
	links   map[*link]bool
	changed chan struct{} // closed with the next partition
}

func newNetwork(port, nodes int) *network {
	n := &network{
		numbers: make(map[string]int), group: make([]int, nodes),
		links: make(map[*link]bool), changed: make(chan struct{}),
	}
	for i := range nodes {
		n.numbers[busAddr(port+i)] = i
	}
	return n
}

// link is a connection of one node to the bus of another. The embedded type, and
// not an interface, lets the bus write several frames in one system call.
type link struct {
	*net.TCPConn
	network  *network
	from, to int
}

// Close implements net.Conn.
func (l *link) Close() error {
	l.network.mu.Lock()
	delete(l.network.links, l)
	l.network.mu.Unlock()
	return l.TCPConn.Close()
}

// dial connects a node to a bus. To one that is cut off it waits, as for an
// answer that does not come.
func (n *network) dial(ctx context.Context, from int, addr string) (net.Conn, error) {
	to, known := n.numbers[addr]
	if !known { // a node of another cluster, which it was told to meet
		to = from
	}
	for {
		n.mu.Lock()
		cut, changed := n.group[from] != n.group[to], n.changed
		n.mu.Unlock()
		if !cut {
			nc, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
			if err != nil {
				return nil, err
			}
			l := &link{nc.(*net.TCPConn), n, from, to}
			if n.add(l) {
				return l, nil
			}
			nc.Close()
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// add takes a link up, unless its ends have been cut off from each other.
func (n *network) add(l *link) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.group[l.from] != n.group[l.to] {
		return false
	}
	n.links[l] = true
	return true
}

// partition puts the nodes into groups and ends the links between them.
func (n *network) partition(group []int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.group = group
	for l := range n.links {
		if group[l.from] != group[l.to] {
			l.TCPConn.Close()
			delete(n.links, l)
		}
	}
	close(n.changed)
	n.changed = make(chan struct{})
}

// isCut tells whether two nodes do not reach each other.
func (n *network) isCut(a, b int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.group[a] != n.group[b]
}
