//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// standIn is just enough of a server to be measured: HELLO, SUBSCRIBE and
// PUBLISH. It can lose, repeat and hang up on purpose.
type standIn struct {
	t        *testing.T
	listener net.Listener

	mu          sync.Mutex // guards the rest
	subscribers []*standInConn
	published   int

	// lose is the message that the first subscriber does not get, repeat
	// the one that it gets twice, hangUpAt the one before which it is closed;
	// zero for none.
	lose, repeat, hangUpAt int
}

type standInConn struct {
	net.Conn
	resp3 bool
}

func startStandIn(t *testing.T, s *standIn) *contender {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.t, s.listener = t, l
	var running sync.WaitGroup
	running.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { s.serve(nc) }) // ends when the client hangs up
		}
	})
	t.Cleanup(func() {
		l.Close()
		running.Wait()
	})
	return &contender{Name: "stand-in", Attach: l.Addr().String()}
}

func (s *standIn) serve(nc net.Conn) {
	defer nc.Close()
	c := &standInConn{Conn: nc}
	in := bufio.NewReader(nc)
	for {
		args, err := readCommand(in)
		if err != nil {
			return
		}
		s.mu.Lock()
		switch args[0] {
		case "PING":
			io.WriteString(nc, "+PONG\r\n")
		case "HELLO":
			c.resp3 = true
			io.WriteString(nc, "%1\r\n$5\r\nproto\r\n:3\r\n")
		case "SUBSCRIBE":
			s.subscribers = append(s.subscribers, c)
			fmt.Fprintf(nc, "*3\r\n$9\r\nsubscribe\r\n$%d\r\n%s\r\n:1\r\n", len(args[1]), args[1])
		case "PUBLISH":
			s.publish(args[1], args[2])
			fmt.Fprintf(nc, ":%d\r\n", len(s.subscribers))
		default:
			io.WriteString(nc, "-ERR unknown command\r\n")
		}
		s.mu.Unlock()
	}
}

func (s *standIn) publish(channel, payload string) {
	s.published++
	for i, c := range s.subscribers {
		frame := appendCommand(nil, "message", channel, payload)
		if c.resp3 {
			frame[0] = '>'
		}
		if i == 0 {
			switch s.published {
			case s.lose:
				continue
			case s.repeat:
				c.Write(frame)
			case s.hangUpAt:
				c.Close()
			}
		}
		c.Write(frame)
	}
}

func readCommand(in *bufio.Reader) (args []string, err error) {
	line := func() string {
		text, e := in.ReadString('\n')
		if e != nil {
			err = e
		}
		return strings.TrimSpace(text)
	}
	count := func(kind string) int {
		n, e := strconv.Atoi(strings.TrimPrefix(line(), kind))
		if e != nil && err == nil {
			err = e
		}
		return n
	}
	for range count("*") {
		b := make([]byte, count("$")+2)
		if err != nil {
			return nil, err
		}
		if _, err = io.ReadFull(in, b); err != nil {
			return nil, err
		}
		args = append(args, string(b[:len(b)-2]))
	}
	if err == nil && len(args) == 0 {
		err = io.ErrUnexpectedEOF
	}
	return args, err
}

// brief is long enough for a few messages of every kind of load.
var brief = timing{Warmup: 20 * time.Millisecond, Duration: 250 * time.Millisecond}

func measureOnce(t *testing.T, m measurement, c *contender) (values, error) {
	t.Helper()
	in, err := c.start(t.Context(), m.clients(), false)
	require.NoError(t, err)
	defer in.stop()
	return m.measure(t.Context(), in)
}

// loads are the ways to send, small.
var loads = map[string]fanoutSpec{
	"acknowledgement":      {depth: 1},
	"acknowledgement of 8": {depth: 8, resp: "3"},
	"receipt":              {depth: 2, byReceipt: true, publishers: 2, resp: "mixed"},
	"rate":                 {rate: 500, publishers: 2},
}

func small(s fanoutSpec, kind string) fanoutSpec {
	s.kind, s.subscribers, s.payload, s.readers = mustKind(kind), 5, 40, 2
	s.publishers = max(s.publishers, 1)
	if s.resp == "" {
		s.resp = "2"
	}
	if s.kind.slots {
		s.payload, s.rows, s.publishers = 0, 3, 1
	}
	return s
}

func requireClean(t *testing.T, v values) {
	t.Helper()
	require.Positive(t, v[keyDeliveries])
	require.Positive(t, v[keyMessages])
	require.Zero(t, v[keyLost], "lost")
	require.Zero(t, v[keyRepeated], "repeated")
	require.Zero(t, v[keyClosed], "closed")
	require.Positive(t, v[keyTimed], "timed")
}

