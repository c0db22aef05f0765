package server

import (
	"maps"
	"slices"
	"sync"

	"slotcast/channels"
	"slotcast/clusterstate"
	"slotcast/config"
)

// subscriptions are the channels, patterns and shard channels of one
// connection. Who runs the connection changes them (or the owner for it);
// shard channels alone are also taken away by the owner when their slot goes.
type subscriptions struct {
	channels subscribed
	patterns *subscribed // nil unless there have been some

	shardMu sync.Mutex // guards shards; below the registry's locks
	shards  map[string]*channels.Subscription
}

// count is what subscription confirmations of channels and patterns carry.
func (c *conn) subCount() int { return int(c.numSub.Load() + c.numPsub.Load()) }

// shardCount is what confirmations of shard channels carry.
func (c *conn) shardCount() int { return int(c.numSsub.Load()) }

// listening reports whether messages of others can reach the connection;
// invalidations are told apart, see hearsOfKeys.
func (c *conn) listening() bool {
	return c.monitoring || c.subscribing()
}

// subscribing reports whether the connection is one of Pub/Sub, or gets rows as
// bare pushes.
func (c *conn) subscribing() bool {
	return c.subCount() > 0 || c.numSsub.Load() > 0 || c.bare.Load()
}

// subscriber reports a connection with any subscription. Any goroutine may ask.
func (c *conn) subscriber() bool { return c.subCount() > 0 || c.numSsub.Load() > 0 }

// inSubscriberMode reports whether only a few commands are allowed: RESP2 has
// no way to tell a reply from a message.
func (c *conn) inSubscriberMode() bool {
	return !c.resp3 && c.subscriber()
}

// refile tells the outbox which form and limits the connection has now. It is
// called whenever protocol, library name, subscriptions or a directive change,
// by who runs the connection or, for a directive, by the owner.
func (c *conn) refile() { c.outbox.refile() }

// form may be asked for by any goroutine.
func (c *conn) form() channels.Form {
	var f channels.Form
	id := c.identity.Load()
	if id.resp3 {
		f |= channels.RESP3
	}
	switch c.server.config.Values().SlotsPayload {
	case config.PayloadJSON:
		f |= channels.JSON
	case config.PayloadAuto:
		if id.readsText {
			f |= channels.JSON
		}
	}
	return f
}

// replyForm is the form of what the command now running answers.
func (c *conn) replyForm() channels.Form {
	if c.resp3 {
		return c.form() | channels.RESP3
	}
	return c.form() &^ channels.RESP3
}

func (c *conn) class() config.Class {
	if c.subscribing() {
		return config.ClassPubSub
	}
	return config.ClassNormal
}

// subscribe joins a channel. In an EXEC a reserved one only gets its place in
// the count: it is joined after that EXEC's commit, whose rows it does not get.
func (c *conn) subscribe(name string, in *execution) {
	if c.subscribed(name) {
		return
	}
	c.subscriptions.channels.set(name, nil)
	c.numSub.Store(int32(c.subscriptions.channels.len()))
	if in != nil && channels.Reserved([]byte(name)) {
		in.family = append(in.family, name)
		return
	}
	c.join(name)
}

// join enters the registry for a channel that is already counted, unless the
// connection has left it again.
func (c *conn) join(name string) {
	if sn, has := c.subscriptions.channels.get(name); !has || sn != nil {
		return
	}
	sn := c.server.channels.Subscribe(name, &c.outbox)
	c.subscriptions.channels.set(sn.Name(), sn) // one copy of the name for all
	if channels.Reserved([]byte(name)) {
		c.server.family.join(c)
	}
}

func (c *conn) subscribed(name string) bool {
	_, has := c.subscriptions.channels.get(name)
	return has
}

func (c *conn) unsubscribe(name string) {
	sn, has := c.subscriptions.channels.remove(name)
	if !has {
		return
	}
	c.numSub.Store(int32(c.subscriptions.channels.len()))
	if sn == nil {
		return
	}
	c.server.channels.Unsubscribe(sn)
	if channels.Reserved([]byte(name)) {
		c.server.family.part(c)
	}
}

