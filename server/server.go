// Package server is the client side of the node: it accepts connections, reads
// commands, checks them against the one command table, runs them under the
// locks they need, and writes replies and pushed messages in one order.
//
// A command's way: socket → framed within limits (resp2) → dispatch (arity,
// permission, mode) → slot lock, view, redirection → handler → outbox → socket.
// A slot change's way: CLUSTER command → owner → gossip.Node → commit → rows →
// outboxes → sockets.
//
// Lock order, everywhere: owner → slots ascending → commit → registry shard →
// outbox. Whoever holds one of them never waits for the owner, and does no I/O,
// save the owner's fsync for the few commands whose check depends on keys.
package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"slotcast/channels"
	"slotcast/clusterstate"
	"slotcast/config"
	"slotcast/keyspace"
	"slotcast/nodesfile"
)

// Options are what a server is made of.
type Options struct {
	Config  *config.Config
	Log     *slog.Logger
	Storage nodesfile.Storage
	Version string
	// Formed says that Storage has the nodes.conf of a cluster that begins now,
	// with all its nodes: there is nothing to wait for.
	Formed bool
	// Fatal is told of an error after which the node must not go on. It
	// should end the process.
	Fatal func(error)

	// DialBus connects to the bus of another node, at host:port; nil is plain
	// TCP. Who wants to cut nodes off from each other puts itself in its place.
	DialBus func(ctx context.Context, addr string) (net.Conn, error)
}

// Server is one node. New starts its owner; Serve accepts clients; Close ends
// everything that either started.
type Server struct {
	config  *config.Config
	log     *slog.Logger
	version string
	fatal   func(error)
	started time.Time
	clock   *clock
	runID   string
	// replicationID names the history of this node to replicas.
	replicationID atomic.Value // string

	commands *table
	keys     *keyspace.Keyspace
	channels *channels.Registry
	topology *topology
	owner    *owner
	flusher  *flusher
	loops    loops
	pause    pause
	busy     busyWaits
	targets  *targets
	monitors monitors
	caches   caches
	stats    stats
	memory   memory
	slowlog  slowlog
	latency  latency
	family   family
	movers   movers

	// giveWay is called between the steps of a walk over all keys, with no lock
	// held. A test puts itself in its place.
	giveWay func()

	// keepExpired is set by DEBUG SET-ACTIVE-EXPIRE 0.
	keepExpired atomic.Bool

	nextConnID atomic.Int64
	conns      connTable

	mu        sync.Mutex // guards listeners, bound and closing
	listeners []net.Listener
	bound     map[endpoint]net.Listener // those that port and bind ask for
	closing   bool
	// stop is closed when the server begins to end; the goroutines of cron and
	// the accept loops watch it.
	stop     chan struct{}
	running  sync.WaitGroup // cron, accept loops, connections
	shutdown chan ShutdownRequest
}

// ShutdownRequest is what SHUTDOWN asks of main.
type ShutdownRequest struct{ Now, Force bool }

// New loads the cluster state and starts the node, which serves nobody yet.
func New(o Options) (*Server, error) {
	s := &Server{
		config:   o.Config,
		log:      o.Log,
		version:  o.Version,
		fatal:    o.Fatal,
		started:  time.Now(),
		clock:    newClock(),
		runID:    randomHex(20),
		channels: channels.New(),
		giveWay:  runtime.Gosched,
		stop:     make(chan struct{}),
		shutdown: make(chan ShutdownRequest, 1),
	}
	s.commands = newTable(
		connectionCommands(), clientCommands(), monitorCommands(), waitCommands(),
		stringCommands(), bitmapCommands(), lcsCommands(),
		genericCommands(), dumpCommands(), migrateCommands(), functionCommands(), transactionCommands(), pubsubCommands(), clusterCommands(),
		serverCommands(), configCommands(), introspectionCommands(),
	)
	s.replicationID.Store(randomHex(20))
	s.memory.server, s.latency.server, s.caches.server = s, s, s
	s.keys = keyspace.New(keyspace.Options{Seed: randomUint64(), Hook: s.keyChanged, Started: s.started.UnixMilli()})
	if err := s.fitClients(); err != nil {
		return nil, err
	}
	s.applyNotify(o.Config.Values())
	if err := s.startOwner(o); err != nil {
		return nil, err
	}
	s.memory.start()
	var err error
	if s.flusher, err = newFlusher(); err != nil {
		s.owner.close()
		return nil, err
	}
	if err := s.loops.open(); err != nil {
		s.owner.close()
		s.flusher.close()
		return nil, err
	}
	s.targets = newTargets()
	s.running.Add(1)
	go func() { // ends when stop is closed
		defer s.running.Done()
		s.cron()
	}()
	return s, nil
}

