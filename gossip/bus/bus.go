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
// All methods may be called from any goroutine. Reports come from the links'
// goroutines and may wait for the receiver.
package bus

import (
	"context"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"

	"slotcast/gossip"
)

// Options are what a bus is made of.
type Options struct {
	// Report is told what happens, as the inputs of the state machine. It may
	// wait; after Close it is not called any more.
	Report func(gossip.Input)
	Log    *slog.Logger
	// SendLimit is cluster-link-sendbuf-limit in bytes, 0 for none.
	SendLimit func() int64
	// Timeout is cluster-node-timeout: how long dialling may take, and twice
	// the keep-alive interval.
	Timeout func() time.Duration
}

// maxInbound bounds the inbound links: a cluster has at most a thousand nodes,
// and each needs one. What is beyond is somebody knocking in vain.
const maxInbound = 4096

// Bus is the transport of one node.
type Bus struct {
	o       Options
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup // accept loops, dials, readers and writers

	mu        sync.Mutex // guards the rest
	links     map[gossip.LinkID]*link
	listeners []net.Listener
	inbound   int
	nextID    gossip.LinkID
	closed    bool
}

// New returns a bus without a listener.
func New(o Options) *Bus {
	b := &Bus{o: o, links: make(map[gossip.LinkID]*link), nextID: gossip.FirstInbound}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
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
	go func() { // ends when Close closes the listener
		defer b.running.Done()
		b.accept(l)
	}()
}

func (b *Bus) accept(l net.Listener) {
	for {
		nc, err := l.Accept()
		if err != nil {
			select {
			case <-b.ctx.Done():
				return
			case <-time.After(acceptPause):
				b.o.Log.Error("cluster bus: accept failed", "error", err)
				continue
			}
		}
		b.keepAlive(nc)
		if lk := b.adopt(nc); lk != nil {
			b.running.Add(1)
			go func() { // ends with the link
				defer b.running.Done()
				b.o.Report(gossip.Accepted{Link: lk.id, LocalIP: host(nc.LocalAddr()), PeerIP: host(nc.RemoteAddr())})
				lk.read()
			}()
		}
	}
}

// acceptPause is the pause after a failed accept, which would otherwise spin
// when the process is out of file descriptors.
const acceptPause = 100 * time.Millisecond

// adopt gives an accepted connection an id, or turns it away.
func (b *Bus) adopt(nc net.Conn) *link {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.inbound >= maxInbound {
		nc.Close()
		return nil
	}
	b.nextID++
	b.inbound++
	lk := &link{id: b.nextID, bus: b, conn: nc, created: time.Now()}
	b.links[lk.id] = lk
	return lk
}

// Dial connects a link to an address. LinkUp or LinkDown follows.
func (b *Bus) Dial(id gossip.LinkID, ip string, port int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, b.o.Timeout())
	lk := &link{id: id, bus: b, created: time.Now(), cancel: cancel}
	b.links[id] = lk
	b.running.Add(1)
	go func() { // ends with the link, or when it cannot be dialled
		defer b.running.Done()
		defer cancel()
		var d net.Dialer
		nc, err := d.DialContext(ctx, "tcp", net.JoinHostPort(ip, strconv.Itoa(port)))
		if err != nil {
			b.o.Log.Debug("cluster bus: no link", "ip", ip, "port", port, "error", err)
			lk.end(false)
			return
		}
		b.keepAlive(nc)
		if !lk.connected(nc) {
			nc.Close()
			return
		}
		b.o.Report(gossip.LinkUp{Link: id, LocalIP: host(nc.LocalAddr())})
		lk.read()
	}()
}

// Send queues a frame on a link. A link that is gone swallows it.
func (b *Bus) Send(id gossip.LinkID, frame []byte) {
	b.mu.Lock()
	lk := b.links[id]
	b.mu.Unlock()
	if lk != nil {
		lk.send(frame)
	}
}

// CloseLink closes a link without a report.
func (b *Bus) CloseLink(id gossip.LinkID) {
	if lk := b.forget(id); lk != nil {
		lk.close()
	}
}

// forget takes a link off the list and returns it, nil if it is not there.
func (b *Bus) forget(id gossip.LinkID) *link {
	b.mu.Lock()
	defer b.mu.Unlock()
	lk := b.links[id]
	if lk != nil {
		delete(b.links, id)
		if id.Inbound() {
			b.inbound--
		}
	}
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
	b.mu.Lock()
	lk := b.links[id]
	b.mu.Unlock()
	if lk == nil {
		return LinkStats{}, false
	}
	return lk.stats(), true
}

// Close ends all links and waits for their goroutines. Whoever receives the
// events must not wait for it meanwhile.
func (b *Bus) Close() {
	b.mu.Lock()
	b.closed = true
	b.cancel()
	for _, l := range b.listeners {
		l.Close()
	}
	links := b.links
	b.links = make(map[gossip.LinkID]*link)
	b.mu.Unlock()
	for _, lk := range links {
		lk.close()
	}
	b.running.Wait()
}

func (b *Bus) keepAlive(nc net.Conn) {
	if tc, ok := nc.(*net.TCPConn); ok {
		interval := max(2*b.o.Timeout(), time.Second)
		tc.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: interval, Interval: max(interval/3, time.Second), Count: 3})
	}
}

// host is an address without its port.
func host(a net.Addr) string {
	h, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return ""
	}
	return h
}
