package server

import (
	"runtime/metrics"
	"sync/atomic"
)

// memory knows how much the process uses, for maxmemory and INFO. The figure
// is what the heap holds, sampled by cron, plus what the keyspace has grown by
// since: a fast writer must not run past the limit between two samples.
type memory struct {
	server  *Server
	sampled atomic.Int64 // bytes of live and dead heap objects
	keys    atomic.Int64 // keyspace bytes at the time of the sample
	peak    atomic.Int64
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
