//go:build linux

package main

import (
	"runtime"
	"syscall"
)

// pacer sends a publisher's commands on a schedule that waits for nothing:
// command k is due k intervals after the start, whatever became of those
// before it.
type pacer struct {
	publisher *publisher
	start     int64 // when command 0 is due
	interval  float64
}

// newPacer divides rate, in commands a second, among the publishers, whose
// schedules interleave.
func newPacer(p *publisher, start int64, rate float64, publishers int) *pacer {
	each := 1e9 * float64(publishers) / rate
	return &pacer{publisher: p, start: start + int64(each*float64(p.number)/float64(publishers)), interval: each}
}

// due is when a command should leave.
func (p *pacer) due(k uint64) int64 { return p.start + int64(p.interval*float64(k)) }

// maxCatchUp bounds how many overdue commands leave in one write.
const maxCatchUp = 64

// run sends until the fleet stops.
func (p *pacer) run() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sharpenTimer()
	for k := uint64(0); !p.publisher.fleet.stopping.Load(); {
		sleepUntil(p.due(k))
		at := now()
		n := 0
		for n < maxCatchUp && p.due(k+uint64(n)) <= at {
			n++
		}
		if n == 0 {
			continue
		}
		if err := p.publisher.send(n, func(i int) int64 { return p.due(k + uint64(i)) }); err != nil {
			return err
		}
		k += uint64(n)
	}
	return nil
}

// sharpenTimer asks the kernel not to round this thread's waits up by the
// usual 50 µs, which would count as latency of the server.
func sharpenTimer() {
	const setTimerSlack = 29
	syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0)
}

func sleepUntil(t int64) {
	for {
		wait := t - now()
		if wait <= 0 {
			return
		}
		ts := syscall.NsecToTimespec(wait)
		syscall.Nanosleep(&ts, nil)
	}
}
