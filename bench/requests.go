//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// requestRate measures GET and SET with a load generator of its own, which
// costs a fraction of what redis-benchmark does: that one spends as much on a
// pipelined command as a server does, and so is what it measures.
type requestRate struct {
	tests       []string // set, get
	connections int
	pipeline    int
	value       int // bytes
	keys        int // the range that keys are drawn from, zero for one key
	threads     int // of the generator
	timing      timing
	profile     *profiler
}

func (m *requestRate) title() string {
	keys := "one key"
	if m.keys > 0 {
		keys = counted(m.keys, "key")
	}
	return fmt.Sprintf("%s, %s, depth %d, %d-byte values, %s",
		strings.Join(upper(m.tests), " and "), counted(m.connections, "connection"), m.pipeline, m.value, keys)
}

func upper(list []string) []string {
	out := slices.Clone(list)
	for i, s := range out {
		out[i] = strings.ToUpper(s)
	}
	return out
}

func (m *requestRate) settings() any {
	return struct {
		Kind        string   `json:"kind"`
		Tests       []string `json:"tests"`
		Connections int      `json:"connections"`
		Pipeline    int      `json:"pipeline"`
		Value       int      `json:"value_bytes"`
		Keys        int      `json:"keys"`
		Threads     int      `json:"generator_threads"`
		Warmup      float64  `json:"warmup_seconds"`
		Duration    float64  `json:"duration_seconds"`
	}{"requests", m.tests, m.connections, m.pipeline, m.value, m.keys, m.threads, m.timing.Warmup.Seconds(), m.timing.Duration.Seconds()}
}

// clients has room for those of the test before, which a server may not have
// parted with when the next one's come.
func (m *requestRate) clients() int          { return 2*m.connections + spareClients }
func (m *requestRate) suits(*contender) bool { return true }

func (m *requestRate) figures() []figure {
	var list []figure
	for _, t := range m.tests {
		name := strings.ToUpper(t)
		list = append(list,
			figure{Key: t + "_per_second", Label: name + "/s"},
			figure{Key: t + "_server_cpu_us", Label: name + " server CPU µs", decimals: 2},
			figure{Key: t + "_p50_us", Label: name + " batch p50, µs"},
			figure{Key: t + "_p99_us", Label: name + " batch p99, µs"},
			figure{Key: t + "_server_cores", Label: name + " cores: server", decimals: 2},
			figure{Key: t + "_generator_cores", Label: name + " cores: load generator", decimals: 2, noRatio: true},
		)
	}
	return append(list, figure{Key: keyOtherCores, Label: "cores: others on the machine", decimals: 2, noRatio: true})
}

