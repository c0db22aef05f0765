package server

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// memory knows how much the process uses, for maxmemory and INFO. The figure
// is what the last collection of garbage left on the heap, plus what the
// keyspace has grown by since: a fast writer must not run past the limit until
// the next one, and garbage, which a write would make room of, is no reason to
// refuse it.
type memory struct {
	server *Server
	live   atomic.Int64 // bytes of objects that the last collection left
	keys   atomic.Int64 // keyspace bytes at that time
	peak   atomic.Int64

	startup int64 // used before the first client came

	// Of giveMemoryBack, in cron's goroutine: when it was done last, and how
	// many connections had come by then.
	givenBack time.Time
	came      int64

	mu     sync.Mutex // guards cycles and before
	cycles uint64     // collections so far
	before int64      // keyspace bytes at the sample before

	collecting  atomic.Bool
	nextCollect time.Time // belongs to cron
}

const (
	liveMetric    = "/gc/heap/live:bytes"
	cyclesMetric  = "/gc/cycles/total:gc-cycles"
	objectsMetric = "/memory/classes/heap/objects:bytes"
)

// sample looks whether garbage was collected since the last look. What the
// keyspace held at that moment lies between what it held at the two looks; the
// smaller figure makes the greater use.
func (m *memory) sample() {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := []metrics.Sample{{Name: liveMetric}, {Name: cyclesMetric}}
	metrics.Read(s)
	keys := m.server.keys.Bytes()
	if n := s[1].Value.Uint64(); n != m.cycles {
		m.cycles = n
		m.live.Store(int64(s[0].Value.Uint64()))
		m.keys.Store(min(m.before, keys))
	}
	m.before = keys
	m.peak.Store(max(m.peak.Load(), m.used()))
}

// collectIfFull collects garbage when writes are refused. A node that refuses
// them allocates so little that the runtime would not look for minutes whether
// what was deleted, or queued by a client that has gone, is still in use. It
// takes at most a twentieth of the time.
func (m *memory) collectIfFull(now time.Time) {
	if now.Before(m.nextCollect) || !m.full() || !m.collecting.CompareAndSwap(false, true) {
		return
	}
	m.nextCollect = now.Add(time.Second)
	m.server.running.Add(1)
	go func() { // ends after one collection
		defer m.server.running.Done()
		defer m.collecting.Store(false)
		start := time.Now()
		runtime.GC()
		m.sample()
		select {
		case <-m.server.stop:
		case <-time.After(20 * time.Since(start)):
		}
	}()
}

// used is the number of bytes in use.
func (m *memory) used() int64 {
	return m.live.Load() + m.server.keys.Bytes() - m.keys.Load()
}

// full reports that commands which need memory are to be refused.
func (m *memory) full() bool {
	limit := m.server.config.Values().MaxMemory
	return limit > 0 && m.used() > limit
}

// start takes the first sample, for which garbage must have been collected once.
func (m *memory) start() {
	runtime.GC()
	m.sample()
	m.startup = m.used()
}

// memoryFigures are the numbers of INFO memory, in bytes.
type memoryFigures struct {
	used, peak, startup int64
	keys                int64 // keys and values
	active              int64 // heap spans in use
	resident            int64 // heap that the system has given
	rss, system         int64 // zero where the system does not tell
}

func (m *memory) figures() memoryFigures {
	s := []metrics.Sample{
		{Name: objectsMetric},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(s)
	f := memoryFigures{used: m.used(), startup: m.startup, keys: m.server.keys.Bytes()}
	f.peak = max(m.peak.Load(), f.used)
	// Garbage of the start may be gone by now.
	f.startup = min(f.startup, f.used-f.keys)
	f.active = int64(s[0].Value.Uint64() + s[1].Value.Uint64())
	f.resident = f.active + int64(s[2].Value.Uint64())
	f.rss = procNumber("/proc/self/statm", 1) * int64(os.Getpagesize())
	f.system = procNumber("/proc/meminfo", 1) * 1024
	return f
}

// procNumber reads one word of a file of Linux's /proc, zero elsewhere.
func procNumber(path string, word int) int64 {
	text, err := os.ReadFile(path)
	words := strings.Fields(string(text))
	if err != nil || word >= len(words) {
		return 0
	}
	n, _ := strconv.ParseInt(words[word], 10, 64)
	return n
}
