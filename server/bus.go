package server

import (
	"context"
	"net"
	"sync"
	"time"

	"slotcast/gossip"
	"slotcast/gossip/bus"
)

// startBus makes the transport of the cluster bus, which does nothing before a
// listener is added or the state machine dials.
func (o *owner) startBus(dial func(ctx context.Context, addr string) (net.Conn, error)) {
	o.bus = bus.New(bus.Options{
		Report:    o.report,
		Settle:    o.settle,
		Dial:      dial,
		Log:       o.server.log,
		SendLimit: func() int64 { return o.server.config.Values().LinkSendbufLimit },
		Timeout:   func() time.Duration { return nodeTimeout(o.server.config.Values()) },
	})
}

// report hands an input to the owner's goroutine, from one of the bus.
func (o *owner) report(in gossip.Input) {
	select {
	case o.inbox <- func() { o.take(in) }:
	case <-o.quit:
	}
}

// settle returns once the inputs that the calling goroutine has reported are
// applied: the owner takes one thing after the other, this as well.
func (o *owner) settle() {
	select {
	case o.inbox <- func() {}:
	case <-o.quit:
	}
}

// take applies an input that nobody waits for.
func (o *owner) take(in gossip.Input) {
	if o.dead {
		return
	}
	// A save that fails has been dealt with by apply.
	_ = o.apply(o.node.Step(o.now(), in), noSlotLocks, nil)
}

// transmit does what an output says of frames and links.
func (o *owner) transmit(out gossip.Output) {
	for _, s := range out.Send {
		o.bus.Send(s.Link, s.Frame)
	}
	for _, id := range out.Known {
		o.bus.Known(id)
	}
	for _, id := range out.Close {
		o.bus.CloseLink(id)
	}
	for _, d := range out.Dial {
		o.bus.Dial(d.Link, d.IP, d.Port)
	}
}

// deliver hands messages of peers to this node's own subscribers.
func (o *owner) deliver(messages []gossip.Message) {
	for _, m := range messages {
		if m.Shard {
			o.server.channels.PublishShard(m.Channel, m.Payload)
		} else {
			o.server.channels.Publish(m.Channel, m.Payload)
		}
	}
}

// outgoing are messages of this node's clients on their way to its peers. A
// publisher never waits for the owner, but for room when the owner is far
// behind.
type outgoing struct {
	ready chan struct{} // capacity 1: set when something waits

	mu    sync.Mutex // guards the rest
	room  sync.Cond  // signalled when list was taken
	list  []gossip.Publish
	bytes int
}

// maxOutgoing bounds the bytes that wait.
const maxOutgoing = 16 << 20

func (q *outgoing) init() {
	q.ready = make(chan struct{}, 1)
	q.room.L = &q.mu
}

// add queues a message, whose bytes are the caller's.
func (q *outgoing) add(channel, payload []byte, shard bool) {
	store := append(append(make([]byte, 0, len(channel)+len(payload)), channel...), payload...)
	m := gossip.Publish{Channel: store[:len(channel):len(channel)], Payload: store[len(channel):], Shard: shard}
	q.mu.Lock()
	q.list = append(q.list, m)
	q.bytes += len(store)
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// full reports that a publisher who can wait should.
func (q *outgoing) full() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes > maxOutgoing
}

// wait returns when there is room.
func (q *outgoing) wait() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.bytes > maxOutgoing {
		q.room.Wait()
	}
}

func (q *outgoing) take() []gossip.Publish {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list, q.bytes = nil, 0
	q.room.Broadcast()
	return list
}

// tellPeers sends a message of one of this node's clients to the nodes whose
// clients may listen. In a cluster of one there are none.
func (cl *call) tellPeers(shard bool) {
	v := cl.server.topology.current()
	q := &cl.server.owner.outgoing
	switch {
	case shard && (len(v.Myself().Replicas) > 0 || v.Myself().Replica):
		q.add(cl.args[1], cl.args[2], true)
	case !shard && len(v.Nodes()) > 1:
		if cl.exec == nil && q.full() {
			cl.letGo()
			q.wait()
		}
		q.add(cl.args[1], cl.args[2], false)
	}
}
