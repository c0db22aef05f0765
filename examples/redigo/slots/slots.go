// Package slots is a cluster client of redigo that sends a command to the node
// which the pushed slot map names, instead of being redirected there.
//
// redigo has no cluster client; redisc makes one of its pools. Its map cannot be
// changed from outside, so a command goes to the pool of the right node directly,
// and through redisc as ever where that is not known, or if the node does not
// want it.
package slots

import (
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/mna/redisc"

	slotmap "slotcast/examples/go-slotmap"
)

// A Cluster is a client of a cluster.
type Cluster struct {
	*redisc.Cluster
	slots  *slotmap.Map
	closed chan struct{}
	done   chan struct{}

	mu    sync.Mutex // guards pools
	pools map[string]*redis.Pool
}

// New returns a client of the cluster that has a node at an address. Options are
// for every connection. Told, if not nil, is called with "map" for each range of
// the whole map and with "change" for what changes later.
func New(addr string, options []redis.DialOption, told func(what string, r slotmap.Range)) (*Cluster, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		slots:  slotmap.New(host),
		closed: make(chan struct{}), done: make(chan struct{}),
		pools: map[string]*redis.Pool{},
	}
	c.Cluster = &redisc.Cluster{StartupNodes: []string{addr}, DialOptions: options, CreatePool: c.pool}
	if err := c.Refresh(); err != nil {
		return nil, errors.Join(err, c.Cluster.Close())
	}
	go c.follow(told) // ends with Close
	return c, nil
}

// Close closes all connections.
func (c *Cluster) Close() error {
	close(c.closed)
	<-c.done
	return c.Cluster.Close()
}

// pool returns the one pool of a node, which redisc uses as well.
func (c *Cluster) pool(addr string, options ...redis.DialOption) (*redis.Pool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pools[addr] == nil {
		c.pools[addr] = &redis.Pool{
			MaxIdle: 10,
			Dial:    func() (redis.Conn, error) { return redis.Dial("tcp", addr, options...) },
		}
	}
	return c.pools[addr], nil
}

// Do runs a command on the node that owns a key.
func (c *Cluster) Do(command, key string, args ...any) (any, error) {
	all := append([]any{key}, args...)
	if addr := c.slots.Owner(redisc.Slot(key)); addr != "" {
		pool, err := c.pool(addr, c.DialOptions...)
		if err != nil {
			return nil, err
		}
		conn := pool.Get()
		reply, err := conn.Do(command, all...)
		conn.Close()
		if !redirected(err) {
			return reply, err
		}
	}
	conn, err := redisc.RetryConn(c.Get(), 5, 100*time.Millisecond)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.Do(command, all...)
}

// redirected reports whether a node wants a command to be sent elsewhere or
// again, which redisc knows how to do.
func redirected(err error) bool {
	var answer redis.Error
	if !errors.As(err, &answer) {
		return false
	}
	word, _, _ := strings.Cut(string(answer), " ")
	return word == "MOVED" || word == "ASK" || word == "TRYAGAIN"
}

// follow subscribes on one node, and on another when that is lost. The map that
// comes first makes up for what was missed.
func (c *Cluster) follow(told func(what string, r slotmap.Range)) {
	defer close(c.done)
	for {
		conn, err := c.Dial()
		if err == nil {
			ended := make(chan struct{})
			go func() { // ends with the subscription, or with Close
				select {
				case <-c.closed:
				case <-ended:
				}
				conn.Close()
			}()
			c.receive(redis.PubSubConn{Conn: conn}, told)
			close(ended)
		}
		select {
		case <-c.closed:
			return
		case <-time.After(time.Second):
		}
	}
}

// receive reads messages until the connection is lost.
func (c *Cluster) receive(sub redis.PubSubConn, told func(what string, r slotmap.Range)) {
	if sub.Subscribe(slotmap.Changes, slotmap.Snapshot) != nil {
		return
	}
	for {
		switch message := sub.Receive().(type) {
		case error:
			return
		case redis.Message:
			ranges, err := c.slots.Apply(message.Channel, string(message.Data))
			if err != nil {
				return // the whole map comes again
			}
			what := "change"
			if message.Channel == slotmap.Snapshot {
				what = "map"
			}
			if told != nil {
				for _, r := range ranges {
					told(what, r)
				}
			}
		}
	}
}
