// Package channels knows who listens to what, and hands each message to its
// listeners once.
//
// It owns three name spaces (channels, patterns, shard channels) and promises
// that all listeners of one name see its messages in one order. Nothing in it
// blocks: a listener is a [Subscriber], whose Deliver only queues. All methods
// of [Registry] may be called from any goroutine. The registry's locks stand
// below the slot and commit locks and above the outboxes (DESIGN: owner →
// slots ascending → commit → registry shard → outbox).
package channels

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"slotcast/glob"
)

// Subscriber is a connection as the registry sees it. Deliver queues a batch
// in the form that the connection has at that moment; it must not block and
// must not call back into the registry.
type Subscriber interface {
	Deliver(Batch)
}

// Subscription is one subscriber's place in one channel, pattern or shard
// channel. The subscriber keeps it in order to leave.
type Subscription struct {
	sub   Subscriber
	topic *topic
	// index is the place in topic.subs, or gone; guarded by the topic's set.
	index int
}

// gone is the index of a subscription whose topic was dropped as a whole.
const gone = -1

// Name is the channel or pattern subscribed to.
func (s *Subscription) Name() string { return s.topic.name }

// topic is one channel, pattern or shard channel with at least one subscriber.
type topic struct {
	name string
	subs []*Subscription
}

func (t *topic) add(sub Subscriber) *Subscription {
	s := &Subscription{sub: sub, topic: t, index: len(t.subs)}
	t.subs = append(t.subs, s)
	return s
}

// remove takes s out by moving the last subscription into its place, so that
// leaving costs the same in a channel of ten thousand.
func (t *topic) remove(s *Subscription) {
	last := len(t.subs) - 1
	moved := t.subs[last]
	t.subs[s.index] = moved
	moved.index = s.index
	t.subs[last] = nil
	t.subs = t.subs[:last]
	if cap(t.subs) > 64 && len(t.subs) < cap(t.subs)/4 {
		t.subs = append(make([]*Subscription, 0, cap(t.subs)/2), t.subs...)
	}
}

func (t *topic) deliver(b Batch) int {
	for _, s := range t.subs {
		s.sub.Deliver(b)
	}
	return len(t.subs)
}

// set is one shard of a name space.
type set struct {
	mu     sync.Mutex // guards topics and all they hold, and orders deliveries
	topics map[string]*topic
}

// subscribe reports whether the topic came with its first subscriber.
func (s *set) subscribe(name string, sub Subscriber) (sn *Subscription, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.topics[name]
	if t == nil {
		t = &topic{name: name}
		if s.topics == nil {
			s.topics = make(map[string]*topic)
		}
		s.topics[name] = t
	}
	return t.add(sub), len(t.subs) == 1
}

// unsubscribe reports whether the topic went with its last subscriber.
func (s *set) unsubscribe(sn *Subscription) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sn.index == gone {
		return false
	}
	sn.topic.remove(sn)
	if len(sn.topic.subs) > 0 {
		return false
	}
	delete(s.topics, sn.topic.name)
	return true
}

const shardCount = 64

// space is a name space spread over shards by the hash of the name.
type space struct {
	shards [shardCount]set
	// names counts the topics, so that a node on which nobody listens spends
	// nothing on a message.
	names atomic.Int64
}

func (sp *space) shard(name string) *set {
	return &sp.shards[xxhash.Sum64String(name)%shardCount]
}

func (sp *space) subscribe(name string, sub Subscriber) *Subscription {
	sn, first := sp.shard(name).subscribe(name, sub)
	if first {
		sp.names.Add(1)
	}
	return sn
}

func (sp *space) unsubscribe(sn *Subscription) {
	if sp.shard(sn.topic.name).unsubscribe(sn) {
		sp.names.Add(-1)
	}
}

func (sp *space) count(name string) int {
	sh := sp.shard(name)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if t := sh.topics[name]; t != nil {
		return len(t.subs)
	}
	return 0
}

// list returns the names that match pattern, all when it is nil, sorted.
func (sp *space) list(pattern []byte) []string {
	names := []string{}
	for i := range sp.shards {
		sh := &sp.shards[i]
		sh.mu.Lock()
		for name := range sh.topics {
			if pattern == nil || glob.Match(pattern, []byte(name), false) {
				names = append(names, name)
			}
		}
		sh.mu.Unlock()
	}
	sort.Strings(names)
	return names
}

// Registry is the directory of all subscriptions of one node.
type Registry struct {
	channels space
	shards   space
	patterns patterns
}

// New returns an empty registry.
func New() *Registry { return &Registry{} }

