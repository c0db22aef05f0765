package server

import (
	"sync"
	"sync/atomic"
	"time"
)

// pause is CLIENT PAUSE: until its end, commands wait in the goroutines of
// their connections, holding no lock.
type pause struct {
	active atomic.Bool // false is the fast answer of holds

	mu     sync.Mutex // guards the rest
	until  time.Time
	writes bool // only commands that may write wait
	// changed is closed and replaced when the pause ends early, is altered, or
	// a waiting client is to be looked at.
	changed chan struct{}
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

// wakeAll makes everybody who waits look whether its connection still lives.
func (p *pause) wakeAll() {
	if !p.active.Load() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signal()
}

// signal is called with mu held.
func (p *pause) signal() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// holds reports whether the command has to wait now.
func (p *pause) holds(c *conn, cmd *command) bool {
	if !p.active.Load() {
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
	if cmd.flags&(write|mayReplicate) != 0 {
		return true
	}
	if cmd.flags&runsExec == 0 || c.tx == nil {
		return false
	}
	for _, q := range c.tx.queue {
		if q.cmd.flags&(write|mayReplicate) != 0 {
			return true
		}
	}
	return false
}

// wait returns when the pause no longer holds the command, or the connection
// is to end.
func (p *pause) wait(c *conn, cmd *command) {
	for p.holds(c, cmd) && !c.ended() {
		p.mu.Lock()
		if p.changed == nil {
			p.changed = make(chan struct{})
		}
		changed, left := p.changed, time.Until(p.until)
		p.mu.Unlock()
		timer := time.NewTimer(left)
		select {
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}