func TestFanoutOfAStandIn(t *testing.T) {
	for name, spec := range loads {
		t.Run(name, func(t *testing.T) {
			v, err := measureOnce(t, &fanout{spec: small(spec, "channel"), timing: brief}, startStandIn(t, &standIn{}))
			require.NoError(t, err)
			requireClean(t, v)
			require.NotContains(t, v, keyServerCPU, "of a process that is not known")
		})
	}
}

func TestFanoutNoticesWhatAServerDoesWrong(t *testing.T) {
	m := &fanout{spec: small(fanoutSpec{depth: 2}, "channel"), timing: brief}
	v, err := measureOnce(t, m, startStandIn(t, &standIn{lose: 3}))
	require.NoError(t, err)
	require.Equal(t, 1.0, v[keyLost])

	v, err = measureOnce(t, m, startStandIn(t, &standIn{repeat: 3}))
	require.NoError(t, err)
	require.Equal(t, []float64{0, 1}, []float64{v[keyLost], v[keyRepeated]})

	v, err = measureOnce(t, m, startStandIn(t, &standIn{hangUpAt: 3}))
	require.NoError(t, err)
	require.Equal(t, []float64{0, 1}, []float64{v[keyLost], v[keyClosed]})
}

func TestBurstOnAStandIn(t *testing.T) {
	spec := small(fanoutSpec{depth: 4, messages: 50}, "channel")
	v, err := measureOnce(t, &idleMemory{spec: spec}, startStandIn(t, &standIn{}))
	require.NoError(t, err)
	require.Zero(t, v[keyLost])
	require.NotContains(t, v, keyIdle, "of a process that is not known")
}

// Every kind of channel that Redis has, on a real one.
func TestFanoutOfRedis(t *testing.T) {
	s := redistest.Start(t)
	c := &contender{Name: redisName, Attach: s.Addr, pid: s.Pid}
	for _, kind := range []string{"channel", "pattern", "shard"} {
		for name, spec := range loads {
			t.Run(kind+"/"+name, func(t *testing.T) {
				v, err := measureOnce(t, &fanout{spec: small(spec, kind), timing: brief}, c)
				require.NoError(t, err)
				requireClean(t, v)
			})
		}
	}
	require.Contains(t, c.Version, "redis_version 7")
}

// The servers are started and stopped as in a real run, in turn, and a report
// comes out.
func TestRunner(t *testing.T) {
	redis := redistest.Bin(t, "redis-server")
	benchmark := redistest.Bin(t, "redis-benchmark")
	contenders := []*contender{
		{Name: "other", Command: redisCommand(redis)},
		{Name: redisName, Command: redisCommand(redis)},
	}
	r := &runner{contenders: contenders, rounds: 2, unix: true, reference: redisName, progress: io.Discard}
	memory := small(fanoutSpec{depth: 4, messages: 20}, "channel")
	memory.subscribers = 500
	for _, m := range []measurement{
		&fanout{spec: small(fanoutSpec{depth: 1}, "channel"), timing: brief},
		&idleMemory{spec: memory},
		&commandRate{benchmark: benchmark, tests: []string{"get"}, connections: 2, pipeline: 4, value: 3, timing: brief,
			requests: map[string]int{"get": 200}},
		&requestRate{tests: []string{"set", "get"}, connections: 3, pipeline: 4, value: 3, keys: 1500, threads: 2, timing: brief},
	} {
		res, err := r.run(t.Context(), m)
		require.NoError(t, err)
		var order []string
		for _, one := range res.rounds {
			require.Empty(t, one.Error)
			order = append(order, one.Server)
		}
		require.Equal(t, []string{"other", redisName, redisName, "other"}, order)
		var rep report
		rep.Reference = redisName
		rep.add(res)
		key := m.figures()[0].Key
		require.Positive(t, rep.Measurements[0].Servers[redisName][key].Median, key)
		require.Contains(t, rep.Measurements[0].Ratios["other"], key)
	}
}

// Slot changes in every form, on slotcast as it stands in the tree.
func TestFanoutOfSlotChanges(t *testing.T) {
	binary, err := buildSlotcast(t.Context(), t.TempDir())
	require.NoError(t, err)
	c := &contender{Name: slotcastName, Command: slotcastCommand(binary)}
	in, err := c.start(t.Context(), 100, false)
	require.NoError(t, err)
	defer in.stop()
	for _, kind := range channelKinds {
		t.Run(kind.name, func(t *testing.T) {
			m := &fanout{spec: small(fanoutSpec{depth: 2}, kind.name), timing: brief}
			v, err := m.measure(t.Context(), in)
			require.NoError(t, err)
			requireClean(t, v)
		})
	}
}
