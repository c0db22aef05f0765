package server

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// stats are the counters of INFO and of CONFIG RESETSTAT.
type stats struct {
	commands            atomic.Int64
	connections         atomic.Int64
	rejectedConnections atomic.Int64
	bytesIn, bytesOut   atomic.Int64
	errors              atomic.Int64

	mu                       sync.Mutex // guards the rest
	byCode                   map[string]int64
	opsRate, inRate, outRate rate
}

// maxErrorCodes bounds the list of INFO errorstats: codes come from clients
// where a script or a peer can make them up.
const maxErrorCodes = 128

// countError counts an error reply by its code, the first word of its text.
func (s *stats) countError(text string) {
	s.errors.Add(1)
	code, _, _ := strings.Cut(text, " ")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byCode == nil {
		s.byCode = make(map[string]int64)
	}
	if _, has := s.byCode[code]; has || len(s.byCode) < maxErrorCodes {
		s.byCode[code]++
	}
}

// reset sets to zero what CONFIG RESETSTAT does. The speeds forget too.
func (s *stats) reset() {
	for _, n := range []*atomic.Int64{&s.commands, &s.connections, &s.rejectedConnections, &s.bytesIn, &s.bytesOut, &s.errors} {
		n.Store(0)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byCode = nil
	s.opsRate, s.inRate, s.outRate = rate{}, rate{}, rate{}
}

// commandStats are the counters of one command.
type commandStats struct {
	calls, rejected, failed, micros atomic.Int64
}

func (s *commandStats) count(took time.Duration, failed bool) {
	s.calls.Add(1)
	s.micros.Add(took.Microseconds())
	if failed {
		s.failed.Add(1)
	}
}

func (s *commandStats) reset() {
	for _, n := range []*atomic.Int64{&s.calls, &s.rejected, &s.failed, &s.micros} {
		n.Store(0)
	}
}

// rates are figures per second over the latest samples.
const rateSamples = 16

// rate is a counter's speed, averaged over the latest samples.
type rate struct {
	last    int64
	lastAt  time.Time
	samples [rateSamples]float64
	next    int
}

func (r *rate) sample(now time.Time, value int64) {
	if seconds := now.Sub(r.lastAt).Seconds(); !r.lastAt.IsZero() && seconds > 0 {
		r.samples[r.next] = float64(value-r.last) / seconds
		r.next = (r.next + 1) % rateSamples
	}
	r.last, r.lastAt = value, now
}

func (r *rate) perSecond() float64 {
	sum := 0.0
	for _, v := range r.samples {
		sum += v
	}
	return sum / rateSamples
}

// sample is called by cron.
func (s *stats) sample(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opsRate.sample(now, s.commands.Load())
	s.inRate.sample(now, s.bytesIn.Load())
	s.outRate.sample(now, s.bytesOut.Load())
}
