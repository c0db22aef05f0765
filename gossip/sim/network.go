package sim

import (
	"fmt"
	"slices"
	"time"

	"slotcast/gossip"
)

// tickInterval is how often each node is told that time passes.
const tickInterval = 100 * time.Millisecond

// Network is a set of machines and what is between them.
type Network struct {
	now  time.Duration
	wall time.Time // at time 0

	machines []*Machine
	byPlace  map[string]*Machine // ip:port of the bus
	texts    texts

	events events
	seq    uint64
	flying []*Flight // sent while held, in the order of sending
	held   bool

	sides map[*Machine]int // a partition: who is on which side; nil for none

	// Latency says how long something is under way, 0 if it is nil. On one
	// connection nothing overtakes what was sent before.
	Latency func(from, to *Machine) time.Duration

	// Grain is what arrivals are rounded up to, 0 for nothing. Those of one
	// moment then come machine by machine: what a large cluster costs is
	// mostly the way from one node's memory to the next one's.
	Grain time.Duration

	// Loses says whether a frame that is sent is lost. Its connection stands
	// all the same, as it does for a while where packets are dropped.
	Loses func(f *Flight) bool

	// Repeats says whether a frame arrives twice, Overtakes whether it may
	// arrive before what was sent earlier on its connection. TCP does neither;
	// a node has to stand it all the same, since frames of one sender come to
	// it on two connections.
	Repeats, Overtakes func(f *Flight) bool

	// Starts is called before a machine starts from its disk.
	Starts func(m *Machine)

	// Watch is called with what each step of a machine gave, once it has been
	// applied.
	Watch func(m *Machine, out gossip.Output)
}

// New returns an empty network.
func New() *Network {
	return &Network{wall: time.UnixMilli(1_700_000_000_000), byPlace: map[string]*Machine{}, texts: texts{}}
}

// Now is the time since the network began.
func (w *Network) Now() time.Duration { return w.now }

// Machines returns all machines in the order in which they were added.
func (w *Network) Machines() []*Machine { return w.machines }

// Machine returns the one of the name, nil if there is none.
func (w *Network) Machine(name string) *Machine {
	for _, m := range w.machines {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Run lets time pass. What is due at the same moment happens in the order in
// which it was begun.
func (w *Network) Run(d time.Duration) {
	end := w.now + d
	for len(w.events) > 0 && w.events[0].at <= end {
		e := w.events.pop()
		w.now = max(w.now, e.at)
		e.do()
	}
	w.now = end
}

// RunUntil lets time pass until the condition holds, and tells whether it came
// to hold within d.
func (w *Network) RunUntil(d time.Duration, holds func() bool) bool {
	for end := w.now + d; ; w.Run(tickInterval) {
		if holds() {
			return true
		}
		if w.now >= end {
			return false
		}
	}
}

// Hold keeps what is sent from now on in flight, until Release.
func (w *Network) Hold() { w.held = true }

// Release delivers what is in flight, and holds nothing any more.
func (w *Network) Release() {
	w.held = false
	for len(w.flying) > 0 {
		w.Deliver(w.flying[0])
	}
}

// Flying returns what is in flight while the network is held.
func (w *Network) Flying() []*Flight { return slices.Clone(w.flying) }

// Deliver lets something in flight arrive now.
func (w *Network) Deliver(f *Flight) {
	w.Drop(f)
	f.arrive()
}

// Drop takes something out of the flight.
func (w *Network) Drop(f *Flight) {
	w.flying = slices.DeleteFunc(w.flying, func(o *Flight) bool { return o == f })
}

// Partition splits the network: nothing crosses between the sides, and
// machines that are on none of them are on one of their own. Connections stand,
// but what is sent on them is lost.
func (w *Network) Partition(sides ...[]*Machine) {
	w.sides = map[*Machine]int{}
	for i, side := range sides {
		for _, m := range side {
			w.sides[m] = i + 1
		}
	}
}

// Heal ends the partition.
func (w *Network) Heal() { w.sides = nil }

// Apart tells whether a partition is between two machines.
func (w *Network) Apart(a, b *Machine) bool { return w.sides[a] != w.sides[b] }

// after lets something happen later.
func (w *Network) after(d time.Duration, do func()) { w.schedule(w.now+d, 0, do) }

func (w *Network) schedule(at time.Duration, group int, do func()) {
	w.seq++
	w.events.push(event{at: at, group: group, seq: w.seq, do: do})
}

// arrival lets something arrive.
func (w *Network) arrival(at time.Duration, f *Flight) {
	if w.Grain == 0 {
		w.schedule(at, 0, f.arrive)
		return
	}
	grains := (at + w.Grain - 1) / w.Grain
	w.schedule(grains*w.Grain, f.To.number, f.arrive)
}

// Flight is something on its way from one machine to another.
type Flight struct {
	From, To *Machine
	Frame    []byte // nil if it is the news that a connection stands or is gone
	What     string // for people

	arrive func()
}

func (f *Flight) String() string { return fmt.Sprintf("%s > %s %s", f.From.Name, f.To.Name, f.What) }

// launch sends something off.
func (w *Network) launch(f *Flight, latest *time.Duration) {
	if f.Frame != nil && (w.Apart(f.From, f.To) || w.Loses != nil && w.Loses(f)) {
		return
	}
	if w.held {
		w.flying = append(w.flying, f)
		return
	}
	if f.Frame != nil && w.Repeats != nil && w.Repeats(f) {
		w.arrival(w.now+w.latency(f), f)
	}
	delay := w.latency(f)
	if f.Frame != nil && w.Overtakes != nil && w.Overtakes(f) {
		w.arrival(w.now+delay, f)
		return
	}
	*latest = max(*latest, w.now+delay)
	w.arrival(*latest, f)
}

func (w *Network) latency(f *Flight) time.Duration {
	if w.Latency == nil {
		return 0
	}
	return w.Latency(f.From, f.To)
}
