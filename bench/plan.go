//go:build linux

package main

import (
	"errors"
	"fmt"
	"slices"
)

// plan is what the options ask to be measured, in order.
func (o *options) plan() ([]measurement, error) {
	if o.preset != "" {
		return o.presetPlan()
	}
	var list []measurement
	for _, name := range o.measure {
		var add []measurement
		var err error
		switch name {
		case "fanout":
			add, err = o.fanouts()
		case "forms":
			add, err = o.formComparisons()
		case "limits":
			add, err = o.limitRuns()
		case "memory":
			add, err = o.memories()
		case "requests":
			add, err = o.requestRates()
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

func (o *options) formComparisons() ([]measurement, error) {
	var list []measurement
	for _, rows := range o.rows {
		for _, subs := range o.subscribers {
			for _, s := range o.paces(fanoutSpec{subscribers: subs, publishers: 1, rows: rows, readers: o.readers}) {
				if s.rate > 0 {
					return nil, errors.New("-measure forms goes as fast as -depth allows: rows of one change leave together, and messages at a rate do not")
				}
				list = append(list, o.forms(s))
			}
		}
	}
	return list, nil
}

func (o *options) forms(s fanoutSpec) measurement {
	return &forms{spec: s, timing: o.timing, profile: o.profile}
}

// limitRuns have sizes of their own unless they are given: what fits others is
// too little to reach a limit.
func (o *options) limitRuns() ([]measurement, error) {
	own := *o
	if !o.given["subs"] {
		own.subscribers = []int{limitsSubs}
	}
	if !o.given["payload"] {
		own.payloads = []int{limitsPayload}
	}
	own.rate = max(o.rate, 1) // on a schedule in any case
	specs, err := own.specs()
	var list []measurement
	for _, s := range specs {
		list = append(list, o.limits(s, o.rate))
	}
	return list, err
}

func (o *options) limits(s fanoutSpec, rate float64) measurement {
	if s.rate = rate; rate == 0 {
		s.rate = max(float64(limitsLoad)/float64(s.subscribers), 1)
	}
	s.everyone = true
	return &limits{spec: s, bad: o.bad, limit: o.limit, timing: o.timing}
}

func (o *options) requestRates() ([]measurement, error) {
	if err := among("-t of -measure requests", o.tests, "set", "get"); err != nil {
		return nil, err
	}
	var list []measurement
	for _, c := range o.connections {
		for _, p := range o.pipelines {
			list = append(list, &requestRate{tests: o.tests, connections: c, pipeline: p, value: o.value, keys: o.keys,
				threads: o.readers, timing: o.timing, profile: o.profile})
		}
	}
	return list, nil
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
