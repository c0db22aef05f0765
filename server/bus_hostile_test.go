package server

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/config"
	"slotcast/gossip/frame"
	"slotcast/nodesfile"
)

var busFrames = flag.Int("busframes", 100_000, "how many frames the tests of the cluster bus send at a node")

// busNode is a node of a cluster in this process, with its bus.
type busNode struct {
	*testServer
	id  clusterstate.NodeID
	bus string // address
}

// startBusNodes starts nodes that are a cluster, each with its part of the
// slots. They dial nobody but each other, whatever address they are told.
func startBusNodes(t *testing.T, n int) []*busNode {
	t.Helper()
	nodes := make([]*busNode, n)
	clients, buses := make([]net.Listener, n), make([]net.Listener, n)
	lines := make([]clusterstate.NodeLine, n)
	mayDial := map[string]bool{}
	for i := range n {
		var err error
		clients[i], err = net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		buses[i], err = net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		mayDial[buses[i].Addr().String()] = true
		lines[i] = clusterstate.NodeLine{
			ID: clusterstate.NodeID(randomHex(20)), ShardID: randomHex(20), IP: "127.0.0.1",
			Port: clients[i].Addr().(*net.TCPAddr).Port, BusPort: buses[i].Addr().(*net.TCPAddr).Port,
			Flags: clusterstate.LinePrimary, ConfigEpoch: uint64(i + 1),
			Slots: []clusterstate.SlotRange{{Start: uint16(i * clusterstate.Slots / n), End: uint16((i+1)*clusterstate.Slots/n - 1)}},
		}
	}
	for i := range n {
		own := slices.Clone(lines)
		own[i].Flags |= clusterstate.LineMyself
		conf := clusterstate.NodesConf{Nodes: own, CurrentEpoch: uint64(n)}
		storage := nodesfile.NewMemory()
		require.NoError(t, storage.Save(conf.Append(nil), true))
		c, _, err := config.Load([]string{
			"--port", strconv.Itoa(lines[i].Port), "--cluster-port", strconv.Itoa(lines[i].BusPort), "--cluster-node-timeout", "5000",
		}, nil)
		require.NoError(t, err)
		s, err := New(Options{
			Config: c, Log: slog.New(slog.DiscardHandler), Storage: storage, Version: "test", Formed: true,
			Fatal: func(err error) { t.Errorf("the node had to end: %v", err) },
			DialBus: func(ctx context.Context, addr string) (net.Conn, error) {
				if !mayDial[addr] {
					return nil, errors.New("not in this test")
				}
				var d net.Dialer
				return d.DialContext(ctx, "tcp", addr)
			},
		})
		require.NoError(t, err)
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			s.Close(ctx)
		})
		s.Listen(clients[i])
		s.owner.bus.Listen(buses[i])
		nodes[i] = &busNode{&testServer{s, clients[i].Addr().String()}, lines[i].ID, buses[i].Addr().String()}
	}
	return nodes
}

// healthy checks that a node sees all as it should be: every node is there, none
// is suspected, all links stand.
func (b *busNode) healthy(c *client, nodes int) error {
	if info := c.do("CLUSTER", "INFO"); !strings.Contains(info, "cluster_state:ok") {
		return fmt.Errorf("not ok: %s", info)
	}
	seen := 0
	text := c.do("CLUSTER", "NODES")
	for line := range strings.Lines(text) {
		if len(strings.Fields(line)) < 8 || strings.Contains(line, "handshake") {
			continue
		}
		seen++
		if strings.Contains(line, "fail") || !strings.Contains(line, " connected ") {
			return errors.New(text)
		}
	}
	if seen != nodes {
		return fmt.Errorf("%d nodes: %s", seen, text)
	}
	return nil
}

// awaitHealth returns when a node sees all as it should be.
func (b *busNode) awaitHealth(c *client, nodes int) {
	c.t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if err = b.healthy(c, nodes); err == nil {
			return
		}
	}
	require.NoError(c.t, err)
}

// attack is what sends frames at a bus port.
type attack struct {
	captures [][]byte
	ids      []clusterstate.NodeID // to forge the sender of some frames from, if any
	target   string
	left     atomic.Int64 // frames to be sent yet
	visits   atomic.Int64
}

func newAttack(t testing.TB, target string, frames int) *attack {
	files, err := filepath.Glob("../gossip/testdata/captures/*.hex")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	a := &attack{target: target}
	a.left.Store(int64(frames))
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		raw, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
		require.NoError(t, err)
		a.captures = append(a.captures, raw)
	}
	return a
}

