//go:build linux

package main

import (
	"context"
	"fmt"
	"time"
)

// idleMemory measures what a subscriber costs that has nothing to do, before
// it ever got a message and after a burst of them, and each at once and after
// a rest: a server may first take more than it keeps.
type idleMemory struct {
	spec   fanoutSpec
	timing timing
}

func (m *idleMemory) title() string {
	s := m.spec
	return fmt.Sprintf("memory, %s, %d idle subscribers (RESP%s), then %d messages of %d bytes, depth %d by acknowledgement",
		s.kind.name, s.subscribers, s.resp, s.messages, s.payload, s.depth)
}

func (m *idleMemory) settings() any           { return m.spec.settings("memory", m.timing) }
func (m *idleMemory) clients() int            { return m.spec.clients() }
func (m *idleMemory) suits(c *contender) bool { return c.knows(m.spec.kind) }

func (m *idleMemory) figures() []figure {
	return []figure{
		{Key: keyIdle, Label: "bytes/subscriber, just connected"},
		{Key: keyRested, Label: fmt.Sprintf("bytes/subscriber, idle for %v", m.timing.Rest)},
		{Key: keyBusy, Label: "bytes/subscriber, right after the burst"},
		{Key: keyAfter, Label: fmt.Sprintf("bytes/subscriber, %v after it", m.timing.Rest)},
		{Key: "burst_seconds", Label: "seconds for the burst", decimals: 3},
		{Key: keyLost, Label: "lost deliveries", noRatio: true},
		{Key: keyClosed, Label: "closed subscribers", noRatio: true},
	}
}

func (m *idleMemory) measure(ctx context.Context, in *instance) (values, error) {
	out := values{}
	memory := newMemoryMeter(in, m.spec.subscribers)
	f, err := openFleet(ctx, in, m.spec)
	defer func() { f.close() }()
	if err != nil {
		return nil, err
	}
	if err := f.wait(ctx, m.timing.Settle); err != nil {
		return nil, err
	}
	memory.read(out, keyIdle)
	if err := f.wait(ctx, m.timing.Rest); err != nil {
		return nil, err
	}
	memory.read(out, keyRested)

	start := time.Now()
	if err := f.publish(in); err != nil {
		return nil, err
	}
	for total(f.sent()) < uint64(m.spec.messages*m.spec.publishers) {
		if err := f.wait(ctx, time.Millisecond); err != nil {
			return nil, err
		}
	}
	if err := f.drain(ctx); err != nil {
		return nil, err
	}
	out["burst_seconds"] = time.Since(start).Seconds()
	memory.read(out, keyBusy)
	if err := f.wait(ctx, m.timing.Rest); err != nil {
		return nil, err
	}
	memory.read(out, keyAfter)
	lost := f.close()
	out[keyLost], out[keyClosed] = float64(lost.lost), float64(lost.closed)
	return out, nil
}

// memoryMeter divides what a server's memory has grown by among subscribers.
type memoryMeter struct {
	pid         int
	subscribers int
	before      float64
}

// newMemoryMeter reads the memory before the first subscriber.
func newMemoryMeter(in *instance, subscribers int) *memoryMeter {
	m := &memoryMeter{pid: in.pid, subscribers: subscribers}
	if m.pid != 0 {
		m.before, _ = residentBytes(m.pid)
	}
	return m
}

// read adds the figure, if the server's process is known and still there.
func (m *memoryMeter) read(out values, key string) {
	if m.pid == 0 {
		return
	}
	if bytes, err := residentBytes(m.pid); err == nil {
		out[key] = (bytes - m.before) / float64(m.subscribers)
	}
}
