package bus

import (
	"errors"
	"net"
	"slices"
	"time"

	"slotcast/gossip"
)

// A stranger is an accepted link of which the state machine has not said that
// a node of the cluster is at the other end. Nodes introduce themselves with the
// first frame, which is no longer than gossip about everyone takes; whoever does
// not is kept short:
//
//   - a frame that would be longer than strangerLimit ends the link,
//   - so does a frame that is not complete within the node timeout,
//   - so do answers that are not read, once as many bytes of them wait,
//   - the state machine is not told before the first whole frame,
//   - there are at most maxStrangers. One more takes the place of the oldest,
//     so that a crowd of them does not keep the cluster's nodes out.
//
// A node that was forgotten here and goes on pinging stays a stranger.
const (
	strangerLimit = 256 << 10 // enough for 2,000 nodes in one frame
	maxStrangers  = 1024      // all of a large cluster may come at once

	// maxReaders bounds the goroutines of accepted links. Beyond it strangers
	// come faster than they can be shown out.
	maxReaders = 4096
)

// accept takes links until the listener is closed.
func (b *Bus) accept(l net.Listener) {
	for {
		nc, err := l.Accept()
		switch {
		case err == nil:
			b.keepAlive(nc)
			b.adopt(nc)
		case b.ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			return
		default:
			b.faults.report("accept failed", "error", err)
			select {
			case <-b.ctx.Done():
				return
			case <-time.After(acceptPause):
			}
		}
	}
}

// acceptPause is the pause after a failed accept, which would otherwise spin
// when the process is out of file descriptors.
const acceptPause = 100 * time.Millisecond

// adopt makes a link of an accepted connection, or turns it away.
func (b *Bus) adopt(nc net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.readers >= maxReaders {
		nc.Close()
		return
	}
	if len(b.strangers) >= maxStrangers {
		oldest := b.strangers[0]
		b.dropStranger(oldest)
		oldest.close() // its reader tells the state machine, if that knows it
	}
	b.nextID++
	lk := &link{id: b.nextID, bus: b, conn: nc, addr: nc.RemoteAddr().String(), created: time.Now()}
	b.links[lk.id] = lk
	b.strangers = append(b.strangers, lk)
	b.readers++
	b.running.Add(1)
	go func() { // ends with the link
		defer b.running.Done()
		defer b.readerGone()
		lk.extend()
		lk.read(nc)
	}()
}

func (b *Bus) readerGone() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.readers--
}

// dropStranger takes a link off the list of strangers. The caller holds b.mu.
func (b *Bus) dropStranger(lk *link) {
	if lk == nil || !lk.id.Inbound() {
		return
	}
	if i := slices.Index(b.strangers, lk); i >= 0 {
		b.strangers = slices.Delete(b.strangers, i, i+1)
	}
}

// introduce tells the state machine of an accepted link when its first frame is
// there.
func (lk *link) introduce(nc net.Conn) {
	if !lk.told {
		lk.told = true
		lk.bus.o.Report(gossip.Accepted{Link: lk.id, LocalIP: host(nc.LocalAddr()), PeerIP: host(nc.RemoteAddr())})
	}
}

// befriend lifts the limits of strangers.
func (lk *link) befriend() {
	lk.mu.Lock()
	defer lk.mu.Unlock()
	if !lk.known {
		lk.known = true
		lk.conn.SetReadDeadline(time.Time{})
	}
}

// extend gives a stranger time for one more frame.
func (lk *link) extend() {
	lk.mu.Lock()
	defer lk.mu.Unlock()
	if !lk.known {
		lk.conn.SetReadDeadline(time.Now().Add(lk.bus.timeout()))
	}
}
