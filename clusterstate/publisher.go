package clusterstate

import (
	"slices"
	"time"
)

// How long a changed replica list is held back: firstHold from its first
// unpublished change, twice as long each next time, lastHold at most, and
// firstHold again once the shard was quiet for holdReset.
const (
	firstHold = 100 * time.Millisecond
	lastHold  = 5 * time.Second
	holdReset = 10 * time.Second
)

// Publisher decides when a view is shown to subscribers. Everything is shown
// at once, except that a shard whose replicas come and go is held back a
// little, so that a flapping replica does not flood every subscriber. The
// published view therefore differs from the current one only in replica lists.
//
// A change of an owner or of an address is never held and takes along all that
// is. Times are monotonic, from any start.
type Publisher struct {
	current, published *View
	version            uint64
	holds              map[NodeID]hold // by primary
}

// hold is the history of one shard's replica list.
type hold struct {
	pending bool          // the published list is not the current one
	due     time.Duration // when a pending list is published
	length  time.Duration // of the latest hold
	changed time.Duration // when the current list last changed
}

// Publication says what to do now. View is the view to publish, nil if the
// published one stays; it may differ in nothing that rows show, which Version
// tells. If Wake is set, Tick wants to be called at WakeAt.
type Publication struct {
	View   *View
	Wake   bool
	WakeAt time.Duration
}

// NewPublisher starts with a view that counts as published.
func NewPublisher(v *View) *Publisher {
	return &Publisher{current: v, published: v, version: 1, holds: make(map[NodeID]hold)}
}

// Published returns the view that is published now.
func (p *Publisher) Published() *View { return p.published }

// Version is the number of the published view, from 1. It rises when snapshot
// rows of any variant come out otherwise, config epochs included, so what was
// rendered once stays good until it does.
func (p *Publisher) Version() uint64 { return p.version }

// Offer takes the next current view.
func (p *Publisher) Offer(now time.Duration, v *View) Publication {
	p.note(now, v)
	p.current = v
	if ownersOrAddressesDiffer(p.published, v) {
		for id, h := range p.holds {
			h.pending = false
			p.holds[id] = h
		}
	}
	return p.publish()
}

// Tick publishes what has been held for long enough.
func (p *Publisher) Tick(now time.Duration) Publication {
	due := false
	for id, h := range p.holds {
		switch {
		case h.pending && h.due <= now:
			h.pending, due = false, true
			p.holds[id] = h
		case !h.pending && now-h.changed >= holdReset:
			delete(p.holds, id)
		}
	}
	if !due {
		return p.wake(Publication{})
	}
	return p.publish()
}

// note brings the holds up to date with the step from the current view to v.
func (p *Publisher) note(now time.Duration, v *View) {
	for _, n := range renewed(p.current, v) {
		p.noteNode(now, n)
	}
	if p.published != p.current {
		for _, n := range renewed(p.published, v) {
			p.noteNode(now, n)
		}
	}
}

// noteNode may be told of a node twice.
func (p *Publisher) noteNode(now time.Duration, n *Node) {
	was, shown := p.current.version(n), p.published.version(n)
	if was == nil || shown == nil {
		return // a newcomer that owns nothing yet
	}
	h, known := p.holds[n.ID]
	changed := !sameListed(was, n)
	pending := !sameListed(shown, n)
	if !changed && pending == h.pending {
		return
	}
	if pending && !h.pending {
		if !known || now-h.changed >= holdReset {
			h.length = firstHold
		} else {
			h.length = min(2*h.length, lastHold)
		}
		h.due = now + h.length
	}
	h.pending = pending
	if changed {
		h.changed = now
	}
	p.holds[n.ID] = h
}

// publish makes the view that shows everything but the pending lists.
func (p *Publisher) publish() Publication {
	var held []*Node
	for id, h := range p.holds {
		if !h.pending {
			continue
		}
		n, shown := p.current.Node(id), p.published.Node(id)
		if n == nil || shown == nil {
			h.pending = false
			p.holds[id] = h
			continue
		}
		if n.seat == shown.seat && n.sameButReplicas(shown) {
			held = append(held, shown)
		} else {
			held = append(held, n.withReplicas(shown.Replicas))
		}
	}
	next := p.current.withNodes(held)
	if len(held) > 0 && next.sameAs(p.published) {
		next = p.published
	}
	var out Publication
	if next != p.published {
		if snapshotsDiffer(p.published, next) {
			p.version++
		}
		p.published = next
		out.View = next
	}
	return p.wake(out)
}

func (p *Publisher) wake(out Publication) Publication {
	for _, h := range p.holds {
		if h.pending && (!out.Wake || h.due < out.WakeAt) {
			out.Wake, out.WakeAt = true, h.due
		}
	}
	return out
}

// withNodes returns the view with some nodes replaced by others of the same
// ids, replica lists as given.
func (v *View) withNodes(nodes []*Node) *View {
	if len(nodes) == 0 {
		return v
	}
	e := v.Edit()
	e.claimNodes()
	for _, n := range nodes {
		i, _ := findNode(e.next.nodes, n.ID)
		e.replace(i, n)
	}
	return &e.next
}

func (v *View) sameAs(w *View) bool {
	e := Editor{base: v, next: *w, ownNodes: true}
	return e.unchanged()
}

// sameListed tells whether rows show the same replicas of both.
func sameListed(a, b *Node) bool {
	return slices.EqualFunc(a.listed, b.listed, func(r, s *Node) bool {
		return r == s || r.ID == s.ID && r.sameAddress(s)
	})
}

// snapshotsDiffer tells whether the snapshot rows of two views can differ.
func snapshotsDiffer(a, b *View) bool {
	if ownersOrAddressesDiffer(a, b) {
		return true
	}
	for was, n := range renewed(a, b) {
		if was == nil || was.ConfigEpoch != n.ConfigEpoch || !sameListed(was, n) {
			return true
		}
	}
	return false
}

// ownersOrAddressesDiffer tells whether a view differs from another in more
// than replica lists, as far as any client can see.
func ownersOrAddressesDiffer(a, b *View) bool {
	if settingsDiffer(a, b) {
		return true
	}
	for was, n := range renewed(a, b) {
		if was != nil && !was.sameAddress(n) {
			return true
		}
	}
	for range changes(a, b, redirectsDiffer) {
		return true
	}
	return false
}
