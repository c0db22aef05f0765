//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// fanoutSpec says who listens to what and who sends how much of it.
type fanoutSpec struct {
	kind        channelKind
	resp        string // "2", "3" or "mixed"
	subscribers int
	publishers  int
	depth       int  // commands in flight for each publisher
	byReceipt   bool // a place frees up when the probe has the message, not with the reply
	rate        float64
	payload     int  // bytes
	rows        int  // slots in each change, for the slots channels
	messages    int  // the most that is sent, zero for no limit
	readers     int  // threads that read subscribers
	everyone    bool // every subscriber's copy of a message is timed, not one
	// frames makes the framing where it does not follow from the rest.
	frames func(header []byte, resp int) framing
}

// fleet is all connections of one measurement: subscribers spread over
// readers, and publishers.
type fleet struct {
	spec       fanoutSpec
	readers    []*reader
	publishers []*publisher
	// stopping is set when nothing new may be sent, ended when nothing more
	// will be read.
	stopping, ended atomic.Bool
	paced           atomic.Int32 // pacers that still run
	// windows are times for which latencies count, most often one.
	windows [3]window

	publishing, reading sync.WaitGroup
	failures            chan error // the first failure

	closing sync.Once
	losses  losses // set by close
}

// window bounds when a message must have been due for its latency to count.
type window struct{ from, to atomic.Int64 }

func (w *window) open()  { w.from.Store(now()) }
func (w *window) close() { w.to.Store(now()) }

func (w *window) holds(due int64) bool { return due >= w.from.Load() && due < w.to.Load() }

// openFleet connects the subscribers and returns once all are confirmed.
// close must be called whatever comes back.
func openFleet(ctx context.Context, in *instance, spec fanoutSpec) (*fleet, error) {
	f, err := newFleet(spec)
	if err != nil {
		return f, err
	}
	return f, f.connect(ctx, in, 0, spec.subscribers)
}

// newFleet is one without connections. close must be called whatever comes
// back.
func newFleet(spec fanoutSpec) (*fleet, error) {
	f := &fleet{spec: spec, failures: make(chan error, 1)}
	for i := range f.windows {
		f.windows[i].from.Store(math.MaxInt64)
		f.windows[i].to.Store(math.MaxInt64)
	}
	for range spec.readers {
		r, err := newReader(f)
		if err != nil {
			return f, err
		}
		r.subscribers = spec.subscribers
		f.readers = append(f.readers, r)
	}
	return f, nil
}

// connect connects the subscribers of the numbers from one up to another, and
// returns once they are confirmed. Nothing may have been published yet.
func (f *fleet) connect(ctx context.Context, in *instance, from, to int) error {
	spec := f.spec
	for number := from; number < to; number++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l := spec.kind.listeners[number%len(spec.kind.listeners)]
		// The protocol alternates among the subscribers of each form.
		resp := l.protocol(spec.resp, number/len(spec.kind.listeners))
		r := f.readers[number%len(f.readers)]
		s := &subscriber{number: number, frames: r.framing(l, resp), next: make([]uint64, spec.publishers)}
		if err := s.connect(in, l, resp); err != nil {
			return fmt.Errorf("subscriber %d of %d: %w", number, spec.subscribers, err)
		}
		if err := r.add(s); err != nil {
			hangUp(s.fd)
			return err
		}
	}
	return nil
}

// connect subscribes and waits for the confirmation.
func (s *subscriber) connect(in *instance, l listener, resp int) (err error) {
	if s.fd, err = dial(in.network, in.addr); err != nil {
		return err
	}
	var commands []byte
	replies := 1
	if resp == 3 {
		commands = appendCommand(commands, "HELLO", "3")
		replies++
	}
	if _, err = ask(s.fd, appendCommand(commands, l.subscribe, l.name), replies); err != nil {
		hangUp(s.fd)
	}
	return err
}

