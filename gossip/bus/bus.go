// Package bus carries the frames of the cluster bus over TCP for the state
// machine of package gossip, which decides what is sent to whom and when.
//
// It owns the sockets: it listens, dials where it is told, cuts the incoming
// bytes into frames, and writes what it is given. It promises that a call of
// its methods never waits for the network, that what happens on a link is
// reported in order, and that LinkDown is the last report of a link. A link that
// the machine closed itself is not reported any more, but for what was under
// way.
//
// Anyone can connect to the port. Until the machine says that a node of the
// cluster is at the other end, a link is a stranger's (see stranger.go): what it
// can make this node keep in memory is bounded, and it is the first to go.
//
// All methods may be called from any goroutine. Reports come from the links'
// goroutines and may wait for the receiver.
package bus

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"time"

	"slotcast/gossip"
)

// Options are what a bus is made of.
type Options struct {
	// Report is told what happens, as the inputs of the state machine. It may
	// wait; after Close it is not called any more.
	Report func(gossip.Input)
	// Settle returns when all has been done that follows from what the calling
	// goroutine has reported.
	Settle func()
	// Dial connects to host:port; nil is plain TCP. Together with the listener
	// that Listen is given, this is where TLS goes in.
	Dial func(ctx context.Context, addr string) (net.Conn, error)
	Log  *slog.Logger
	// SendLimit is cluster-link-sendbuf-limit in bytes, 0 for none.
	SendLimit func() int64
	// Timeout is cluster-node-timeout.
	Timeout func() time.Duration
}

// Bus is the transport of one node.
type Bus struct {
	o       Options
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup // accept loops, dials, readers and writers
	faults  faults

	mu        sync.Mutex // guards the rest
	links     map[gossip.LinkID]*link
	listeners []net.Listener
	strangers []*link // in the order in which they came
	readers   int     // of accepted links, known or not
	nextID    gossip.LinkID
	backoff   backoff
	closed    bool
}

// New returns a bus without a listener.
func New(o Options) *Bus {
	if o.Dial == nil {
		o.Dial = dialTCP
	}
	b := &Bus{o: o, faults: faults{log: o.Log}, links: make(map[gossip.LinkID]*link), nextID: gossip.FirstInbound}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

func dialTCP(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", addr)
}

// Listen accepts links from l until Close.
func (b *Bus) Listen(l net.Listener) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		l.Close()
		return
	}
	b.listeners = append(b.listeners, l)
	b.running.Add(1)
	go func() { // ends when the listener is closed, at the latest by Close
		defer b.running.Done()
		b.accept(l)
	}()
}

// Dial connects a link to an address. LinkUp or LinkDown follows.
func (b *Bus) Dial(id gossip.LinkID, ip string, port int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	ctx, cancel := context.WithCancel(b.ctx)
	lk := &link{id: id, bus: b, created: time.Now(), cancel: cancel, told: true, known: true}
	b.links[id] = lk
	b.running.Add(1)
	go func() { // ends with the link, or when it cannot be dialled
		defer b.running.Done()
		defer cancel()
		b.dial(ctx, lk, ip, port)
	}()
}

// Send queues a frame on a link. A link that is gone swallows it.
func (b *Bus) Send(id gossip.LinkID, frame []byte) {
	if lk := b.link(id); lk != nil {
		lk.send(frame)
	}
}

// Known tells that a node of the cluster is at the other end of a link.
func (b *Bus) Known(id gossip.LinkID) {
	b.mu.Lock()
	lk := b.links[id]
	b.dropStranger(lk)
	b.mu.Unlock()
	if lk != nil {
		lk.befriend()
	}
}

// CloseLink closes a link without a report.
func (b *Bus) CloseLink(id gossip.LinkID) {
	if lk := b.forget(id); lk != nil {
		lk.close()
	}
}

func (b *Bus) link(id gossip.LinkID) *link {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.links[id]
}

// forget takes a link off the lists and returns it, nil if it is not there.
func (b *Bus) forget(id gossip.LinkID) *link {
	b.mu.Lock()
	defer b.mu.Unlock()
	lk := b.links[id]
	delete(b.links, id)
	b.dropStranger(lk)
	return lk
}

// LinkStats is the part of CLUSTER LINKS that the transport knows.
type LinkStats struct {
	Created   time.Time
	Writing   bool // frames wait for the socket
	Allocated int  // bytes of send buffer
	Used      int  // bytes that wait
}

// Stats returns the figures of a link.
func (b *Bus) Stats(id gossip.LinkID) (LinkStats, bool) {
	lk := b.link(id)
	if lk == nil {
		return LinkStats{}, false
	}
	return lk.stats(), true
}

// Close ends all links and waits for their goroutines. Whoever receives the
// reports must not wait for it meanwhile, nor let them wait.
func (b *Bus) Close() {
	b.mu.Lock()
	b.closed = true
	b.cancel()
	for _, l := range b.listeners {
		l.Close()
	}
	links := b.links
	b.links = make(map[gossip.LinkID]*link)
	b.strangers = nil
	b.mu.Unlock()
	for _, lk := range links {
		lk.close()
	}
	b.running.Wait()
}

// timeout is the node timeout within sane bounds: a dial needs time even where
// failures are to be found at once, and a timer must not overflow.
func (b *Bus) timeout() time.Duration {
	return min(max(b.o.Timeout(), time.Second), time.Hour)
}
