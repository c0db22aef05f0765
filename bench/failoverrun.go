//go:build linux

package main

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

func (m *shardFailover) measure(ctx context.Context, in *instance) (values, error) {
	mode := in.contender.mode
	begun := new(atomic.Int64)
	spec := fanoutSpec{kind: m.kind(mode), resp: m.resp, subscribers: m.subscribers, readers: m.readers}
	spec.frames = func(header []byte, resp int) framing {
		return newStreamFrames(header, m.payloads(mode, resp), begun)
	}
	f, err := openFleet(ctx, in, spec)
	defer func() { f.close() }()
	if err != nil {
		return nil, err
	}
	if err := f.publish(in); err != nil { // starts the readers alone
		return nil, err
	}
	cause, err := m.cause(in, mode)
	if err != nil {
		return nil, err
	}
	defer cause.close()
	if err := f.wait(ctx, m.timing.Settle); err != nil {
		return nil, err
	}
	out := values{}
	if err := cause.watched(out, keyPongIdle, keyPongIdleUsual, keyPongsIdle); err != nil {
		return nil, err
	}
	stopProfile, err := m.profile.start(in, m.timing.Duration)
	if err != nil {
		return nil, err
	}

	before := readBusyTime(in.pid)
	begun.Store(now())
	f.start(&f.publishing, cause.run)
	due := int64(m.subscribers) * int64(m.slots)
	if err := f.arrived(ctx, due); err != nil {
		return nil, err
	}
	after := readBusyTime(in.pid)
	if err := cause.watched(out, keyPongBusy, keyPongUsual, keyPongs); err != nil {
		return nil, err
	}
	if in.pid != 0 {
		if peak, err := peakBytes(in.pid); err == nil {
			out[keyPeak] = peak / 1e6
		}
	}
	if err := stopProfile(); err != nil {
		return nil, err
	}
	got, volume, _ := f.delivered()
	out[keyClosed] = float64(f.close().closed)
	out[keyLost] = float64(due - got)

	var first, last histogram
	for _, r := range f.readers {
		first.merge(&r.fromWrite[0])
		last.merge(&r.fromDue[0])
		for _, s := range r.mine {
			if s.closed {
				out[keyLost] -= float64(int64(m.slots) - s.received)
			}
		}
	}
	whole := math.NaN()
	if last.count > 0 {
		whole = float64(last.highest) / 1e9
	}
	out[keyWhole] = whole
	out[keyFirst] = first.least() / 1e6
	for _, q := range quantiles {
		out[keyEach+q.key] = last.quantile(q.q) / 1e6
	}
	out[keyDeliveries], out[keySpeed] = float64(got)/whole, float64(volume)/whole/1e9
	out[keyVolume] = float64(volume) / float64(m.subscribers)
	if in.pid != 0 {
		out[keyServerCPU] = float64((after.server - before.server).Microseconds()) / float64(got)
	}
	out[keyServerCores], out[keyOwnCores], out[keyOtherCores] = before.cores(after, in.pid)
	return out, nil
}

// arrived waits until so many deliveries have arrived, or nothing more does.
func (f *fleet) arrived(ctx context.Context, due int64) error {
	const poll = 2 * time.Millisecond
	last, quiet := int64(-1), time.Duration(0)
	for quiet < drainPause {
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
