//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// fanout publishes to many subscribers for a while and measures what arrives.
type fanout struct {
	spec    fanoutSpec
	timing  timing
	profile *profiler // nil for none
}

func (m *fanout) title() string {
	s := m.spec
	title := fmt.Sprintf("fan-out, %s, %d subscribers (RESP%s), %s", s.kind.name, s.subscribers, s.resp, counted(s.publishers, "publisher"))
	switch {
	case s.rate > 0:
		title += fmt.Sprintf(" at a steady %g messages/s", s.rate)
	case s.byReceipt:
		title += fmt.Sprintf(", depth %d by receipt", s.depth)
	default:
		title += fmt.Sprintf(", depth %d by acknowledgement", s.depth)
	}
	if s.kind.slots {
		return title + fmt.Sprintf(", %s a change", counted(s.rows, "row"))
	}
	return title + fmt.Sprintf(", %d-byte payload", s.payload)
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// fanoutSettings is a spec as the JSON file has it.
type fanoutSettings struct {
	Kind        string  `json:"kind"`
	Channel     string  `json:"channel"`
	Subscribers int     `json:"subscribers"`
	RESP        string  `json:"resp"`
	Publishers  int     `json:"publishers"`
	Depth       int     `json:"depth,omitempty"`
	CountedBy   string  `json:"depth_counted_by,omitempty"`
	Rate        float64 `json:"messages_per_second,omitempty"`
	Payload     int     `json:"payload_bytes,omitempty"`
	Rows        int     `json:"rows_per_change,omitempty"`
	Messages    int     `json:"messages_per_publisher,omitempty"`
	Readers     int     `json:"reader_threads"`
	Warmup      float64 `json:"warmup_seconds,omitempty"`
	Duration    float64 `json:"duration_seconds,omitempty"`
	Rest        float64 `json:"rest_seconds,omitempty"`
}

func (s fanoutSpec) settings(kind string, t timing) fanoutSettings {
	out := fanoutSettings{
		Kind: kind, Channel: s.kind.name, Subscribers: s.subscribers, RESP: s.resp, Publishers: s.publishers,
		Rate: s.rate, Messages: s.messages, Readers: s.readers,
	}
	if kind == "memory" {
		out.Rest = t.Rest.Seconds()
	} else {
		out.Warmup, out.Duration = t.Warmup.Seconds(), t.Duration.Seconds()
	}
	if s.rate == 0 {
		out.Depth, out.CountedBy = s.depth, "acknowledgement"
		if s.byReceipt {
			out.CountedBy = "receipt"
		}
	}
	if s.kind.slots {
		out.Rows = s.rows
	} else {
		out.Payload = s.payload
	}
	return out
}

func (m *fanout) settings() any { return m.spec.settings("fanout", m.timing) }

const (
	keyDeliveries  = "deliveries_per_second"
	keyMessages    = "messages_per_second"
	keyServerCPU   = "server_cpu_us_per_delivery"
	keyBytes       = "bytes_per_delivery"
	keyLost        = "lost_deliveries"
	keyRepeated    = "repeated_deliveries"
	keyClosed      = "closed_subscribers"
	keyTimed       = "timed_messages"
	keyIdle        = "idle_bytes_per_subscriber"
	keyBusy        = "busy_bytes_per_subscriber"
	keyRested      = "rested_bytes_per_subscriber"
	keyAfter       = "rested_bytes_per_subscriber_after_burst"
	keyServerCores = "server_cores"
	keyOwnCores    = "generator_cores"
	keyOtherCores  = "other_cores"
)

// quantiles are the percentiles that are reported.
var quantiles = []struct {
	key   string
	label string
	q     float64
}{
	{"p50", "p50", 0.50}, {"p99", "p99", 0.99}, {"p999", "p99.9", 0.999},
}

func (m *fanout) figures() []figure {
	list := []figure{
		{Key: keyDeliveries, Label: "deliveries/s"},
		{Key: keyMessages, Label: "messages/s"},
		{Key: keyServerCPU, Label: "server CPU µs/delivery", decimals: 3},
		{Key: keyBytes, Label: "bytes/delivery", decimals: 1, noRatio: true},
	}
	from := "publish"
	if m.spec.rate > 0 {
		from = "due"
	}
	for _, q := range quantiles {
		list = append(list, figure{Key: "latency_us_" + q.key, Label: fmt.Sprintf("%s to receive %s, µs", from, q.label), decimals: 1})
	}
	if m.spec.rate > 0 {
		for _, q := range quantiles {
			list = append(list, figure{Key: "latency_from_write_us_" + q.key, Label: fmt.Sprintf("write to receive %s, µs", q.label), decimals: 1})
		}
	}
	return append(list,
		figure{Key: keyTimed, Label: "messages timed", noRatio: true},
		figure{Key: keyIdle, Label: "bytes/subscriber, idle"},
		figure{Key: keyBusy, Label: "bytes/subscriber, busy"},
		figure{Key: keyLost, Label: "lost deliveries", noRatio: true},
		figure{Key: keyRepeated, Label: "repeated deliveries", noRatio: true},
		figure{Key: keyClosed, Label: "closed subscribers", noRatio: true},
		figure{Key: keyServerCores, Label: "cores: server", decimals: 2},
		figure{Key: keyOwnCores, Label: "cores: load generator", decimals: 2, noRatio: true},
		figure{Key: keyOtherCores, Label: "cores: others on the machine", decimals: 2, noRatio: true},
	)
}

// spareClients is room for publishers, administrators and redis-benchmark.
const spareClients = 100

func (m *fanout) clients() int            { return m.spec.clients() }
func (s fanoutSpec) clients() int         { return s.subscribers + s.publishers + spareClients }
func (m *fanout) suits(c *contender) bool { return c.knows(m.spec.kind) }

func (m *fanout) measure(ctx context.Context, in *instance) (values, error) {
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

	if err := f.publish(in); err != nil {
		return nil, err
	}
	if err := f.wait(ctx, m.timing.Warmup); err != nil {
		return nil, err
	}
	stopProfile, err := m.profile.start(in, m.timing.Duration)
	if err != nil {
		return nil, err
	}
	before, sentBefore := readBusyTime(in.pid), total(f.sent())
	gotBefore, bytesBefore, _ := f.delivered()
	f.windows[0].open()
	if err := f.wait(ctx, m.timing.Duration); err != nil {
		return nil, err
	}
	f.windows[0].close()
	got, bytes, _ := f.delivered()
	after, sent := readBusyTime(in.pid), total(f.sent())
	memory.read(out, keyBusy)
	if err := stopProfile(); err != nil {
		return nil, err
	}
	if err := f.drain(ctx); err != nil {
		return nil, err
	}

	seconds := after.at.Sub(before.at).Seconds()
	deliveries := float64(got - gotBefore)
	out[keyDeliveries] = deliveries / seconds
	out[keyMessages] = float64(sent-sentBefore) / seconds
	out[keyBytes] = float64(bytes-bytesBefore) / deliveries
	if in.pid != 0 {
		out[keyServerCPU] = float64((after.server - before.server).Microseconds()) / deliveries
	}
	out[keyServerCores], out[keyOwnCores], out[keyOtherCores] = before.cores(after, in.pid)
	lost := f.close()
	out[keyLost], out[keyRepeated], out[keyClosed] = float64(lost.lost), float64(lost.repeated), float64(lost.closed)
	return out, f.latencies(out)
}

func total(list []uint64) uint64 {
	sum := uint64(0)
	for _, n := range list {
		sum += n
	}
	return sum
}

var errForgotten = errors.New("messages arrived so late that their times of departure were forgotten")

// times are the latencies of some windows, of all readers. The fleet is closed.
func (f *fleet) times(windows ...int) (due, write *histogram, err error) {
	due, write = new(histogram), new(histogram)
	for _, r := range f.readers {
		for _, w := range windows {
			due.merge(&r.fromDue[w])
			write.merge(&r.fromWrite[w])
		}
		if r.unknown > 0 {
			// Left out they would make the slowest server look fast.
			return nil, nil, fmt.Errorf("%w: %d", errForgotten, r.unknown)
		}
	}
	return due, write, nil
}

// latencies adds the percentiles. The fleet is closed.
func (f *fleet) latencies(out values) error {
	due, write, err := f.times(0)
	if err != nil {
		return err
	}
	out[keyTimed] = float64(due.count)
	micros := float64(time.Microsecond)
	for _, q := range quantiles {
		out["latency_us_"+q.key] = due.quantile(q.q) / micros
		if f.spec.rate > 0 {
			out["latency_from_write_us_"+q.key] = write.quantile(q.q) / micros
		}
	}
	return nil
}
