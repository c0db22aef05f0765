package server

import (
	"runtime/debug"
	"time"
)

// cronInterval is the pause between two rounds of the work below.
const cronInterval = 100 * time.Millisecond

// expireBudget bounds the keys that one round deletes before it looks at the
// clock again; each slot's lock is held for a few of them only.
const expireBudget = 1 << 14

// cron does what has to be done now and then and belongs to no connection: it
// deletes expired keys, samples the memory in use, and closes clients that are
// idle or too slow.
func (s *Server) cron() {
	var clients []*conn
	ticker := time.NewTicker(cronInterval)
	defer ticker.Stop()
	for round := 0; ; round++ {
		select {
		case <-s.stop:
			return
		case now := <-ticker.C:
			start := time.Now()
			for deleted := expireBudget; deleted >= expireBudget && !s.keepExpired.Load(); {
				deleted, _ = s.keys.ExpireDue(now.UnixMilli(), expireBudget)
			}
			s.caches.broadcast(nil)
			took := time.Since(start)
			s.stats.expireMicros.Add(took.Microseconds())
			s.latency.add("expire-cycle", start, took)
			s.clock.sync()
			s.memory.sample()
			s.memory.collectIfFull(now)
			s.stats.sample(now)
			s.caches.tick()
			if round%10 == 0 {
				clients = s.conns.appendAll(clients[:0])
				s.sweepClients(now, clients)
				clear(clients)
				s.targets.sweep(now)
				s.giveMemoryBack(now)
			}
		}
	}
}

// sweepClients measures the buffers of all clients, closes those that were
// silent for too long or have been above their soft limit for too long, and
// makes those that are merely idle small.
func (s *Server) sweepClients(now time.Time, clients []*conn) {
	timeout := time.Duration(s.config.Values().TimeoutSeconds) * time.Second
	var largest bufferSizes
	total := int64(0)
	defer func() { s.stats.noteBuffers(largest, total) }()
	for _, c := range clients {
		c.outbox.checkSoftLimit()
		in := int(c.readCap.Load())
		out, _ := c.outbox.waiting()
		largest = bufferSizes{max(largest.in, in), max(largest.out, out)}
		total += int64(in + out)
		silent := now.Sub(time.UnixMilli(c.lastActive.Load()))
		if timeout <= 0 || c.identity.Load().monitoring || c.isWaiting() || c.subCount()+int(c.numSsub.Load()) > 0 {
			continue
		}
		if silent > timeout {
			c.outbox.kill("idle for longer than the timeout")
		}
	}
}

// giveMemoryBack returns what many connections left that have been set up since:
// by itself the runtime would keep it for minutes. It costs a collection, so it
// is done seldom, and not for a heap that takes long.
func (s *Server) giveMemoryBack(now time.Time) {
	came := s.stats.connections.Load()
	if came-s.memory.came < manyConnections || now.Sub(s.memory.givenBack) < giveBackEvery || s.memory.used() > largeHeap {
		return
	}
	s.memory.came, s.memory.givenBack = came, now
	debug.FreeOSMemory()
}

const (
	manyConnections = 1000
	giveBackEvery   = 10 * time.Second
	largeHeap       = 512 << 20
)
