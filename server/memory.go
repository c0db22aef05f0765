package server

import (
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// memory knows how much the process uses, for maxmemory and INFO. The figure
// is what the heap holds, sampled by cron, plus what the keyspace has grown by
// since: a fast writer must not run past the limit between two samples.
type memory struct {
	server  *Server
	sampled atomic.Int64 // bytes of live and dead heap objects
	keys    atomic.Int64 // keyspace bytes at the time of the sample
	peak    atomic.Int64
	startup int64 // used before the first client came

	// Of giveMemoryBack, in cron's goroutine: when it was done last, and how
	// many connections had been parked by then.
	givenBack time.Time
	parked    int64
}

const heapMetric = "/memory/classes/heap/objects:bytes"

func (m *memory) sample() {
	s := []metrics.Sample{{Name: heapMetric}}
	metrics.Read(s)
	if s[0].Value.Kind() == metrics.KindUint64 {
		m.sampled.Store(int64(s[0].Value.Uint64()))
	}
	m.keys.Store(m.server.keys.Bytes())
	m.peak.Store(max(m.peak.Load(), m.used()))
}

// used is the number of bytes in use.
func (m *memory) used() int64 {
	return m.sampled.Load() + m.server.keys.Bytes() - m.keys.Load()
}

// full reports that commands which need memory are to be refused.
func (m *memory) full() bool {
	limit := m.server.config.Values().MaxMemory
	return limit > 0 && m.used() > limit
}

// start takes the first sample.
func (m *memory) start() {
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
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(s)
	f := memoryFigures{used: m.used(), startup: m.startup, keys: m.server.keys.Bytes()}
	f.peak = max(m.peak.Load(), f.used)
	// Garbage of the start may be gone by now.
	f.startup = min(f.startup, f.used-f.keys)
	f.active = f.used + int64(s[0].Value.Uint64())
	f.resident = f.active + int64(s[1].Value.Uint64())
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
