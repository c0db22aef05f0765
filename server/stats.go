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
	reads, writes       atomic.Int64 // of sockets
	errors              atomic.Int64
	expireMicros        atomic.Int64 // spent on deleting expired keys
	blocked             atomic.Int64 // clients that wait in a blocking command
	clientBytes         atomic.Int64 // what clients' buffers held when last looked at

	mu                       sync.Mutex // guards the rest
	buffers                  [8]bufferSizes
	nextBuffers              int
	byCode                   map[string]int64
	endings                  map[string]int64 // of connections, by reason
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
	for _, n := range []*atomic.Int64{&s.commands, &s.connections, &s.rejectedConnections,
		&s.bytesIn, &s.bytesOut, &s.reads, &s.writes, &s.errors, &s.expireMicros} {
		n.Store(0)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byCode, s.endings = nil, nil
	s.opsRate, s.inRate, s.outRate = rate{}, rate{}, rate{}
}

// errorCount is how often an error code was answered.
type errorCount struct {
	code  string
	count int64
}

// errorCounts lists the codes in order.
func (s *stats) errorCounts() []errorCount {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]errorCount, 0, len(s.byCode))
	for _, code := range sortedKeys(s.byCode) {
		list = append(list, errorCount{code, s.byCode[code]})
	}
	return list
}

// bufferSizes are the largest buffers of any client at one moment.
type bufferSizes struct{ in, out int }

// noteBuffers keeps the figures of the latest eight looks at the clients, which
// are a second apart.
func (s *stats) noteBuffers(largest bufferSizes, total int64) {
	s.clientBytes.Store(total)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buffers[s.nextBuffers] = largest
	s.nextBuffers = (s.nextBuffers + 1) % len(s.buffers)
}

func (s *stats) recentBuffers() (in, out int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.buffers {
		in, out = max(in, b.in), max(out, b.out)
	}
	return in, out
}

// commandStats are the counters of one command.
type commandStats struct {
	calls, rejected, failed, nanos atomic.Int64
	latency                        histogram
}

func (s *commandStats) used() bool { return s.calls.Load() > 0 || s.rejected.Load() > 0 }

func (s *commandStats) add(calls, nanos, failed int64) {
	s.calls.Add(calls)
	s.nanos.Add(nanos)
	if failed > 0 {
		s.failed.Add(failed)
	}
}

func (s *commandStats) reset() {
	for _, n := range []*atomic.Int64{&s.calls, &s.rejected, &s.failed, &s.nanos} {
		n.Store(0)
	}
	s.latency.reset()
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

// speeds are commands, bytes read and bytes written per second.
func (s *stats) speeds() (ops, in, out float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opsRate.perSecond(), s.inRate.perSecond(), s.outRate.perSecond()
}