// Offsets in a frame, as of protocol version 1.
const (
	busLength, busVersion, busType, busCount, busSender = 4, 8, 12, 14, 40
	busHeader, busIDLen                                 = 2256, 40
)

// frame makes one more frame: a captured one with a few bytes changed, often
// where numbers and ids are, sometimes longer or shorter than it was.
func (a *attack) frame(random *rand.Rand) []byte {
	b := slices.Clone(a.captures[random.IntN(len(a.captures))])
	// What ends the link at once comes seldom, or most of what follows would
	// never be read: light frames of strangers, frames shorter than a header.
	shortest := busHeader
	if random.IntN(50) == 0 {
		shortest = 16
	}
	for len(b) < shortest {
		b = slices.Clone(a.captures[random.IntN(len(a.captures))])
	}
	for range random.IntN(4) {
		at := busVersion + random.IntN(len(b)-busVersion)
		switch random.IntN(4) {
		case 0:
			at = busVersion + random.IntN(min(busSender, len(b))-busVersion)
		case 1:
			if len(b) > busHeader {
				at = busHeader - 60 + random.IntN(min(60+200, len(b)-busHeader+60))
			}
		}
		switch random.IntN(3) {
		case 0:
			b[at] = byte(random.Uint32())
		case 1:
			b[at] ^= 1 << random.IntN(8)
		case 2:
			b[at] += byte(random.IntN(5)) - 2
		}
	}
	switch random.IntN(20) {
	case 0:
		b = b[:shortest+random.IntN(len(b)-shortest+1)]
	case 1:
		b = append(b, make([]byte, random.IntN(300))...)
	case 2:
		binary.BigEndian.PutUint16(b[busVersion:], uint16(random.Uint32()))
	case 3:
		binary.BigEndian.PutUint16(b[busType:], uint16(random.Uint32()))
	case 4: // noise in place of all but signature and length
		for i := busVersion; i < len(b); i++ {
			b[i] = byte(random.Uint32())
		}
		binary.BigEndian.PutUint16(b[busType:], uint16(random.IntN(frame.Types)))
	}
	if len(a.ids) > 0 && len(b) >= busHeader {
		a.forge(random, b)
	}
	if random.IntN(1000) > 0 {
		binary.BigEndian.PutUint32(b[busLength:], uint32(len(b)))
	}
	return b
}

// forge puts ids of the cluster where ids stand.
func (a *attack) forge(random *rand.Rand, b []byte) {
	places := []int{busSender, busSender, busSender, 2128, busHeader, busHeader + 8}
	for range 1 + random.IntN(3) {
		at := places[random.IntN(len(places))]
		if at+busIDLen <= len(b) {
			copy(b[at:], a.ids[random.IntN(len(a.ids))])
		}
	}
	if random.IntN(4) > 0 {
		copy(b[busSender:], a.ids[random.IntN(len(a.ids))])
	}
}

// visit connects, does one kind of harm, and leaves.
func (a *attack) visit(random *rand.Rand) error {
	nc, err := net.Dial("tcp", a.target)
	if err != nil {
		return err
	}
	a.visits.Add(1)
	var drained sync.WaitGroup
	drained.Go(func() { io.Copy(io.Discard, nc) }) // ends with the connection
	defer nc.Close()
	defer drained.Wait()
	// Closed altogether, the connection would take along what is not read yet.
	defer nc.(*net.TCPConn).CloseWrite()
	switch random.IntN(12) {
	case 0: // a giant is announced
		head := slices.Clone(a.captures[0][:busHeader])
		binary.BigEndian.PutUint32(head[busLength:], random.Uint32()|1<<uint(random.IntN(32)))
		nc.Write(head)
		a.left.Add(-1)
	case 1: // bytes drip
		for _, c := range a.frame(random)[:16] {
			if _, err := nc.Write([]byte{c}); err != nil {
				break
			}
		}
		a.left.Add(-1)
	case 2: // cut in the middle
		b := a.frame(random)
		nc.Write(b[:random.IntN(len(b))])
		a.left.Add(-1)
	case 3: // not the protocol at all
		b := make([]byte, random.IntN(4000))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		nc.Write(b)
		a.left.Add(-1)
	default:
		for range 1 + random.IntN(20) {
			var batch []byte
			count := 1 + random.IntN(20)
			for range count {
				batch = append(batch, a.frame(random)...)
			}
			if _, err := nc.Write(batch); err != nil {
				break
			}
			a.left.Add(-int64(count))
		}
	}
	return nil
}