// publish connects the publishers and starts everything. Measurements end it
// with drain.
func (f *fleet) publish(in *instance) error {
	// A thread in a system call keeps its place in the scheduler for a while:
	// with one for each, none waits for another's.
	runtime.GOMAXPROCS(max(runtime.NumCPU(), f.spec.readers+2*f.spec.publishers) + 1)
	for number := range f.spec.publishers {
		fd, err := dial(in.network, in.addr)
		if err != nil {
			return fmt.Errorf("publisher: %w", err)
		}
		p := &publisher{fleet: f, fd: fd, number: number}
		p.times.slots = make([]struct{ due, written atomic.Int64 }, rememberedSends)
		if f.spec.kind.slots {
			p.load = newChanges(f.spec.rows)
		} else {
			p.load = newMessages(f.spec.kind.publish, number, f.spec.payload)
		}
		f.publishers = append(f.publishers, p)
	}
	for _, r := range f.readers {
		f.start(&f.reading, r.run) // ends with f.ended
	}
	start := now()
	for _, p := range f.publishers {
		if f.spec.rate > 0 {
			f.paced.Add(1)
			pace := newPacer(p, start, f.spec.rate, f.spec.publishers)
			f.start(&f.publishing, func() error { // ends with f.stopping
				defer f.paced.Add(-1)
				return pace.run()
			})
		}
		f.start(&f.publishing, p.run) // ends with f.stopping and the last reply
	}
	return nil
}

// start runs a part of the fleet; its error ends the measurement.
func (f *fleet) start(group *sync.WaitGroup, run func() error) {
	group.Add(1)
	go func() {
		defer group.Done()
		if err := run(); err != nil {
			f.fail(err)
		}
	}()
}

func (f *fleet) fail(err error) {
	select {
	case f.failures <- err:
	default:
	}
}

// wait lets the load run for d.
func (f *fleet) wait(ctx context.Context, d time.Duration) error { return waitOr(ctx, d, f.failures) }

// waitOr waits for d, unless something fails before.
func waitOr(ctx context.Context, d time.Duration, failures <-chan error) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case err := <-failures:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// delivered, bytes and closed add up what the readers have counted so far.
func (f *fleet) delivered() (messages, bytes, closed int64) {
	for _, r := range f.readers {
		messages += r.delivered.Load()
		bytes += r.bytes.Load()
		closed += r.closed.Load()
	}
	return messages, bytes, closed
}

// sent is how many commands each publisher has sent.
func (f *fleet) sent() []uint64 {
	out := make([]uint64, len(f.publishers))
	for i, p := range f.publishers {
		out[i] = p.sent.Load()
	}
	return out
}

const (
	// drainTimeout bounds how long everything sent may take to arrive, and
	// drainPause how long nothing may arrive before the rest is given up.
	drainTimeout = 60 * time.Second
	drainPause   = 2 * time.Second
)

// drain stops the publishers and waits until all that they sent has arrived.
func (f *fleet) drain(ctx context.Context) error {
	f.stop()
	due := int64(0)
	for _, r := range f.readers {
		for _, s := range r.mine {
			due += s.frames.deliveries(f.sent())
		}
	}
	const poll = 5 * time.Millisecond
	last, quiet := int64(-1), time.Duration(0)
	for start := time.Now(); time.Since(start) < drainTimeout && quiet < drainPause; {
		got, _, _ := f.delivered()
		if got >= due {
			break
		}
		quiet += poll
		if got != last {
			last, quiet = got, 0
		}
		if err := f.wait(ctx, poll); err != nil {
			return err
		}
	}
	select {
	case err := <-f.failures:
		return err
	default:
		return nil
	}
}

// stop ends the publishers.
func (f *fleet) stop() {
	f.stopping.Store(true)
	for _, p := range f.publishers {
		// Whoever was about to send when the flag rose has done so when the
		// lock is free.
		p.mu.Lock()
		p.mu.Unlock()
	}
	f.publishing.Wait()
}

// losses are what went wrong with the deliveries.
type losses struct {
	lost     int64 // never arrived at a subscriber that stayed
	repeated int64
	closed   int64 // subscribers that the server closed
}

// close ends whatever runs and all connections, and returns the losses. Only
// the first call does anything.
func (f *fleet) close() losses {
	f.closing.Do(f.closeAll)
	return f.losses
}

func (f *fleet) closeAll() {
	f.stop()
	f.ended.Store(true)
	f.reading.Wait()
	sum := &f.losses
	sent := f.sent()
	for _, r := range f.readers {
		for _, s := range r.mine {
			sum.repeated += s.repeated
			if s.closed {
				sum.closed++
			} else if len(sent) > 0 {
				sum.lost += s.frames.deliveries(sent) - s.received + s.repeated
			}
			hangUp(s.fd)
		}
		r.close()
	}
	for _, p := range f.publishers {
		p.close()
	}
}