// Shutdown is where a SHUTDOWN command arrives.
func (s *Server) Shutdown() <-chan ShutdownRequest { return s.shutdown }

// Describe says who this node is and which slots it owns, for the log.
func (s *Server) Describe() (id, slots string) {
	v := s.topology.current()
	n := 0
	var ranges []string
	for _, r := range v.OwnedRanges() {
		if r.Owner == v.Myself() {
			n += int(r.End-r.Start) + 1
			ranges = append(ranges, fmt.Sprintf("%d-%d", r.Start, r.End))
		}
	}
	slots = "no slots"
	if n > 0 {
		slots = fmt.Sprintf("%d slots (%s)", n, strings.Join(ranges, " "))
	}
	return string(v.Myself().ID), slots
}

// View is the map by which clients are redirected now.
func (s *Server) View() *clusterstate.View { return s.topology.current() }

// Close stops accepting, lets the replies that are ready leave, ends every
// connection, and waits for all goroutines. ctx bounds the friendly part; one
// that is over already makes this the end of a process that is killed.
func (s *Server) Close(ctx context.Context) {
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return
	}
	s.closing = true
	close(s.stop)
	for _, l := range s.listeners {
		l.Close()
	}
	s.mu.Unlock()
	for _, c := range s.conns.all() {
		c.outbox.closeSoon("server shutdown")
	}
	s.targets.close() // after that, lest a command that waits for a key sees it free and runs
	done := make(chan struct{})
	go func() { // ends when every connection has
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		for _, c := range s.conns.all() {
			c.socket.shutdown()
		}
		<-done
	}
	s.owner.close()
	s.flusher.close()
	s.loops.close()
}

// connTable is the list of connections.
type connTable struct {
	mu   sync.Mutex // guards byID
	byID map[int64]*conn
}

func (t *connTable) add(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = make(map[int64]*conn)
	}
	t.byID[c.id] = c
}

func (t *connTable) remove(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, c.id)
}

// living returns the connections that nobody has ended, in the order of their
// ids. The others are about to leave the list.
func (t *connTable) living() []*conn {
	return slices.DeleteFunc(t.all(), func(c *conn) bool { return c.killed.Load() })
}

// listed returns the connections that CLIENT LIST shows.
func (t *connTable) listed() []*conn {
	return slices.DeleteFunc(t.all(), func(c *conn) bool { return !c.listed() })
}

// get returns the connection with an id, nil if there is none.
func (t *connTable) get(id int64) *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// find returns the living connection with an id, nil if there is none.
func (t *connTable) find(id int64) *conn {
	if c := t.get(id); c != nil && !c.killed.Load() {
		return c
	}
	return nil
}

func (t *connTable) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID)
}

// appendAll appends the connections in no order.
func (t *connTable) appendAll(list []*conn) []*conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	list = slices.Grow(list, len(t.byID))
	for _, c := range t.byID {
		list = append(list, c)
	}
	return list
}

// all returns the connections in the order of their ids.
func (t *connTable) all() []*conn {
	list := t.appendAll(nil)
	slices.SortFunc(list, func(a, b *conn) int { return cmp.Compare(a.id, b.id) })
	return list
}

func (s *Server) forget(c *conn) { s.conns.remove(c) }

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func randomUint64() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}
