package server

import (
	"slices"
	"sync"
	"time"
)

// latency is LATENCY's memory: for each event, the worst of each second in
// which it took longer than latency-monitor-threshold.
type latency struct {
	server *Server
	mu     sync.Mutex // guards events
	events map[string]*latencyEvent
}

// latencySamples is how many seconds an event remembers.
const latencySamples = 160

type latencyEvent struct {
	name    string
	max     int64 // milliseconds, of all time
	samples []latencySample
}

type latencySample struct {
	at     int64 // unix seconds
	millis int64
}

// record notes how long a command ran.
func (l *latency) record(cmd *command, end, took time.Duration) {
	if took < time.Millisecond {
		return // below any threshold
	}
	event := "command"
	if cmd.flags&fast != 0 {
		event = "fast-command"
	}
	l.add(event, l.server.clock.time(end), took)
}

// add notes how long something called event took.
func (l *latency) add(event string, at time.Time, took time.Duration) {
	threshold := l.server.config.Values().LatencyMillis
	millis := took.Milliseconds()
	if threshold == 0 || millis < threshold {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.events == nil {
		l.events = make(map[string]*latencyEvent)
	}
	e := l.events[event]
	if e == nil {
		e = &latencyEvent{name: event}
		l.events[event] = e
	}
	e.max = max(e.max, millis)
	if n := len(e.samples); n > 0 && e.samples[n-1].at == at.Unix() {
		e.samples[n-1].millis = max(e.samples[n-1].millis, millis)
		return
	}
	e.samples = append(e.samples, latencySample{at.Unix(), millis})
	if over := len(e.samples) - latencySamples; over > 0 {
		e.samples = append([]latencySample(nil), e.samples[over:]...)
	}
}

// event returns a copy of what is known of an event.
func (l *latency) event(name string) (e latencyEvent, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.events[name]
	if known == nil {
		return latencyEvent{}, false
	}
	return known.copy(), true
}

func (e *latencyEvent) copy() latencyEvent {
	c := *e
	c.samples = slices.Clone(e.samples)
	return c
}

// all returns copies of all events, by name.
func (l *latency) all() []latencyEvent {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]latencyEvent, 0, len(l.events))
	for _, name := range sortedKeys(l.events) {
		list = append(list, l.events[name].copy())
	}
	return list
}

// reset forgets the named events, or all, and returns how many it knew.
func (l *latency) reset(names []string) (forgotten int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(names) == 0 {
		names = sortedKeys(l.events)
	}
	for _, name := range names {
		if l.events[name] != nil {
			delete(l.events, name)
			forgotten++
		}
	}
	return forgotten
}
