//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"syscall"
)

// idleSlope measures what idle subscribers cost at several numbers of them, in
// one run of a server, and what one more costs: the slope between the last two
// numbers, which leaves out what a server takes whoever is connected. From it
// follows what more subscribers than the machine lets connect would cost.
type idleSlope struct {
	spec   fanoutSpec
	sizes  []int // ascending
	timing timing
}

// extrapolatedTo is the number of subscribers that the slope is drawn out to.
const extrapolatedTo = 50000

const (
	keySlope        = "bytes_per_further_subscriber"
	keyExtrapolated = "extrapolated_megabytes"
	keyThreads      = "threads"
	keyGoroutines   = "goroutines"
	keyEmpty        = "megabytes_without_subscribers"
)

func keyAt(key string, size int) string { return fmt.Sprintf("%s_at_%d", key, size) }

func (o *options) idleSlopes() ([]measurement, error) {
	sizes := slices.Clone(o.subscribers)
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	var list []measurement
	for _, name := range o.channels {
		kind, err := findChannelKind(name)
		if err != nil {
			return nil, err
		}
		for _, resp := range o.resp {
			spec := fanoutSpec{kind: kind, resp: resp, subscribers: sizes[len(sizes)-1], readers: o.readers, rows: 1, payload: wordSize}
			list = append(list, &idleSlope{spec: spec, sizes: sizes, timing: o.timing})
		}
	}
	return list, nil
}

func (m *idleSlope) title() string {
	return fmt.Sprintf("idle memory, %s, up to %d subscribers (RESP%s)", m.spec.kind.name, m.spec.subscribers, m.spec.resp)
}

func (m *idleSlope) settings() any {
	return struct {
		Kind    string  `json:"kind"`
		Channel string  `json:"channel"`
		RESP    string  `json:"resp"`
		Sizes   []int   `json:"subscribers"`
		Rest    float64 `json:"rest_seconds"`
	}{"idle", m.spec.kind.name, m.spec.resp, m.sizes, m.timing.Rest.Seconds()}
}

func (m *idleSlope) clients() int            { return m.spec.subscribers + spareClients }
func (m *idleSlope) suits(c *contender) bool { return c.knows(m.spec.kind) }

func (m *idleSlope) figures() []figure {
	list := []figure{{Key: keyEmpty, Label: "MB without subscribers", decimals: 2, noRatio: true}}
	for _, n := range m.sizes {
		list = append(list,
			figure{Key: keyAt(keyIdle, n), Label: fmt.Sprintf("bytes/subscriber, %d just connected", n)},
			figure{Key: keyAt(keyRested, n), Label: fmt.Sprintf("bytes/subscriber, %d idle for %v", n, m.timing.Rest)},
			figure{Key: keyAt(keyThreads, n), Label: fmt.Sprintf("threads with %d", n), noRatio: true})
	}
	last := m.sizes[len(m.sizes)-1]
	if len(m.sizes) > 1 {
		from := m.sizes[len(m.sizes)-2]
		list = append(list,
			figure{Key: keySlope, Label: fmt.Sprintf("bytes for one more, between %d and %d", from, last)},
			figure{Key: keyExtrapolated, Label: fmt.Sprintf("MB with %d, extrapolated from that", extrapolatedTo), decimals: 1})
	}
	return append(list, figure{Key: keyGoroutines, Label: fmt.Sprintf("goroutines with %d, of a Go program", last), noRatio: true})
}

func (m *idleSlope) measure(ctx context.Context, in *instance) (values, error) {
	if in.pid == 0 {
		return nil, fmt.Errorf("the memory of a server whose process is unknown")
	}
	out := values{}
	before, err := residentBytes(in.pid)
	if err != nil {
		return nil, err
	}
	out[keyEmpty] = before / 1e6
	f, err := newFleet(m.spec)
	defer func() { f.close() }()
	if err != nil {
		return nil, err
	}
	rested := make([]float64, len(m.sizes))
	connected := 0
	for i, n := range m.sizes {
		if err := f.connect(ctx, in, connected, n); err != nil {
			return nil, err
		}
		connected = n
		memory := &memoryMeter{pid: in.pid, subscribers: n, before: before}
		if err := f.wait(ctx, m.timing.Settle); err != nil {
			return nil, err
		}
		memory.read(out, keyAt(keyIdle, n))
		if err := f.wait(ctx, m.timing.Rest); err != nil {
			return nil, err
		}
		memory.read(out, keyAt(keyRested, n))
		if rested[i], err = residentBytes(in.pid); err != nil {
			return nil, err
		}
		if out[keyAt(keyThreads, n)], err = threadCount(in.pid); err != nil {
			return nil, err
		}
	}
	if last := len(m.sizes) - 1; last > 0 {
		out[keySlope] = (rested[last] - rested[last-1]) / float64(m.sizes[last]-m.sizes[last-1])
		out[keyExtrapolated] = (rested[last] + out[keySlope]*float64(extrapolatedTo-m.sizes[last])) / 1e6
	}
	out[keyGoroutines] = goroutines(in)
	return out, nil
}

// threadCount is how many threads a process has.
func threadCount(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("Threads:")); ok {
			return strconv.ParseFloat(string(bytes.TrimSpace(rest)), 64)
		}
	}
	return 0, fmt.Errorf("status of a process: no threads")
}

var goroutineHead = regexp.MustCompile(`(?m)^goroutine \d+ .*\[`)

// goroutines ends slotcast as the Go runtime ends a program on SIGQUIT, with
// a list of all its goroutines, and counts them: it needs no door for that. Of
// other servers it is NaN, and they go on.
func goroutines(in *instance) float64 {
	if !in.contender.knows(mustKind("slots")) || in.quit == nil {
		return math.NaN()
	}
	return float64(len(goroutineHead.FindAll(in.quit(syscall.SIGQUIT), -1)))
}
