//go:build linux

package main

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// limits measures what subscribers that do not take their messages do to those
// that do, and to the server. Messages leave at a steady rate; in one process of
// the server the good ones are timed for a while with bad ones, and for half of
// that before and half after without them, so that a server that is still
// settling is not taken for one that bad ones slow down or speed up. A small
// client-output-buffer-limit is reached within the run: the time with bad ones
// includes what it costs to close them.
//
// Every delivery is timed, at every good subscriber: one for each message would
// be too few, since so many subscribers allow only a few messages a second.
type limits struct {
	spec   fanoutSpec // of the good ones
	bad    int        // of each kind
	limit  int        // hard limit of class pubsub, bytes
	timing timing
}

const (
	// limitsLoad is how many deliveries a second the rate makes unless it is
	// given: about half of what redis-server can.
	limitsLoad    = 35_000
	limitsSubs    = 10_000
	limitsPayload = 4096
)

func (m *limits) title() string {
	s := m.spec
	size := fmt.Sprintf("%d-byte payload", s.payload)
	if s.kind.slots {
		size = counted(s.rows, "row") + " a change"
	}
	return fmt.Sprintf("limits, %s, %d good subscribers (RESP%s) and %d each that never read, read a byte a second, and have vanished,"+
		" %s at a steady %g messages/s, %s, at most %d bytes waiting",
		s.kind.name, s.subscribers, s.resp, m.bad, counted(s.publishers, "publisher"), s.rate, size, m.limit)
}

func (m *limits) settings() any {
	return struct {
		fanoutSettings
		Bad   int `json:"bad_subscribers_of_each_kind"`
		Limit int `json:"pubsub_hard_limit_bytes"`
	}{m.spec.settings("limits", m.timing), m.bad, m.limit}
}

func (m *limits) clients() int            { return m.spec.clients() + len(laggardKinds)*m.bad }
func (m *limits) suits(c *contender) bool { return c.knows(m.spec.kind) }

const (
	keyBefore      = "memory_before_bad_bytes"
	keyPeakGrowth  = "memory_peak_growth_bytes"
	keyAllowed     = "memory_allowed_bytes"
	keyOfAllowed   = "memory_peak_growth_of_allowed"
	keyBadAtHalf   = "bad_left_at_half_time"
	keyBadClosed   = "bad_closed_"
	keyLimitChange = "latency_with_to_without_"
)

// phases are the times with and without bad ones, by the fleet's windows.
var phases = []struct {
	name    string
	windows []int
}{
	{"without", []int{windowBefore, windowAfter}},
	{"with", []int{windowDuring}},
}

const windowBefore, windowDuring, windowAfter = 0, 1, 2 // of the fleet

func (m *limits) figures() []figure {
	var list []figure
	for _, phase := range phases {
		for _, q := range quantiles {
			list = append(list, figure{Key: latencyKey(phase.name, q.key), Label: fmt.Sprintf("due to receive %s, µs, %s bad ones", q.label, phase.name), decimals: 1})
		}
	}
	for _, q := range quantiles {
		list = append(list, figure{Key: keyLimitChange + q.key, Label: q.label + " with / without", decimals: 3, noRatio: true})
	}
	for _, phase := range phases {
		list = append(list,
			figure{Key: keyServerCPU + "_" + phase.name, Label: fmt.Sprintf("server CPU µs/good delivery, %s", phase.name), decimals: 3},
			figure{Key: keyDeliveries + "_" + phase.name, Label: fmt.Sprintf("good deliveries/s, %s", phase.name)})
	}
	list = append(list,
		figure{Key: keyBefore, Label: "server memory before bad ones, bytes"},
		figure{Key: keyPeakGrowth, Label: "most that it grew with them, bytes"},
		figure{Key: keyAllowed, Label: "growth that the limits allow, bytes", noRatio: true},
		figure{Key: keyOfAllowed, Label: "grown / allowed", decimals: 3, noRatio: true},
		figure{Key: keyLost, Label: "lost deliveries of good ones", noRatio: true},
		figure{Key: keyRepeated, Label: "repeated deliveries", noRatio: true},
		figure{Key: keyClosed, Label: "good ones closed", noRatio: true},
		figure{Key: keyBadAtHalf, Label: fmt.Sprintf("bad ones left of %d after half their time", m.bad*len(laggardKinds)), noRatio: true})
	for _, k := range laggardKinds {
		list = append(list, figure{Key: keyBadClosed + k.key, Label: fmt.Sprintf("closed of %d that %s", m.bad, k.label), noRatio: true})
	}
	return append(list,
		figure{Key: keyOwnCores, Label: "cores: load generator", decimals: 2, noRatio: true},
		figure{Key: keyOtherCores, Label: "cores: others on the machine", decimals: 2, noRatio: true})
}