// run attacks until all frames are sent, and calls look ten times meanwhile.
func (a *attack) run(t *testing.T, look func()) {
	total := a.left.Load()
	var attackers sync.WaitGroup
	for seed := range uint64(6) {
		attackers.Go(func() { // ends when enough is sent
			random := rand.New(rand.NewPCG(seed, 9))
			for a.left.Load() > 0 {
				if err := a.visit(random); err != nil {
					t.Errorf("the port does not answer: %v", err)
					return
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { // ends with the attackers
		attackers.Wait()
		close(ended)
	}()
	pace := time.NewTicker(20 * time.Millisecond)
	defer pace.Stop()
	for step := int64(9); ; {
		select {
		case <-ended:
			return
		case <-pace.C:
		}
		if left := a.left.Load(); left < total*step/10 {
			step--
			look()
		}
	}
}

func framesToSend() int {
	if testing.Short() {
		return *busFrames / 10
	}
	return *busFrames
}

// received is how many frames a node says it has got.
func received(c *client) int {
	c.t.Helper()
	found := regexp.MustCompile(`cluster_stats_messages_received:(\d+)`).FindStringSubmatch(c.do("CLUSTER", "INFO"))
	require.NotNil(c.t, found)
	n, err := strconv.Atoi(found[1])
	require.NoError(c.t, err)
	return n
}

// TestStrangersAtTheBus sends random and damaged frames, of nobody in the
// cluster, at the bus port of one of two nodes. Both stay well and in touch all
// the time, nothing grows, and nothing is left when it is over.
func TestStrangersAtTheBus(t *testing.T) {
	nodes := startBusNodes(t, 2)
	var clients []*client
	for _, n := range nodes {
		c := n.dial(t)
		require.NoError(t, c.SetDeadline(time.Now().Add(time.Hour)))
		clients = append(clients, c)
		n.awaitHealth(c, 2)
	}
	before, routines := heap(), runtime.NumGoroutine()
	maps := [][]clusterstate.OwnedRange{nodes[0].topology.current().OwnedRanges(), nodes[1].topology.current().OwnedRanges()}
	var most int64
	a := newAttack(t, nodes[0].bus, framesToSend())
	began, frames := time.Now(), a.left.Load()
	a.run(t, func() {
		most = max(most, heap())
		for i, n := range nodes {
			require.NoError(t, n.healthy(clients[i], 2))
		}
	})
	got := received(clients[0])
	t.Logf("%d frames sent in %d visits and %v, %d received whole; heap %d KB before and at most %d KB more",
		frames-a.left.Load(), a.visits.Load(), time.Since(began).Round(time.Millisecond), got, before/1024, (most-before)/1024)
	require.Greater(t, got, int(frames)*2/5, "many frames must get past the first checks")
	require.Less(t, most-before, int64(64<<20), "what is on its way; all that came would be much more")
	for i, n := range nodes {
		n.awaitHealth(clients[i], 2)
		require.Equal(t, maps[i], n.topology.current().OwnedRanges(), "the map is what it was")
	}
	for end := time.Now().Add(patience); runtime.NumGoroutine() > routines+10 && time.Now().Before(end); {
		runtime.Gosched()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), routines+10)
}

// TestForgersAtTheBus does the same with the ids of the cluster's own nodes. The
// bus believes whoever names one, as in Redis, so slots may move and nodes be
// taken in or forgotten; but both nodes go on, and what they keep is bounded.
func TestForgersAtTheBus(t *testing.T) {
	nodes := startBusNodes(t, 2)
	var clients []*client
	for _, n := range nodes {
		c := n.dial(t)
		require.NoError(t, c.SetDeadline(time.Now().Add(time.Hour)))
		clients = append(clients, c)
		n.awaitHealth(c, 2)
	}
	before := heap()
	a := newAttack(t, nodes[0].bus, framesToSend()/10)
	a.ids = []clusterstate.NodeID{nodes[0].id, nodes[1].id}
	began, frames := time.Now(), a.left.Load()
	a.run(t, func() {
		for _, c := range clients {
			require.Equal(t, "+PONG\r\n", c.do("PING"))
		}
	})
	for i, c := range clients {
		require.Equal(t, "+PONG\r\n", c.do("PING"))
		require.Equal(t, nodes[i].id, nodes[i].topology.current().Myself().ID)
	}
	known := len(nodes[0].topology.current().Nodes())
	grown := heap() - before
	t.Logf("%d frames in %v; %d nodes known, heap %d KB more", frames-a.left.Load(), time.Since(began).Round(time.Millisecond), known, grown/1024)
	require.Less(t, grown, int64(64<<20))
}