// Subscribe puts sub among the listeners of a channel. The caller sees to it
// that one subscriber holds one subscription a name.
func (r *Registry) Subscribe(channel string, sub Subscriber) *Subscription {
	return r.channels.subscribe(channel, sub)
}

// Unsubscribe takes back what Subscribe gave.
func (r *Registry) Unsubscribe(s *Subscription) { r.channels.unsubscribe(s) }

// SubscribeShard puts sub among the listeners of a shard channel.
func (r *Registry) SubscribeShard(channel string, sub Subscriber) *Subscription {
	return r.shards.subscribe(channel, sub)
}

// UnsubscribeShard takes back what SubscribeShard gave.
func (r *Registry) UnsubscribeShard(s *Subscription) { r.shards.unsubscribe(s) }

// SubscribePattern puts sub among the listeners of a glob pattern.
func (r *Registry) SubscribePattern(pattern string, sub Subscriber) *Subscription {
	return r.patterns.subscribe(pattern, sub)
}

// UnsubscribePattern takes back what SubscribePattern gave.
func (r *Registry) UnsubscribePattern(s *Subscription) { r.patterns.unsubscribe(s) }

// Listening reports whether an ordinary message could have a receiver at all.
func (r *Registry) Listening() bool {
	return r.channels.names.Load() > 0 || r.patterns.names.Load() > 0
}

// Publish delivers payload to the listeners of channel and then to those of
// every pattern that matches it, and returns how many deliveries that were.
// The channel's lock is held throughout: two publishers to one channel are
// seen in one order by everybody, on the channel and through patterns alike.
// Payload and channel are copied.
func (r *Registry) Publish(channel, payload []byte) int {
	n := 0
	if r.channels.names.Load() > 0 {
		sh := r.channels.shard(string(channel))
		sh.mu.Lock()
		defer sh.mu.Unlock()
		if t := sh.topics[string(channel)]; t != nil {
			n += t.deliver(NewMessage(channel, payload))
		}
	}
	if r.patterns.names.Load() > 0 {
		n += r.patterns.publish(channel, func(pattern string) Batch {
			return NewPatternMessage(pattern, channel, payload)
		})
	}
	return n
}

// PublishShard delivers payload to the listeners of a shard channel.
func (r *Registry) PublishShard(channel, payload []byte) int {
	if r.shards.names.Load() == 0 {
		return 0
	}
	sh := r.shards.shard(string(channel))
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if t := sh.topics[string(channel)]; t != nil {
		return t.deliver(NewShardMessage(channel, payload))
	}
	return 0
}

// DropShards ends every subscription to the shard channels that match, and
// tells each to ended, under the lock of the channel's shard.
func (r *Registry) DropShards(match func(channel string) bool, ended func(sub Subscriber, channel string)) {
	if r.shards.names.Load() == 0 {
		return
	}
	for i := range r.shards.shards {
		sh := &r.shards.shards[i]
		sh.mu.Lock()
		for name, t := range sh.topics {
			if !match(name) {
				continue
			}
			for _, sn := range t.subs {
				sn.index = gone
				ended(sn.sub, name)
			}
			delete(sh.topics, name)
			r.shards.names.Add(-1)
		}
		sh.mu.Unlock()
	}
}

// PublishBatch delivers a batch that the caller encodes, to the listeners of
// a channel of the reserved family, and to the patterns that may see it; of
// returns what a pattern's listeners get.
func (r *Registry) PublishBatch(channel string, b Batch, of func(pattern string) Batch) {
	sh := r.channels.shard(channel)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if t := sh.topics[channel]; t != nil {
		t.deliver(b)
	}
	if r.patterns.names.Load() > 0 {
		r.patterns.publishReserved(channel, of)
	}
}

// Channels lists the channels that have a listener and match pattern (all
// when it is nil), in byte order.
func (r *Registry) Channels(pattern []byte) []string { return r.channels.list(pattern) }

// ShardChannels is Channels for shard channels.
func (r *Registry) ShardChannels(pattern []byte) []string { return r.shards.list(pattern) }

// Subscribers is the number of listeners of a channel, patterns left out.
func (r *Registry) Subscribers(channel string) int { return r.channels.count(channel) }

// ShardSubscribers is the number of listeners of a shard channel.
func (r *Registry) ShardSubscribers(channel string) int { return r.shards.count(channel) }

// Patterns is the number of different patterns subscribed to.
func (r *Registry) Patterns() int { return int(r.patterns.names.Load()) }

// Names is the number of channels that have a listener.
func (r *Registry) Names() int { return int(r.channels.names.Load()) }

// ShardNames is the number of shard channels that have a listener.
func (r *Registry) ShardNames() int { return int(r.shards.names.Load()) }
