// Package localcluster runs a whole cluster in one process: primaries on
// consecutive ports of one host, to try things with and to test clients against.
//
// The nodes are ordinary servers that speak to each other over the cluster bus.
// Only how they come together is short: instead of a MEET for each, and
// ADDSLOTS, every node starts from a nodes.conf that names all of them, so that
// they serve every slot at once. The files are kept in memory, unless `dir` is
// given: then a later start goes on where this one ended.
//
// A Cluster may be used by any goroutine.
package localcluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"

	"slotcast/clusterstate"
	"slotcast/config"
)

// Options are what a cluster is made of.
type Options struct {
	Config *config.Config // of which each node has a copy with its own port
	// Log makes the logger of a node.
	Log     func(node *config.Config) *slog.Logger
	Version string
	// DrainTime bounds how long the clients of a node that is shut down alone
	// may take to read their last replies.
	DrainTime time.Duration
	// DialBus, if there is one, is how a node, counted from 0, connects to the
	// bus of another.
	DialBus func(ctx context.Context, node int, addr string) (net.Conn, error)
	// Fatal is told of an error after which a node must not go on. It should
	// end the process.
	Fatal func(error)
}

// Cluster is a running cluster.
type Cluster struct {
	options Options
	nodes   []*node
	done    chan struct{}
	running sync.WaitGroup // the goroutines that watch for SHUTDOWN

	mu     sync.Mutex // guards the rest
	left   int        // nodes that no client has shut down
	closed bool
}

// Node describes a node, for a person to read.
type Node struct{ ID, Addr, Slots string }

// Start starts the nodes. When it returns all of them accept clients.
func Start(o Options) (*Cluster, error) {
	n := o.Config.LocalCluster()
	if err := enoughFiles(n); err != nil {
		return nil, err
	}
	c := &Cluster{options: o, done: make(chan struct{}), left: n}
	for i := range n {
		c.nodes = append(c.nodes, &node{cluster: c, number: i})
	}
	if err := c.start(); err != nil {
		c.Close(context.Background())
		return nil, err
	}
	return c, nil
}

func (c *Cluster) start() error {
	formed, err := c.openStorages()
	if err != nil {
		return err
	}
	for _, n := range c.nodes {
		if err := n.run(formed); err != nil {
			if errors.Is(err, syscall.EADDRINUSE) {
				err = fmt.Errorf("%w; the %d nodes need consecutive ports, --port says from where on", err, len(c.nodes))
			}
			return err
		}
	}
	return nil
}

// openStorages opens where each node keeps its nodes.conf. If none has any, as
// always in memory, a cluster is formed.
func (c *Cluster) openStorages() (formed bool, err error) {
	var configs []*config.Config
	known := 0
	for _, n := range c.nodes {
		n.config = c.options.Config.ForNode(n.number)
		configs = append(configs, n.config)
		if err := n.open(); err != nil {
			return false, err
		}
		text, err := n.storage.Load()
		if err != nil {
			return false, err
		}
		if len(text) > 0 {
			known++
		}
	}
	switch known {
	case 0:
	case len(configs):
		return false, nil
	default:
		return false, fmt.Errorf("%s has cluster files of %d of the %d nodes: remove them, or start as many nodes as there were",
			configs[0].Values().Dir, known, len(configs))
	}
	for i, conf := range form(configs) {
		if err := c.nodes[i].storage.Save(conf.Append(nil), true); err != nil {
			return false, fmt.Errorf("saving the cluster configuration: %w", err)
		}
	}
	return true, nil
}

// enoughFiles checks that the process may have as many files open as the nodes
// need: two links between each two, each with two ends here.
func enoughFiles(n int) error {
	const clients = 64
	need := uint64(2*n*(n-1) + 2*n + clients)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < need {
		return fmt.Errorf("%d nodes need %d open files, and this process may have %d: raise the limit (ulimit -n) or start fewer nodes",
			n, need, limit.Cur)
	}
	return nil
}

// Nodes describes the nodes, in the order of their ports.
func (c *Cluster) Nodes() []Node {
	list := make([]Node, len(c.nodes))
	for i, n := range c.nodes {
		list[i] = n.describe()
	}
	return list
}

// View is the map by which a node redirects its clients, nil while it is down.
func (c *Cluster) View(node int) *clusterstate.View {
	n := c.nodes[node]
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.server == nil {
		return nil
	}
	return n.server.View()
}

// Done is closed once every node has ended, be it that clients have shut down
// all of them. One that is shut down leaves the others without it.
func (c *Cluster) Done() <-chan struct{} { return c.done }

// Close ends all nodes. ctx bounds how long clients may take to read their last
// replies.
func (c *Cluster) Close(ctx context.Context) {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	var ending sync.WaitGroup
	for _, n := range c.nodes {
		ending.Go(func() { n.end(ctx) }) // ends with the node
	}
	ending.Wait()
	c.running.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left > 0 {
		c.left = 0
		close(c.done)
	}
}
