package testcluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"slotcast/clusterstate"
	"slotcast/config"
	"slotcast/localcluster"
)

// Cluster is a running cluster.
type Cluster struct {
	tb       testing.TB
	local    *localcluster.Cluster
	nodes    []*Node
	network  *network
	claim    *claim
	log      log
	password string
	patience time.Duration
}

// Start starts a cluster of so many primaries that share all slots evenly, in
// the order of their ports. When it returns every node serves its slots and has
// links to all others. The cluster ends with the test.
func Start(tb testing.TB, nodes int, options ...Option) *Cluster {
	tb.Helper()
	if nodes < 1 || nodes > MaxNodes {
		tb.Fatalf("testcluster: a cluster has 1 to %d nodes, not %d", MaxNodes, nodes)
	}
	s := settings{patience: 30 * time.Second} // only reached when something is broken
	for _, o := range options {
		o(&s)
	}
	c := &Cluster{tb: tb, patience: s.patience}
	// Registered first, so that it is done last: also the start may have failed.
	tb.Cleanup(c.showLog)
	if err := c.start(nodes, &s); err != nil {
		tb.Fatalf("testcluster: %v", err)
	}
	tb.Cleanup(c.Close)
	c.await("a formed cluster", c.unready)
	return c
}

// start starts the nodes on a block of ports that nobody uses.
func (c *Cluster) start(nodes int, s *settings) error {
	for range blocks {
		claim, err := claimPorts()
		if err != nil {
			return err
		}
		if err = c.startAt(claim, nodes, s); err == nil {
			return nil
		}
		claim.Close()
		if !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
	}
	return fmt.Errorf("found no %d ports in a row that are free", nodes)
}

func (c *Cluster) startAt(claim *claim, nodes int, s *settings) error {
	args, refused := s.arguments(nodes, claim.port)
	if refused != "" {
		return fmt.Errorf("directive %s is not to be set: it belongs to Start", refused)
	}
	cfg, warnings, err := config.Load(args, strings.NewReader(""))
	if err != nil {
		return err
	}
	handler := c.log.handler(cfg.Values().LogLevel)
	for _, w := range warnings {
		slog.New(handler).Warn(w.String())
	}
	network := newNetwork(claim.port, nodes)
	local, err := localcluster.Start(localcluster.Options{
		Config: cfg, Version: "testcluster", DrainTime: farewell, DialBus: network.dial,
		Log: func(node *config.Config) *slog.Logger {
			return slog.New(handler).With("node", node.Values().Port-claim.port)
		},
		Fatal: func(err error) { c.tb.Errorf("testcluster: a node cannot go on: %v", err) },
	})
	if err != nil {
		return err
	}
	c.local, c.network, c.claim, c.password = local, network, claim, cfg.Values().RequirePass
	for i, n := range local.Nodes() {
		c.nodes = append(c.nodes, &Node{cluster: c, number: i, addr: n.Addr, id: n.ID})
	}
	return nil
}

// Close ends the cluster before the test ends.
func (c *Cluster) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	c.local.Close(ctx)
	c.claim.Close()
}

// farewell bounds how long clients may take to read their last replies.
const farewell = time.Second

// Addrs returns where the nodes listen for clients, as host:port.
func (c *Cluster) Addrs() []string {
	addrs := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		addrs[i] = n.addr
	}
	return addrs
}

// Nodes returns the nodes, also those that are down.
func (c *Cluster) Nodes() []*Node { return append([]*Node(nil), c.nodes...) }

// Node returns a node by its number, from 0.
func (c *Cluster) Node(number int) *Node {
	if number < 0 || number >= len(c.nodes) {
		c.tb.Helper()
		c.tb.Fatalf("testcluster: there is no node %d among %d", number, len(c.nodes))
	}
	return c.nodes[number]
}

// Owner returns the node that owns a slot, nil if none does. Where nodes
// disagree, the claim with the greatest config epoch counts, as it will when
// they meet again.
func (c *Cluster) Owner(slot int) *Node {
	c.tb.Helper()
	c.check(slot)
	var owner *clusterstate.Node
	for _, n := range c.nodes {
		if v := n.view(); v != nil {
			if o := v.Owner(uint16(slot)); o != nil && (owner == nil || o.ConfigEpoch > owner.ConfigEpoch) {
				owner = o
			}
		}
	}
	if owner == nil {
		return nil
	}
	return c.byID(string(owner.ID))
}

func (c *Cluster) byID(id string) *Node {
	for _, n := range c.nodes {
		if n.ID() == id {
			return n
		}
	}
	return nil
}

func (c *Cluster) check(slot int) {
	if slot < 0 || slot >= clusterstate.Slots {
		c.tb.Helper()
		c.tb.Fatalf("testcluster: there is no slot %d", slot)
	}
}
