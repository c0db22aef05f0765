// Package slots makes cluster clients of rueidis that send a command to the node
// which the pushed slot map names, instead of being redirected there.
//
// rueidis has no way to change the map of its cluster client, but it gives out
// its connections to the nodes: the command goes to the right one, and to the
// cluster client as ever where that is not known, or if the node does not want it.
package slots

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	slotmap "slotcast/examples/go-slotmap"
)

// A Client is a cluster client whose Do goes by the pushed map. Its other
// methods go by the library's own.
type Client struct {
	rueidis.Client
	slots *slotmap.Map
	nodes atomic.Pointer[map[string]rueidis.Client] // by address
	stop  context.CancelFunc
	done  chan struct{}
}

// NewClient is rueidis.NewClient for a cluster client that follows the pushed
// map. Told, if not nil, is called with "map" for each range of the whole map and
// with "change" for what changes later.
func NewClient(option rueidis.ClientOption, told func(what string, r slotmap.Range)) (*Client, error) {
	host, _, err := net.SplitHostPort(option.InitAddress[0])
	if err != nil {
		return nil, err
	}
	client, err := rueidis.NewClient(option)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &Client{Client: client, slots: slotmap.New(host), stop: stop, done: make(chan struct{})}
	c.takeNodes()
	go c.follow(ctx, told) // ends with Close
	return c, nil
}

// Close closes the client.
func (c *Client) Close() {
	c.stop()
	<-c.done
	c.Client.Close()
}

// follow subscribes again whenever that ends. The map that comes first makes up
// for what was missed.
func (c *Client) follow(ctx context.Context, told func(what string, r slotmap.Range)) {
	defer close(c.done)
	for ctx.Err() == nil {
		subscribe := c.B().Subscribe().Channel(slotmap.Changes, slotmap.Snapshot).Build()
		_ = c.Receive(ctx, subscribe, func(message rueidis.PubSubMessage) {
			ranges, err := c.slots.Apply(message.Channel, message.Message)
			if err != nil {
				return // nothing is applied of it; MOVED still leads to the owner
			}
			c.takeNodes()
			what := "change"
			if message.Channel == slotmap.Snapshot {
				what = "map"
			}
			if told != nil {
				for _, r := range ranges {
					told(what, r)
				}
			}
		})
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// takeNodes takes the nodes that the cluster client is connected to.
func (c *Client) takeNodes() {
	nodes := c.Nodes()
	c.nodes.Store(&nodes)
}

// Do sends a command to the owner of its slot.
func (c *Client) Do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	slot := int(cmd.Slot())
	if slot >= slotmap.Slots { // it has no key
		return c.Client.Do(ctx, cmd)
	}
	node, known := (*c.nodes.Load())[c.slots.Owner(slot)]
	if !known {
		return c.Client.Do(ctx, cmd)
	}
	cmd = cmd.Pin() // as it may be needed twice
	result := node.Do(ctx, cmd)
	if redirected(result.Error()) {
		return c.Client.Do(ctx, cmd)
	}
	return result
}

// redirected reports whether a node wants a command to be sent elsewhere or
// again, which the cluster client knows how to do.
func redirected(err error) bool {
	var answer *rueidis.RedisError
	if !errors.As(err, &answer) {
		return false
	}
	_, moved := answer.IsMoved()
	_, ask := answer.IsAsk()
	return moved || ask || answer.IsTryAgain() || answer.IsClusterDown()
}
