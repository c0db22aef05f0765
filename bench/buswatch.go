//go:build linux

package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// busWatch pings on a peer's link all the time, and keeps what the answers take.
type busWatch struct {
	peer    *busPeer
	ended   atomic.Bool
	running sync.WaitGroup

	mu     sync.Mutex // guards the rest
	waits  histogram  // since they were last taken
	asked  int64      // when the PING left that has no answer yet, zero for none
	failed error
}

// pingPause is how long it waits after each answer.
const pingPause = 5 * time.Millisecond

func (w *busWatch) start() {
	w.running.Go(func() { // ends with w.ended
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		sharpenTimer()
		for !w.ended.Load() {
			if err := w.once(); err != nil {
				w.mu.Lock()
				w.failed = err
				w.mu.Unlock()
				return
			}
			sleepUntil(now() + int64(pingPause))
		}
	})
}

// once sends one PING and waits for its answer.
func (w *busWatch) once() error {
	w.mu.Lock()
	w.asked = now()
	w.mu.Unlock()
	if err := w.peer.ping(); err != nil {
		return err
	}
	if err := w.peer.pong(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits.record(now() - w.asked)
	w.asked = 0
	return nil
}

// take adds what was seen since it was last called. A PING that still waits for
// its answer counts towards the longest with what it has waited so far.
func (w *busWatch) take(out values, longest, usual, count string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	most := w.waits.highest
	if w.asked != 0 {
		most = max(most, now()-w.asked)
	}
	out[longest], out[usual], out[count] = float64(most)/1e6, w.waits.quantile(0.5)/1e6, float64(w.waits.count)
	w.waits = histogram{}
	return w.failed
}

// end stops watching and hangs up.
func (w *busWatch) end() {
	w.ended.Store(true)
	w.running.Wait()
	w.peer.close()
}
