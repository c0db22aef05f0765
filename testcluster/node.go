package testcluster

import (
	"fmt"

	"slotcast/clusterstate"
)

// Node is one node of a cluster, also while it is down.
type Node struct {
	cluster *Cluster
	number  int
	addr    string
	id      string
}

// Addr returns where the node listens for clients, as host:port.
func (n *Node) Addr() string { return n.addr }

// ID returns the node's id, as in CLUSTER NODES.
func (n *Node) ID() string { return n.id }

// String names the node in messages.
func (n *Node) String() string { return fmt.Sprintf("node %d (%s)", n.number, n.addr) }

// view is the map by which the node redirects, nil while it is down.
func (n *Node) view() *clusterstate.View { return n.cluster.local.View(n.number) }

// Do sends the node one command, on a connection of its own, and returns the
// reply: a string, an int64, nil, or a slice of these. An error that the node
// answers is an [Error].
func (n *Node) Do(args ...string) (any, error) {
	c, err := n.dial()
	if err != nil {
		return nil, err
	}
	defer c.close()
	return c.do(args...)
}

func (n *Node) dial() (*conn, error) { return dial(n.addr, n.cluster.password, n.cluster.patience) }

// Kill ends the node as kill -9 ends a process: its ports are closed, clients and
// the other nodes find their connections closed, a command that was under way
// gets no reply. Nothing is said to anyone; the others find out in time (see
// [Cluster.WaitFailed]).
func (n *Node) Kill() { n.cluster.local.Kill(n.number) }

// Restart starts the node again after Kill, or after a client's SHUTDOWN: under
// the same id and address, with the slots that it had, as far as nobody has taken
// them, and without keys, as a node without persistence. When it returns the node
// accepts clients. It answers CLUSTERDOWN to their keys for two seconds (see
// [Cluster.WaitReady]).
func (n *Node) Restart() {
	if err := n.cluster.local.Restart(n.number); err != nil {
		n.cluster.tb.Helper()
		n.cluster.tb.Fatalf("testcluster: restart of %s: %v", n, err)
	}
}