func (m *requestRate) measure(ctx context.Context, in *instance) (values, error) {
	batches := m.batches()
	if err := m.fill(in); err != nil {
		return nil, err
	}
	out := values{keyOtherCores: 0}
	for _, test := range m.tests {
		if err := m.run(ctx, in, test, batches[test], out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (m *requestRate) key(i int) string { return fmt.Sprintf("key:%012d", i) }

// fill gives every key its value, so that GET finds what it asks for.
func (m *requestRate) fill(in *instance) error {
	fd, err := dial(in.network, in.addr)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	const atOnce = 1000
	value := strings.Repeat("x", m.value)
	for from := 0; from < max(m.keys, 1); from += atOnce {
		var b []byte
		to := min(from+atOnce, max(m.keys, 1))
		for i := from; i < to; i++ {
			b = appendCommand(b, "SET", m.key(i), value)
		}
		if _, err := ask(fd, b, to-from); err != nil {
			return err
		}
	}
	return nil
}

// batch is what a connection sends at once, and the reply to all of it.
type batch struct{ request, reply []byte }

// differentBatches is how many are made of each kind. Connections take them in
// turn, so that no two ask for the same keys at one time.
const differentBatches = 997

func (m *requestRate) batches() map[string][]batch {
	all := map[string][]batch{}
	value := strings.Repeat("x", m.value)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, test := range m.tests {
		one := appendBulk(nil, value)
		if test == "set" {
			one = []byte("+OK\r\n")
		}
		list := make([]batch, differentBatches)
		for i := range list {
			for range m.pipeline {
				args := []string{strings.ToUpper(test), m.key(rng.IntN(max(m.keys, 1)))}
				if test == "set" {
					args = append(args, value)
				}
				list[i].request = appendCommand(list[i].request, args...)
			}
			list[i].reply = bytes.Repeat(one, m.pipeline)
		}
		all[test] = list
	}
	return all
}

func (m *requestRate) run(ctx context.Context, in *instance, test string, list []batch, out values) error {
	threads := make([]*requester, m.threads)
	defer func() {
		for _, r := range threads {
			r.close()
		}
	}()
	for i := range threads {
		var err error
		if threads[i], err = newRequester(list); err != nil {
			return err
		}
	}
	for i := range m.connections {
		if err := threads[i%m.threads].connect(in, i); err != nil {
			return err
		}
	}
	var stop atomic.Bool
	var running sync.WaitGroup
	failed := make(chan error, m.threads)
	for _, r := range threads {
		running.Add(1)
		go func() { // ends when stop is set
			defer running.Done()
			if err := r.run(&stop); err != nil {
				failed <- err
			}
		}()
	}
	err := m.window(ctx, in, test, threads, failed, out)
	stop.Store(true)
	running.Wait()
	if err != nil {
		return err
	}
	var took histogram
	for _, r := range threads {
		took.merge(&r.took)
	}
	out[test+"_p50_us"] = took.quantile(0.50) / float64(time.Microsecond)
	out[test+"_p99_us"] = took.quantile(0.99) / float64(time.Microsecond)
	return nil
}

// window counts what is done while the clock runs.
func (m *requestRate) window(ctx context.Context, in *instance, test string, threads []*requester, failed chan error, out values) error {
	done := func() (n int64) {
		for _, r := range threads {
			n += r.done.Load()
		}
		return n * int64(m.pipeline)
	}
	if err := waitOr(ctx, m.timing.Warmup, failed); err != nil {
		return err
	}
	stopProfile, err := m.profile.start(in, m.timing.Duration)
	if err != nil {
		return err
	}
	before, from := readBusyTime(in.pid), done()
	for _, r := range threads {
		r.timed.Store(true)
	}
	if err := waitOr(ctx, m.timing.Duration, failed); err != nil {
		return err
	}
	after, n := readBusyTime(in.pid), float64(done()-from)
	if err := stopProfile(); err != nil {
		return err
	}
	out[test+"_per_second"] = n / after.at.Sub(before.at).Seconds()
	if in.pid != 0 {
		out[test+"_server_cpu_us"] = float64((after.server - before.server).Microseconds()) / n
	}
	server, own, others := before.cores(after, in.pid)
	out[test+"_server_cores"], out[test+"_generator_cores"] = server, own
	out[keyOtherCores] = max(out[keyOtherCores], others)
	return nil
}

// requester is a thread with its share of the connections. Each has one batch
// on its way at any time.
type requester struct {
	batches []batch
	epoll   int
	mine    []*requesting
	buf     []byte
	took    histogram // from a batch's write to the end of its reply
	timed   atomic.Bool
	done    atomic.Int64 // batches
}

// requesting is one connection.
type requesting struct {
	fd    int
	next  int    // batch
	rest  []byte // of the reply, not come yet
	since int64
}

func newRequester(list []batch) (*requester, error) {
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return &requester{batches: list, epoll: epoll, buf: make([]byte, readSize)}, nil
}

func (r *requester) connect(in *instance, number int) error {
	fd, err := dial(in.network, in.addr)
	if err != nil {
		return err
	}
	c := &requesting{fd: fd, next: number}
	e := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(len(r.mine))}
	r.mine = append(r.mine, c)
	return syscall.EpollCtl(r.epoll, syscall.EPOLL_CTL_ADD, fd, &e)
}

// close ends the connections. It may be called for one that was never made.
func (r *requester) close() {
	if r == nil {
		return
	}
	for _, c := range r.mine {
		hangUp(c.fd)
	}
	syscall.Close(r.epoll)
}

func (r *requester) run(stop *atomic.Bool) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, c := range r.mine {
		if err := r.send(c); err != nil {
			return err
		}
	}
	events := make([]syscall.EpollEvent, pollEvents)
	for !stop.Load() {
		n, err := syscall.EpollWait(r.epoll, events, pollMillis)
		if err != nil && err != syscall.EINTR {
			return fmt.Errorf("epoll: %w", err)
		}
		for _, e := range events[:max(n, 0)] {
			if err := r.receive(r.mine[e.Fd]); err != nil {
				return err
			}
		}
	}
	return nil
}

// send writes the connection's next batch, which its socket has room for: the
// one before has been answered.
func (r *requester) send(c *requesting) error {
	b := &r.batches[c.next%len(r.batches)]
	c.next += len(r.mine)
	c.rest, c.since = b.reply, now()
	return writeAll(c.fd, b.request)
}

func (r *requester) receive(c *requesting) error {
	n, err := readAnswer(c.fd, r.buf)
	if n == 0 {
		return err
	}
	got := r.buf[:n]
	if !bytes.HasPrefix(c.rest, got) {
		return fmt.Errorf("the server answered %.80q, not %.80q", got, c.rest)
	}
	if c.rest = c.rest[n:]; len(c.rest) > 0 {
		return nil
	}
	if r.timed.Load() {
		r.took.record(now() - c.since)
	}
	r.done.Add(1)
	return r.send(c)
}
