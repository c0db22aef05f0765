package localcluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

	"slotcast/config"
	"slotcast/nodesfile"
	"slotcast/server"
)

// node is one node, through all its lives.
type node struct {
	cluster *Cluster
	number  int

	mu      sync.Mutex // guards the rest; held while the node starts and ends
	config  *config.Config
	storage nodesfile.Storage
	server  *server.Server // nil while the node is down
	ended   chan struct{}  // closed when that server has ended
	was     Node           // what was last to be said of it
	shut    bool           // by a client
}

// open opens where the node keeps its nodes.conf: a file, if `dir` is given.
// What is in memory is kept there for the next life.
func (n *node) open() error {
	if !n.cluster.options.Config.Given("dir") {
		if n.storage == nil {
			n.storage = nodesfile.NewMemory()
		}
		return nil
	}
	v := n.config.Values()
	file, err := nodesfile.Open(v.Path(v.ClusterConfigFile))
	if err != nil {
		return err
	}
	n.storage = file
	return nil
}

// run starts the server and lets it accept clients. formed says that the
// cluster begins now.
func (n *node) run(formed bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.runLocked(formed)
}

func (n *node) runLocked(formed bool) error {
	o := &n.cluster.options
	port := n.config.Values().Port
	of := server.Options{
		Config: n.config, Log: o.Log(n.config), Storage: n.storage, Version: o.Version, Formed: formed,
		Fatal: func(err error) { o.Fatal(fmt.Errorf("node on port %d: %w", port, err)) },
	}
	if o.DialBus != nil {
		of.DialBus = func(ctx context.Context, addr string) (net.Conn, error) { return o.DialBus(ctx, n.number, addr) }
	}
	s, err := server.New(of)
	if err != nil {
		return fmt.Errorf("node on port %d: %w", port, err)
	}
	if err := s.OpenListeners(); err != nil {
		s.Close(over)
		return err
	}
	n.server, n.ended = s, make(chan struct{})
	n.cluster.running.Add(1)
	go n.watch(s, n.ended) // ends with the server
	return nil
}

// watch ends the node when a client asks for it.
func (n *node) watch(s *server.Server, ended <-chan struct{}) {
	c := n.cluster
	defer c.running.Done()
	select {
	case <-ended:
		return
	case <-s.Shutdown():
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.options.DrainTime)
	defer cancel()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.server != s {
		return
	}
	n.endLocked(ctx)
	n.shut = true
	c.leave()
}

// end ends the node if it runs.
func (n *node) end(ctx context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.endLocked(ctx)
}

func (n *node) endLocked(ctx context.Context) {
	if n.server != nil {
		n.was = n.describeLocked()
		n.server.Close(ctx)
		close(n.ended)
		n.server = nil
	}
	if n.storage != nil {
		n.storage.Close()
	}
}

func (n *node) describe() Node {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.describeLocked()
}

func (n *node) describeLocked() Node {
	if n.server == nil {
		return n.was
	}
	v := n.config.Values()
	id, slots := n.server.Describe()
	return Node{ID: id, Addr: net.JoinHostPort(address(v), strconv.Itoa(v.Port)), Slots: slots}
}

// over is a context that is over: whatever it bounds is not waited for.
var over = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// Kill ends a node, counted from 0, as the end of its process would: clients
// and peers find their connections closed, and get no reply any more. What its
// nodes.conf says is kept, and its keys are gone.
func (c *Cluster) Kill(node int) { c.nodes[node].end(over) }

// Restart starts a node again that was killed or shut down, at its address and
// with what its nodes.conf says. When it returns the node accepts clients; like
// any node that comes back it serves keys only after a while, when others could
// have told it what has changed.
func (c *Cluster) Restart(node int) error {
	n := c.nodes[node]
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.server != nil {
		return fmt.Errorf("node on port %d runs", n.config.Values().Port)
	}
	if err := c.readmit(n.shut); err != nil {
		return err
	}
	n.config = c.options.Config.ForNode(node) // what CONFIG SET had changed is forgotten
	err := n.open()
	if err == nil {
		err = n.runLocked(false)
	}
	if err != nil {
		n.storage.Close()
		if n.shut {
			c.leave()
		}
		return err
	}
	n.shut = false
	return nil
}

// leave takes a node off those that no client has shut down.
func (c *Cluster) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		close(c.done)
	}
}

// readmit allows for the start of a node, which a client may have shut down. A
// cluster that has ended does not come back.
func (c *Cluster) readmit(shut bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.left == 0 {
		return errors.New("the cluster has ended")
	}
	if shut {
		c.left++
	}
	return nil
}
