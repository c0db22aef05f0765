//go:build linux

package main

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// plan is what the options ask to be measured, in order.
func (o *options) plan() ([]measurement, error) {
	switch o.preset {
	case "quick":
		o.adjust(2, timing{Warmup: 200 * time.Millisecond, Duration: 700 * time.Millisecond, Settle: 100 * time.Millisecond, Rest: time.Second})
		return o.presetPlan(200, 1000)
	case "full":
		return o.presetPlan(1000, 10000)
	}
	var list []measurement
	for _, name := range o.measure {
		var add []measurement
		var err error
		switch name {
		case "fanout":
			add, err = o.fanouts()
		case "memory":
			add, err = o.memories()
		case "commands":
			add = o.commandRates()
		case "moves":
			add = []measurement{&slotMoves{moves: o.moves}}
		case "idle":
			add, err = o.idleSlopes()
		case "slots":
			add = o.slotReplies()
		case "failover":
			add, err = o.failovers()
		case "reshard":
			add, err = o.reshards()
		}
		if err != nil {
			return nil, err
		}
		list = append(list, add...)
	}
	return list, nil
}

// adjust sets what a preset wants unless the command line says otherwise.
func (o *options) adjust(rounds int, t timing) {
	if !o.given["rounds"] {
		o.rounds = rounds
	}
	if !o.given["warmup"] {
		o.timing.Warmup = t.Warmup
	}
	if !o.given["duration"] {
		o.timing.Duration = t.Duration
	}
	if !o.given["settle"] {
		o.timing.Settle = t.Settle
	}
	if !o.given["rest"] {
		o.timing.Rest = t.Rest
	}
}

// presetPlan is what both presets measure, with so many subscribers: messages
// as fast as one publisher can at depth 1 and 16, at a steady rate, slot
// changes, memory, and GET and SET.
func (o *options) presetPlan(subscribers, idle int) ([]measurement, error) {
	base := fanoutSpec{resp: "2", subscribers: subscribers, publishers: 1, depth: 1, payload: 64, rows: 1, readers: o.readers}
	var list []measurement
	for _, change := range []func(*fanoutSpec, *channelKind){
		func(*fanoutSpec, *channelKind) {},
		func(s *fanoutSpec, _ *channelKind) { s.depth = 16 },
		func(s *fanoutSpec, _ *channelKind) { s.byReceipt = true },
		func(s *fanoutSpec, _ *channelKind) { s.subscribers, s.rate = 100, 1000 },
		func(s *fanoutSpec, k *channelKind) { s.rows = 100; *k = mustKind("slots:mixed") },
	} {
		spec, kind := base, mustKind("channel")
		change(&spec, &kind)
		spec.kind = kind
		list = append(list, o.fanout(spec))
	}
	memory := base
	memory.kind, memory.subscribers, memory.depth, memory.messages = mustKind("channel"), idle, 16, o.messages
	list = append(list, &idleMemory{spec: memory, timing: o.timing})
	return append(list, o.commandRates()...), nil
}

// mustKind finds a kind by a name that is written in this file.
func mustKind(name string) channelKind {
	k, err := findChannelKind(name)
	if err != nil {
		panic(err)
	}
	return k
}

func (o *options) fanout(s fanoutSpec) measurement {
	return &fanout{spec: s, timing: o.timing, profile: o.profile}
}

// specs are all combinations of the fan-out settings.
func (o *options) specs() ([]fanoutSpec, error) {
	var list []fanoutSpec
	for _, name := range o.channels {
		kind, err := findChannelKind(name)
		if err != nil {
			return nil, err
		}
		sizes, publishers := o.payloads, o.publishers
		if kind.slots {
			sizes = o.rows
			if slices.Max(publishers) > 1 {
				return nil, fmt.Errorf("channel kind %s takes one publisher: who changes slots in turn with others cannot tell which row comes next", name)
			}
		}
		for _, size := range sizes {
			for _, resp := range o.resp {
				for _, subs := range o.subscribers {
					for _, pubs := range publishers {
						spec := fanoutSpec{kind: kind, resp: resp, subscribers: subs, publishers: pubs, readers: o.readers, payload: size}
						if kind.slots {
							spec.payload, spec.rows = 0, size
						}
						list = append(list, o.paces(spec)...)
					}
				}
			}
		}
	}
	return list, nil
}

// paces are the ways to send: at the rate, or at each depth.
func (o *options) paces(spec fanoutSpec) []fanoutSpec {
	if o.rate > 0 {
		spec.rate = o.rate
		return []fanoutSpec{spec}
	}
	var list []fanoutSpec
	for _, by := range o.by {
		for _, depth := range o.depths {
			spec.depth, spec.byReceipt = depth, by == "receipt"
			list = append(list, spec)
		}
	}
	return list
}

func (o *options) fanouts() ([]measurement, error) {
	specs, err := o.specs()
	var list []measurement
	for _, s := range specs {
		list = append(list, o.fanout(s))
	}
	return list, err
}

func (o *options) memories() ([]measurement, error) {
	specs, err := o.specs()
	var list []measurement
	for _, s := range specs {
		s.messages, s.byReceipt, s.rate = o.messages, false, 0
		if s.depth == 0 {
			s.depth = 1
		}
		list = append(list, &idleMemory{spec: s, timing: o.timing})
	}
	return list, err
}

func (o *options) commandRates() []measurement {
	var list []measurement
	for _, c := range o.connections {
		for _, p := range o.pipelines {
			m := &commandRate{
				benchmark: o.benchmark, tests: o.tests, connections: c, pipeline: p,
				value: o.value, keys: o.keys, timing: o.timing, profile: o.profile, requests: map[string]int{},
			}
			if o.requests > 0 {
				for _, t := range o.tests {
					m.requests[t] = o.requests
				}
			}
			list = append(list, m)
		}
	}
	return list
}

func (o *options) slotReplies() []measurement {
	var list []measurement
	for _, c := range o.connections {
		list = append(list, &slotReplies{connections: c, timing: o.timing, profile: o.profile})
	}
	return list
}

func (o *options) reshards() ([]measurement, error) {
	if len(o.clients) == 0 {
		return nil, errors.New("-measure reshard has no client")
	}
	var list []measurement
	for _, c := range o.clients {
		list = append(list, &reshard{client: c, slots: o.slots, timing: o.timing})
	}
	return list, nil
}
