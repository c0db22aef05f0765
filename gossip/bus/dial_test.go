package bus

import (
	"fmt"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/gossip"
)

// TestADialThatGoesNowhere: it ends at the node timeout, or when the machine
// gives the link up, and in the second case without a word.
func TestADialThatGoesNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newMachine(t, newNetwork())
		defer a.stop()
		begin := time.Now()
		a.Dial(1, "192.0.2.1", 1)
		a.Send(1, publish(1))
		require.Equal(t, gossip.LinkDown{Link: 1}, a.next())
		require.Equal(t, a.timeout, time.Since(begin))

		a.Dial(2, "192.0.2.1", 1)
		synctest.Wait()
		a.CloseLink(2)
		a.quiet()
		links, _, _ := a.counts()
		require.Zero(t, links)

		a.timeout = 0
		begin = time.Now()
		a.Dial(3, "192.0.2.1", 1)
		require.Equal(t, gossip.LinkDown{Link: 3}, a.next())
		require.Equal(t, time.Second, time.Since(begin), "a dial needs time in any case")
		a.Dial(4, "192.0.2.1", 1)
		synctest.Wait() // and Close ends it
	})
}

// TestNamesAreNotLookedUp: an address comes from a peer, which must not choose
// what this node asks a name server.
func TestNamesAreNotLookedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		a := newMachine(t, n)
		defer a.stop()
		for id, name := range []string{"example.org", "", "127.0.0.1:80", "127.1"} {
			a.Dial(gossip.LinkID(id), name, 17000)
			require.Equal(t, gossip.LinkDown{Link: gossip.LinkID(id)}, a.next())
		}
		require.Empty(t, n.dialled)
	})
}

// redial dials as the state machine does: each 100 ms if there is no link.
func (m *machine) redial(id *gossip.LinkID, times int) {
	for range times {
		*id++
		m.Dial(*id, "127.0.0.2", 17000)
		for {
			if _, down := m.next().(gossip.LinkDown); down {
				break
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestDiallingSlowsDown where nobody answers, be it that the address refuses or
// that it hangs up at once; and it is as quick as ever once somebody did.
func TestDiallingSlowsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		a := newMachine(t, n)
		defer a.stop()
		var id gossip.LinkID
		a.redial(&id, 15)

		l := newPipeListener()
		n.routes[addrB] = l
		go func() { // ends with the listener
			for {
				nc, err := l.Accept()
				if err != nil {
					return
				}
				nc.Close()
			}
		}()
		a.redial(&id, 5)
		times := n.timesOf(addrB)
		for i, want := range []time.Duration{9: 100, 10: 150, 11: 200, 12: 300, 13: 500, 14: 600, 18: 600} {
			if want != 0 {
				require.Equal(t, want*time.Millisecond, times[i+1].Sub(times[i]), "after %d dials", i+1)
			}
		}

		l.Close()
		b := newMachine(t, n)
		defer b.stop()
		b.listen(n, addrB)
		id++
		a.Dial(id, "127.0.0.2", 17000)
		next[gossip.LinkUp](a)
		a.Send(id, publish(0))
		back := next[gossip.Accepted](b).Link
		next[gossip.Received](b)
		b.Send(back, publish(0))
		next[gossip.Received](a)
		b.CloseLink(back)
		next[gossip.LinkDown](a)
		require.Empty(t, a.backoff.failures)
	})
}

func TestBackoffForgetsOldAddresses(t *testing.T) {
	var f backoff
	now := time.Unix(1000, 0)
	for i := range maxFailures + 10 {
		f.failed(fmt.Sprint(i), now)
	}
	require.Len(t, f.failures, maxFailures)
	f.failed("new", now.Add(staleAfter+1))
	require.Len(t, f.failures, 1)
}

// TestTheSocketsOfALink: a link over IPv6, whose both ends send at once and are
// watched by the system.
func TestTheSocketsOfALink(t *testing.T) {
	for _, ip := range []string{"127.0.0.1", "::1"} {
		t.Run(ip, func(t *testing.T) {
			l, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
			if err != nil && ip == "::1" {
				t.Skipf("no IPv6 here: %v", err)
			}
			require.NoError(t, err)
			a, b := newMachine(t, nil), newMachine(t, nil)
			defer a.stop()
			defer b.stop()
			b.Listen(l)
			a.Dial(1, ip, l.Addr().(*net.TCPAddr).Port)
			require.Equal(t, gossip.LinkUp{Link: 1, LocalIP: ip}, a.next())
			a.Send(1, publish(0))
			accepted := next[gossip.Accepted](b)
			require.Equal(t, gossip.Accepted{Link: accepted.Link, LocalIP: ip, PeerIP: ip}, accepted)
			next[gossip.Received](b)
			for _, lk := range []*link{a.link(1), b.link(accepted.Link)} {
				raw, err := lk.conn.(*net.TCPConn).SyscallConn()
				require.NoError(t, err)
				require.NoError(t, raw.Control(func(fd uintptr) {
					for _, option := range [][2]int{{syscall.SOL_SOCKET, syscall.SO_KEEPALIVE}, {syscall.IPPROTO_TCP, syscall.TCP_NODELAY}} {
						on, err := syscall.GetsockoptInt(int(fd), option[0], option[1])
						require.NoError(t, err)
						require.NotZero(t, on)
					}
				}))
			}
		})
	}
}

func TestHostOfAnAddress(t *testing.T) {
	tcp := func(ip, zone string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 1, Zone: zone} }
	require.Equal(t, "10.0.0.1", host(tcp("10.0.0.1", "")))
	require.Equal(t, "10.0.0.1", host(tcp("::ffff:10.0.0.1", "")))
	require.Equal(t, "fe80::1", host(tcp("fe80::1", "eth0")))
	require.Empty(t, host(&net.UnixAddr{Name: "/x"}))
}
