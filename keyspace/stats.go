package keyspace

import "sync/atomic"

// Counters are kept by groups of slots: few enough to add up for each INFO and
// DBSIZE, many enough that commands on different slots rarely share one.
const (
	groupCount    = 128
	slotsPerGroup = SlotCount / groupCount
)

type group struct {
	keys      atomic.Int64
	expiring  atomic.Int64 // keys with an expiry time
	expirySum atomic.Int64 // of their expiry times, relative to the start
	bytes     atomic.Int64
	hits      atomic.Int64
	misses    atomic.Int64
	expired   atomic.Int64

	// nextExpiry is no later than that of any slot of the group, or never.
	nextExpiry atomic.Int64

	_ [64]byte // keeps groups out of each other's cache lines
}

func (g *group) lowerNextExpiry(at int64) {
	for {
		old := g.nextExpiry.Load()
		if old <= at || g.nextExpiry.CompareAndSwap(old, at) {
			return
		}
	}
}

// Stats are the figures of INFO.
type Stats struct {
	Keys       int64
	Expiring   int64 // keys with an expiry time
	AverageTTL int64 // of those, in milliseconds
	Bytes      int64 // estimate of the memory that keys and values hold
	Hits       int64 // since the start or ResetStats, as the next two
	Misses     int64
	Expired    int64
}

// Stats adds the counters up. It takes no lock, so figures that change meanwhile
// may be from slightly different moments.
func (ks *Keyspace) Stats(now int64) Stats {
	var st Stats
	var sum int64
	for i := range ks.groups {
		g := &ks.groups[i]
		st.Keys += g.keys.Load()
		st.Expiring += g.expiring.Load()
		sum += g.expirySum.Load()
		st.Bytes += g.bytes.Load()
		st.Hits += g.hits.Load()
		st.Misses += g.misses.Load()
		st.Expired += g.expired.Load()
	}
	if st.Expiring > 0 {
		st.AverageTTL = max(0, sum/st.Expiring-(now-ks.started))
	}
	return st
}

// Len counts all keys, for DBSIZE. It takes no lock.
func (ks *Keyspace) Len() int64 {
	var n int64
	for i := range ks.groups {
		n += ks.groups[i].keys.Load()
	}
	return n
}

// Bytes estimates the memory that all keys hold, for maxmemory. It takes no lock.
func (ks *Keyspace) Bytes() int64 {
	var n int64
	for i := range ks.groups {
		n += ks.groups[i].bytes.Load()
	}
	return n
}

// ResetStats sets the counters of CONFIG RESETSTAT to zero.
func (ks *Keyspace) ResetStats() {
	for i := range ks.groups {
		g := &ks.groups[i]
		g.hits.Store(0)
		g.misses.Store(0)
		g.expired.Store(0)
	}
}
