package server

import (
	"sync"
	"sync/atomic"
	"time"
)

// pause is CLIENT PAUSE: until its end, commands wait in goroutines of
// their connections', holding no lock.
type pause struct {
	active atomic.Bool // false is the fast answer of holds

	mu     sync.Mutex // guards the rest
	until  time.Time
	writes bool // only commands that may write wait
	// waiting are the connections of the commands that wait.
	waiting map[*conn]struct{}
}

// set begins a pause, or prolongs the one there is: like Redis, a second pause
// never ends the first one early, and never loosens it.
func (p *pause) set(now, until time.Time, writes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.active.Load() && now.Before(p.until) {
		writes = writes && p.writes
		if until.Before(p.until) {
			until = p.until
		}
	}
	p.until, p.writes = until, writes
	p.active.Store(true)
	p.signal()
}

// clear ends the pause.
func (p *pause) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active.Store(false)
	p.signal()
}

// signal makes everybody who waits look again; mu is held.
func (p *pause) signal() {
	for c := range p.waiting {
		c.release(waitsForPause, outcomeAgain)
	}
}

// holds reports whether the command has to wait now. Who monitors is exempt,
// being a kind of replica to Redis.
func (p *pause) holds(c *conn, cmd *command) bool {
	if !p.active.Load() || c.monitoring {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !time.Now().Before(p.until) {
		p.active.Store(false)
		return false
	}
	return !p.writes || mayWrite(c, cmd)
}

func mayWrite(c *conn, cmd *command) bool {
	const f = write | mayReplicate
	return cmd.flags&f != 0 || cmd.flags&runsExec != 0 && c.tx.has(f)
}

// wait returns when the pause no longer holds the command, or the connection
// is to end.
func (p *pause) wait(c *conn, cmd *command) {
	for {
		c.arm(waitsForPause)
		p.mu.Lock()
		if p.waiting == nil {
			p.waiting = make(map[*conn]struct{})
		}
		p.waiting[c] = struct{}{}
		until := p.until
		p.mu.Unlock()
		out := outcomeEnd
		holds := p.holds(c, cmd)
		if holds {
			out = c.await(until)
		}
		p.mu.Lock()
		delete(p.waiting, c)
		p.mu.Unlock()
		c.disarm()
		if !holds || out == outcomeEnd {
			return
		}
	}
}