func latencyKey(phase, quantile string) string { return "latency_us_" + phase + "_" + quantile }

func (m *limits) measure(ctx context.Context, in *instance) (values, error) {
	if err := m.setLimit(in); err != nil {
		return nil, err
	}
	f, err := openFleet(ctx, in, m.spec)
	defer func() { f.close() }()
	if err != nil {
		return nil, err
	}
	if err := f.wait(ctx, m.timing.Settle); err != nil {
		return nil, err
	}
	if err := f.publish(in); err != nil {
		return nil, err
	}
	if err := f.wait(ctx, m.timing.Warmup); err != nil {
		return nil, err
	}
	out, took := values{}, spent{}
	if err := took.window(ctx, in, f, windowBefore, m.timing.Duration/2, nil); err != nil {
		return nil, err
	}
	if err := m.disturb(ctx, in, f, out, &took); err != nil {
		return nil, err
	}
	// What the bad ones left behind is their doing, and no part of the rest.
	if err := f.wait(ctx, m.timing.Settle); err != nil {
		return nil, err
	}
	if err := took.window(ctx, in, f, windowAfter, m.timing.Duration/2, nil); err != nil {
		return nil, err
	}
	if err := f.drain(ctx); err != nil {
		return nil, err
	}
	lost := f.close()
	out[keyLost], out[keyRepeated], out[keyClosed] = float64(lost.lost), float64(lost.repeated), float64(lost.closed)
	out[keyOwnCores], out[keyOtherCores] = took.cores(in.pid)
	for _, phase := range phases {
		took.tell(out, phase.name, phase.windows, in.pid)
		due, _, err := f.times(phase.windows...)
		if err != nil {
			return nil, err
		}
		for _, q := range quantiles {
			out[latencyKey(phase.name, q.key)] = due.quantile(q.q) / float64(time.Microsecond)
		}
	}
	for _, q := range quantiles {
		out[keyLimitChange+q.key] = out[latencyKey("with", q.key)] / out[latencyKey("without", q.key)]
	}
	return out, nil
}

// setLimit makes the limit small.
func (m *limits) setLimit(in *instance) error {
	fd, err := dial(in.network, in.addr)
	if err != nil {
		return err
	}
	defer hangUp(fd)
	limit := "pubsub " + strconv.Itoa(m.limit) + " 0 0"
	if _, err := ask(fd, appendCommand(nil, "CONFIG", "SET", "client-output-buffer-limit", limit), 1); err != nil {
		return fmt.Errorf("client-output-buffer-limit %s: %w", limit, err)
	}
	return nil
}

// disturb is the window with bad subscribers, who are there from its beginning
// until they are closed, at the latest at its end.
func (m *limits) disturb(ctx context.Context, in *instance, f *fleet, out values, took *spent) error {
	memory, known := 0.0, in.pid != 0 && resetPeak(in.pid)
	if known {
		memory, _ = residentBytes(in.pid)
	}
	bad, err := openLaggards(in, m.spec.kind.listeners[0], m.bad)
	defer bad.close()
	if err != nil {
		return err
	}
	if err := took.window(ctx, in, f, windowDuring, m.timing.Duration, func() error {
		left, err := bad.left()
		out[keyBadAtHalf] = 0
		for _, n := range left {
			out[keyBadAtHalf] += float64(n)
		}
		return err
	}); err != nil {
		return err
	}
	left, err := bad.left()
	if err != nil {
		return err
	}
	for i, k := range bad.kinds {
		out[keyBadClosed+k.key] = float64(m.bad - left[i])
	}
	out[keyAllowed] = float64(m.limit * m.bad * len(bad.kinds))
	if highest, err := peakBytes(in.pid); known && err == nil {
		out[keyBefore] = memory
		out[keyPeakGrowth] = max(highest-memory, 0)
		out[keyOfAllowed] = out[keyPeakGrowth] / out[keyAllowed]
	}
	return nil
}
