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
	"strconv"
	"sync"
	"syscall"
	"time"

	"slotcast/config"
	"slotcast/nodesfile"
	"slotcast/server"
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
	// Fatal is told of an error after which a node must not go on. It should
	// end the process.
	Fatal func(error)
}

// Cluster is a running cluster.
type Cluster struct {
	nodes []*node
	done  chan struct{}
	stop  chan struct{} // closed by Close
	once  sync.Once     // of Close
	gone  sync.WaitGroup
}

type node struct {
	config  *config.Config
	storage nodesfile.Storage
	server  *server.Server
	end     sync.Once
}

// Node describes a node, for a person to read.
type Node struct{ ID, Addr, Slots string }

// Start starts the nodes. When it returns all of them accept clients.
func Start(o Options) (*Cluster, error) {
	c := &Cluster{done: make(chan struct{}), stop: make(chan struct{})}
	n := o.Config.LocalCluster()
	if err := enoughFiles(n); err != nil {
		return nil, err
	}
	configs := make([]*config.Config, n)
	for i := range configs {
		configs[i] = o.Config.ForNode(i)
	}
	if err := c.start(o, configs); err != nil {
		c.Close(context.Background())
		return nil, err
	}
	for _, n := range c.nodes {
		c.gone.Add(1)
		go func() { // ends when the node is shut down, or with Close
			defer c.gone.Done()
			select {
			case <-n.server.Shutdown():
				ctx, cancel := context.WithTimeout(context.Background(), o.DrainTime)
				defer cancel()
				n.close(ctx)
			case <-c.stop:
			}
		}()
	}
	go func() { // ends after the goroutines above
		c.gone.Wait()
		close(c.done)
	}()
	return c, nil
}

func (c *Cluster) start(o Options, configs []*config.Config) error {
	storages, formed, err := openStorages(configs, o.Config.Given("dir"))
	for i, s := range storages {
		c.nodes = append(c.nodes, &node{config: configs[i], storage: s})
	}
	if err != nil {
		return err
	}
	for _, n := range c.nodes {
		port := n.config.Values().Port
		n.server, err = server.New(server.Options{
			Config: n.config, Log: o.Log(n.config), Storage: n.storage, Version: o.Version, Formed: formed,
			Fatal: func(err error) { o.Fatal(fmt.Errorf("node on port %d: %w", port, err)) },
		})
		if err != nil {
			return fmt.Errorf("node on port %d: %w", port, err)
		}
		if err := n.server.OpenListeners(); err != nil {
			if errors.Is(err, syscall.EADDRINUSE) {
				err = fmt.Errorf("%w; the %d nodes need consecutive ports, --port says from where on", err, len(configs))
			}
			return err
		}
	}
	return nil
}

// openStorages returns where each node keeps its nodes.conf. If none has any, as
// always in memory, a cluster is formed.
func openStorages(configs []*config.Config, files bool) (list []nodesfile.Storage, formed bool, err error) {
	known := 0
	for _, c := range configs {
		var s nodesfile.Storage = nodesfile.NewMemory()
		if files {
			if s, err = nodesfile.Open(c.Values().Path(c.Values().ClusterConfigFile)); err != nil {
				return list, false, err
			}
		}
		list = append(list, s)
		text, err := s.Load()
		if err != nil {
			return list, false, err
		}
		if len(text) > 0 {
			known++
		}
	}
	switch known {
	case 0:
	case len(configs):
		return list, false, nil
	default:
		return list, false, fmt.Errorf("%s has cluster files of %d of the %d nodes: remove them, or start as many nodes as there were",
			configs[0].Values().Dir, known, len(configs))
	}
	for i, conf := range form(configs) {
		if err := list[i].Save(conf.Append(nil), true); err != nil {
			return list, false, fmt.Errorf("saving the cluster configuration: %w", err)
		}
	}
	return list, true, nil
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
		v := n.config.Values()
		id, slots := n.server.Describe()
		list[i] = Node{ID: id, Addr: net.JoinHostPort(address(v), strconv.Itoa(v.Port)), Slots: slots}
	}
	return list
}

// Done is closed once every node has ended, be it that clients have shut down
// all of them. One that is shut down leaves the others without it.
func (c *Cluster) Done() <-chan struct{} { return c.done }

// Close ends all nodes. ctx bounds how long clients may take to read their last
// replies.
func (c *Cluster) Close(ctx context.Context) {
	c.once.Do(func() { close(c.stop) })
	var ending sync.WaitGroup
	for _, n := range c.nodes {
		ending.Go(func() { n.close(ctx) }) // ends with the node
	}
	ending.Wait()
	c.gone.Wait()
}

func (n *node) close(ctx context.Context) {
	n.end.Do(func() {
		if n.server != nil {
			n.server.Close(ctx)
		}
		n.storage.Close()
	})
}
