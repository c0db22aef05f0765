package bus

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"time"

	"slotcast/gossip"
)

// dial connects a link and reads it to its end.
func (b *Bus) dial(ctx context.Context, lk *link, ip string, port int) {
	lk.addr = net.JoinHostPort(ip, strconv.Itoa(port))
	nc, err := b.connect(ctx, ip, lk.addr)
	if err != nil {
		b.o.Log.Debug("cluster bus: no link", "addr", lk.addr, "error", err)
		lk.end()
		return
	}
	b.keepAlive(nc)
	if !lk.connected(nc) {
		nc.Close()
		return
	}
	b.o.Report(gossip.LinkUp{Link: lk.id, LocalIP: host(nc.LocalAddr())})
	lk.read(nc)
}

// connect dials, after a pause if the address has failed often.
func (b *Bus) connect(ctx context.Context, ip, addr string) (net.Conn, error) {
	// A peer may have told the address: it must not make this node ask a
	// name server.
	if _, err := netip.ParseAddr(ip); err != nil {
		return nil, err
	}
	b.mu.Lock()
	pause := b.backoff.pause(addr)
	b.mu.Unlock()
	if pause > 0 {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	ctx, cancel := context.WithTimeout(ctx, b.timeout())
	defer cancel()
	return b.o.Dial(ctx, addr)
}

// keepAlive lets the system find out about peers that are gone without a word.
// That frames leave at once (TCP_NODELAY) is what Go does by itself.
func (b *Bus) keepAlive(nc net.Conn) {
	if tc, ok := nc.(*net.TCPConn); ok {
		idle := 2 * b.timeout()
		tc.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: idle, Interval: max(idle/3, time.Second), Count: 3})
	}
}

// host is an address without its port, as frames carry it: without a zone,
// which means something on this host alone.
func host(a net.Addr) string {
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return ""
	}
	return ap.Addr().Unmap().WithZone("").String()
}

// backoff slows down the dialling of addresses where nobody answers. The state
// machine dials every 100 ms, as Redis does, so that a node which was restarted
// is found at once; for hundreds of nodes that stay away that is too much.
type backoff struct {
	failures map[string]failure
}

type failure struct {
	count int
	last  time.Time
}

const (
	// patientDials go out at the pace of the machine.
	patientDials = 10
	firstPause   = 50 * time.Millisecond
	maxPause     = 500 * time.Millisecond

	// Addresses come from peers: beyond this many those are dropped that were
	// not dialled lately.
	maxFailures = 4096
	staleAfter  = 10 * time.Second
)

func (f *backoff) pause(addr string) time.Duration {
	beyond := f.failures[addr].count - patientDials
	if beyond <= 0 {
		return 0
	}
	return min(firstPause<<min(beyond-1, 10), maxPause)
}

// failed notes that an address could not be reached, or that whoever is there
// hung up before saying anything.
func (f *backoff) failed(addr string, now time.Time) {
	if f.failures == nil {
		f.failures = make(map[string]failure)
	}
	if _, known := f.failures[addr]; !known && len(f.failures) >= maxFailures {
		for a, old := range f.failures {
			if now.Sub(old.last) > staleAfter {
				delete(f.failures, a)
			}
		}
		if len(f.failures) >= maxFailures {
			return
		}
	}
	f.failures[addr] = failure{f.failures[addr].count + 1, now}
}

func (f *backoff) answered(addr string) { delete(f.failures, addr) }
