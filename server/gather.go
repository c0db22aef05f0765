package server

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"slotcast/clusterstate"
	"slotcast/gossip"
	"slotcast/quirks"
)

// gatherer decides when moves are told to clients that have them gathered alike:
// at once after a quiet time, and together with others while slots go on moving.
// Without a hold all is told at once. It belongs to the owner's goroutine, and
// knows the time by what it is told.
type gatherer struct {
	hold  time.Duration
	until time.Duration // when the last hold ends
	// waiting are the slots that have moved meanwhile.
	waiting map[uint16]carried
}

// carried is what a frame carries about one slot: its last move, and the nodes
// that it had left before in the same hold.
type carried struct {
	gossip.Move
	before []clusterstate.NodeID
}

// take takes in moves, and gives what is to be told at once: the moves themselves
// after a quiet time, or those whose hold has ended. The ones that end it wait for
// the next frame, but for slots of which something waits.
func (g *gatherer) take(now time.Duration, moved []gossip.Move) []carried {
	if len(moved) == 0 {
		return nil
	}
	waiting := make(map[uint16]carried, len(moved))
	if now < g.until && g.waiting != nil {
		waiting = g.waiting
	}
	for _, mv := range moved {
		c, again := waiting[mv.Slot]
		if !again {
			c, again = g.waiting[mv.Slot]
			delete(g.waiting, mv.Slot)
		}
		if again {
			c.before = append(c.before, c.From)
		}
		c.Move = mv
		waiting[mv.Slot] = c
	}
	due := g.waiting
	g.waiting = waiting
	switch {
	case now < g.until:
		return nil
	case len(due) == 0:
		return g.release(now)
	}
	g.begin(now)
	return bySlot(due)
}

// release gives all that waits, and begins a hold unless that is nothing.
func (g *gatherer) release(now time.Duration) []carried {
	if len(g.waiting) == 0 {
		return nil
	}
	list := bySlot(g.waiting)
	g.waiting = nil
	g.begin(now)
	return list
}

// begin begins a hold, at the end of the last one if that has only just been. So
// nodes that hear of a move at nearly the same time go on ending their holds at
// nearly the same time, however late they get to it: most of their frames say the
// same, under one number, and cost a client that listens to all of them but once.
func (g *gatherer) begin(now time.Duration) {
	if g.until += g.hold; g.until <= now {
		g.until = now + g.hold
	}
}

func bySlot(waiting map[uint16]carried) []carried {
	return slices.SortedFunc(maps.Values(waiting), func(a, b carried) int { return int(a.Slot) - int(b.Slot) })
}

// wait tells how long what waits has to; ok is false if nothing does.
func (g *gatherer) wait(now time.Duration) (d time.Duration, ok bool) {
	return max(g.until-now, 0), len(g.waiting) > 0
}

// drop forgets what waits.
func (g *gatherer) drop() { g.waiting = nil }

// holds are how long moves are gathered: each for a group of clients.
var holds = quirks.Holds()

// gatherers are one for each group. All hear of every move, so that each client is
// told of it by exactly one, in the order of the moves of a slot.
type gatherers []gatherer

func newGatherers() (all gatherers) {
	for _, hold := range holds {
		all = append(all, gatherer{hold: hold})
	}
	return all
}

// telling is a frame for a group, by its place in holds.
type telling struct {
	group int
	list  []carried
}

// take takes in moves, and gives what is to be told at once.
func (all gatherers) take(now time.Duration, moved []gossip.Move) (told []telling) {
	for i := range all {
		if list := all[i].take(now, moved); len(list) > 0 {
			told = append(told, telling{i, list})
		}
	}
	return told
}

// release gives what has waited long enough.
func (all gatherers) release(now time.Duration) (told []telling) {
	for i := range all {
		if d, waits := all[i].wait(now); waits && d == 0 {
			told = append(told, telling{i, all[i].release(now)})
		}
	}
	return told
}

// wait tells how long the first of what waits has to; ok is false if nothing does.
func (all gatherers) wait(now time.Duration) (first time.Duration, ok bool) {
	for i := range all {
		if d, waits := all[i].wait(now); waits && (!ok || d < first) {
			first, ok = d, true
		}
	}
	return first, ok
}

// drop forgets what waits.
func (all gatherers) drop() {
	for i := range all {
		all[i].drop()
	}
}

// A mention is a slot in a frame: it was on one node, and is on the other.
type mention struct {
	gossip.Move
	// again says that the slot moved more than once.
	again bool
}

// mentions are what a list says. A client may have a slot at any of the nodes that
// it left, by an earlier frame or by a MOVED; each is a source, none is a target
// but the last. sayable is asked for the nodes and slots that can be named.
func mentions(list []carried, sayable func(gossip.Move) bool) (all []mention) {
	for _, c := range list {
		from := append(slices.Clone(c.before), c.From)
		slices.Sort(from)
		for _, id := range slices.Compact(from) {
			mv := c.Move
			mv.From = id
			if id != mv.To && sayable(mv) {
				all = append(all, mention{Move: mv, again: len(c.before) > 0})
			}
		}
	}
	return all
}

// gathered is where the numbers of frames begin that say more than one move. Those
// of moves are below, and all can be told apart in the doubles of JavaScript.
const gathered = 1 << 52

// frameNumber names what a frame says: that of its move, if it is one, as every
// node tells it. Clients drop a number that they have seen, so what says the same
// has the same number, whichever node it comes from and however it spells the
// addresses, and what says something else has another, but for one chance in 2^52.
func frameNumber(all []mention) int64 {
	if len(all) == 1 && !all[0].again {
		return all[0].Number()
	}
	var d xxhash.Digest
	d.Reset()
	var b []byte
	for _, m := range all {
		b = binary.BigEndian.AppendUint64(b[:0], uint64(m.Number()))
		b = append(append(append(append(b, m.From...), ' '), m.To...), '\n')
		d.Write(b)
	}
	return gathered | int64(d.Sum64()>>12)
}
