package channels

import (
	"sync/atomic"

	"slotcast/glob"
)

// patterns is the name space of PSUBSCRIBE. A message is matched against each
// pattern, so there is one set and no spreading. Its lock is taken while a
// channel's is held, never the other way round.
type patterns struct {
	set   set
	names atomic.Int64
}

func (p *patterns) subscribe(pattern string, sub Subscriber) *Subscription {
	sn, first := p.set.subscribe(pattern, sub)
	if first {
		p.names.Add(1)
	}
	return sn
}

func (p *patterns) unsubscribe(sn *Subscription) {
	if p.set.unsubscribe(sn) {
		p.names.Add(-1)
	}
}

func (p *patterns) publish(channel []byte, of func(pattern string) Batch) int {
	p.set.mu.Lock()
	defer p.set.mu.Unlock()
	n := 0
	for pattern, t := range p.set.topics {
		if glob.Match([]byte(pattern), channel, false) {
			n += t.deliver(of(pattern))
		}
	}
	return n
}

// publishReserved leaves out the patterns that do not name the family.
func (p *patterns) publishReserved(channel string, of func(pattern string) Batch) {
	p.set.mu.Lock()
	defer p.set.mu.Unlock()
	for pattern, t := range p.set.topics {
		if MatchesFamily(pattern) && glob.Match([]byte(pattern), []byte(channel), false) {
			t.deliver(of(pattern))
		}
	}
}
