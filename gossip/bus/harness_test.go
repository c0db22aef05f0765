package bus

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"slotcast/gossip"
	"slotcast/gossip/frame"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// machine stands in for the state machine: it takes the reports of one bus, one
// after the other, when the test asks for them.
type machine struct {
	*Bus
	t       *testing.T
	in      chan gossip.Input
	settled chan struct{} // taken as a report would be
	quit    chan struct{}
	limit   int64
	timeout time.Duration
}

// network is a network in memory: what dials an address gets to its listener.
type network struct {
	mu     sync.Mutex // guards dialled
	routes map[string]*pipeListener
	// dialled are the moments at which each address was dialled.
	dialled map[string][]time.Time
}

func newNetwork() *network {
	return &network{routes: map[string]*pipeListener{}, dialled: map[string][]time.Time{}}
}

var errRefused = errors.New("connection refused")

func (n *network) dial(ctx context.Context, addr string) (net.Conn, error) {
	n.mu.Lock()
	n.dialled[addr] = append(n.dialled[addr], time.Now())
	n.mu.Unlock()
	if addr == silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	l := n.routes[addr]
	if l == nil {
		return nil, errRefused
	}
	return l.connect()
}

// silent is an address from which nothing comes back.
const silent = "192.0.2.1:1"

func (n *network) timesOf(addr string) []time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dialled[addr]
}

// pipeListener is a listener in memory.
type pipeListener struct {
	conns chan net.Conn
	errs  chan error
	once  sync.Once
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), errs: make(chan error), done: make(chan struct{})}
}

func (l *pipeListener) connect() (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.done:
		return nil, errRefused
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case err := <-l.errs:
		return nil, err
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// newMachine returns a machine whose bus ends with the test, or with stop.
func newMachine(t *testing.T, n *network) *machine {
	m := &machine{
		t: t, in: make(chan gossip.Input), settled: make(chan struct{}), quit: make(chan struct{}),
		timeout: 15 * time.Second,
	}
	o := Options{
		Report: func(in gossip.Input) {
			select {
			case m.in <- in:
			case <-m.quit:
			}
		},
		Settle: func() {
			select {
			case m.settled <- struct{}{}:
			case <-m.quit:
			}
		},
		Log:       slog.New(slog.DiscardHandler),
		SendLimit: func() int64 { return m.limit },
		Timeout:   func() time.Duration { return m.timeout },
	}
	if n != nil {
		o.Dial = n.dial
	}
	m.Bus = New(o)
	return m
}

func (m *machine) stop() {
	close(m.quit)
	m.Close()
}

func (m *machine) counts() (links, strangers, readers int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.links), len(m.strangers), m.readers
}

// listen makes the machine's bus reachable at addr.
func (m *machine) listen(n *network, addr string) *pipeListener {
	l := newPipeListener()
	n.routes[addr] = l
	m.Listen(l)
	return l
}

// patience bounds the waits on real sockets.
const patience = 20 * time.Second

// next returns the next report.
func (m *machine) next() gossip.Input {
	m.t.Helper()
	select {
	case in := <-m.in:
		return in
	case <-m.settled:
		require.Fail(m.t, "the bus waits for what follows from its reports")
	case <-time.After(patience):
		require.Fail(m.t, "no report")
	}
	return nil
}

func next[T gossip.Input](m *machine) T {
	m.t.Helper()
	in := m.next()
	got, is := in.(T)
	require.True(m.t, is, "got %#v", in)
	return got
}

// quiet checks that nothing is reported in a minute.
func (m *machine) quiet() {
	m.t.Helper()
	select {
	case in := <-m.in:
		require.Fail(m.t, "an unwanted report", "%#v", in)
	case <-time.After(time.Minute):
	}
}

// captures are the recorded frames, by name.
func captures(t testing.TB) map[string][]byte {
	files, err := filepath.Glob("../testdata/captures/*.hex")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := make(map[string][]byte)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		raw, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
		require.NoError(t, err)
		all[strings.TrimSuffix(filepath.Base(f), ".hex")] = raw
	}
	return all
}

// publish is a frame with a payload of so many bytes.
func publish(size int) []byte {
	m := &frame.Message{Type: frame.TypePublish}
	m.Publish = frame.Publish{Channel: []byte("c"), Payload: make([]byte, size)}
	return frame.Append(nil, m)
}

func write(t *testing.T, nc net.Conn, b []byte) {
	t.Helper()
	_, err := nc.Write(b)
	require.NoError(t, err)
}