// psubscribe joins a pattern, one that can match the family in an EXEC as
// subscribe does.
func (c *conn) psubscribe(pattern string, in *execution) {
	if c.subscriptions.patterns == nil {
		c.subscriptions.patterns = new(subscribed)
	}
	if _, has := c.subscriptions.patterns.get(pattern); has {
		return
	}
	c.subscriptions.patterns.set(pattern, nil)
	c.numPsub.Store(int32(c.subscriptions.patterns.len()))
	if in != nil && channels.MatchesFamily(pattern) {
		in.patterns = append(in.patterns, pattern)
		return
	}
	c.joinPattern(pattern)
}

// joinPattern is join for a pattern.
func (c *conn) joinPattern(pattern string) {
	if sn, has := c.subscriptions.patterns.get(pattern); !has || sn != nil {
		return
	}
	c.subscriptions.patterns.set(pattern, c.server.channels.SubscribePattern(pattern, &c.outbox))
	if channels.MatchesFamily(pattern) {
		c.server.family.join(c)
	}
}

func (c *conn) punsubscribe(pattern string) {
	if c.subscriptions.patterns == nil {
		return
	}
	sn, has := c.subscriptions.patterns.remove(pattern)
	if !has {
		return
	}
	c.numPsub.Store(int32(c.subscriptions.patterns.len()))
	if sn == nil {
		return
	}
	c.server.channels.UnsubscribePattern(sn)
	if channels.MatchesFamily(pattern) {
		c.server.family.part(c)
	}
}

// ssubscribe is called with the channel's slot locked, so that the slot cannot
// go between the redirection and the subscription.
func (c *conn) ssubscribe(name string) {
	c.subscriptions.shardMu.Lock()
	_, has := c.subscriptions.shards[name]
	c.subscriptions.shardMu.Unlock()
	if has {
		return
	}
	sn := c.server.channels.SubscribeShard(name, &c.outbox)
	c.subscriptions.shardMu.Lock()
	defer c.subscriptions.shardMu.Unlock()
	if c.subscriptions.shards == nil {
		c.subscriptions.shards = make(map[string]*channels.Subscription)
	}
	c.subscriptions.shards[name] = sn
	c.numSsub.Store(int32(len(c.subscriptions.shards)))
}

// takeShard removes a shard subscription from the connection's own list.
// Whoever gets true, the connection or the owner, announces its end.
func (c *conn) takeShard(name string) (*channels.Subscription, bool) {
	c.subscriptions.shardMu.Lock()
	defer c.subscriptions.shardMu.Unlock()
	sn, has := c.subscriptions.shards[name]
	if has {
		delete(c.subscriptions.shards, name)
		c.numSsub.Store(int32(len(c.subscriptions.shards)))
	}
	return sn, has
}

func (c *conn) sunsubscribe(name string) {
	if sn, has := c.takeShard(name); has {
		c.server.channels.UnsubscribeShard(sn)
	}
}

// shardNames lists the shard channels of the connection.
func (c *conn) shardNames() []string {
	c.subscriptions.shardMu.Lock()
	defer c.subscriptions.shardMu.Unlock()
	return sortedKeys(c.subscriptions.shards)
}

// leaveAll ends every subscription without a word.
func (c *conn) leaveAll() {
	for _, name := range c.subscriptions.channels.names() {
		c.unsubscribe(name)
	}
	for _, pattern := range c.subscriptions.patterns.names() {
		c.punsubscribe(pattern)
	}
	for _, name := range c.shardNames() {
		c.sunsubscribe(name)
	}
	c.leaveBare()
	c.wantMoves(false)
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// dropShardChannels ends the shard subscriptions of a slot that this node lost.
// The slot and the commit lock are held; the rows of the change are queued.
func (s *Server) dropShardChannels(lost func(slot uint16) bool) {
	s.channels.DropShards(
		func(name string) bool { return lost(clusterstate.KeySlot([]byte(name))) },
		func(sub channels.Subscriber, name string) {
			c := sub.(*outbox).conn
			if _, has := c.takeShard(name); has {
				c.outbox.Deliver(shardGone{name, int(c.numSsub.Load())})
			}
		})
}

// shardGone is the unsubscription from a shard channel that nobody asked for.
type shardGone struct {
	name  string
	count int
}

func (g shardGone) Slices(f channels.Form) [][]byte {
	r := Reply{resp3: f&channels.RESP3 != 0}
	r.Push(3)
	r.BulkString("sunsubscribe")
	r.BulkString(g.name)
	r.Int(int64(g.count))
	return [][]byte{r.buf}
}
