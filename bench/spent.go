//go:build linux

package main

import (
	"context"
	"math"
	"time"
)

// spent is what happened in each window of a fleet, and the processor time that
// it took.
type spent [3]struct {
	from, to   busyTime
	deliveries int64
}

// window lets one of the fleet's windows pass, with something to do in the
// middle of it, nil for nothing.
func (s *spent) window(ctx context.Context, in *instance, f *fleet, number int, d time.Duration, atHalf func() error) error {
	w := &s[number]
	w.from = readBusyTime(in.pid)
	got, _, _ := f.delivered()
	f.windows[number].open()
	if err := f.wait(ctx, d/2); err != nil {
		return err
	}
	if atHalf != nil {
		if err := atHalf(); err != nil {
			return err
		}
	}
	if err := f.wait(ctx, d-d/2); err != nil {
		return err
	}
	f.windows[number].close()
	w.deliveries, _, _ = f.delivered()
	w.deliveries -= got
	w.to = readBusyTime(in.pid)
	return nil
}

// tell gives the throughput and the cost of some windows together.
func (s *spent) tell(out values, name string, windows []int, pid int) {
	deliveries, seconds, server := 0.0, 0.0, time.Duration(0)
	for _, i := range windows {
		w := &s[i]
		deliveries += float64(w.deliveries)
		seconds += w.to.at.Sub(w.from.at).Seconds()
		server += w.to.server - w.from.server
	}
	out[keyDeliveries+"_"+name] = deliveries / seconds
	if pid != 0 {
		out[keyServerCPU+"_"+name] = float64(server.Microseconds()) / deliveries
	}
}

// cores is how many the load generator and others kept busy, at the most.
func (s *spent) cores(pid int) (own, others float64) {
	others = math.NaN()
	for i := range s {
		_, o, x := s[i].from.cores(s[i].to, pid)
		own, others = max(own, o), math.Max(others, x)
		if i == 0 {
			others = x
		}
	}
	return own, others
}
