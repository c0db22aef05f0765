//go:build linux

package main

import "time"

// preset is a size of what a run without -measure measures: the kinds are the
// same in all, since a quick look should show each of them.
type preset struct {
	rounds int
	timing timing

	fanouts     []fanoutSize
	rate        fanoutSize // at which messages leave at a steady 1,000 a second
	forms       []formSize
	subscribers int   // of forms
	limits      int   // good subscribers
	bad         int   // of each kind beside them
	idle        []int // subscribers whose memory is read; the last also after a burst
	failover    int   // subscribers
	slots       []int // connections that ask for CLUSTER SLOTS
	connections []int // that send GET and SET
	pipelines   []int
}

// fanoutSize is who sends how to an ordinary channel.
type fanoutSize struct {
	subscribers, publishers, depth int
	byReceipt                      bool
}

// formSize is how many rows a change has, and how many changes are in flight.
type formSize struct {
	rows, depth int
	byReceipt   bool
}

// Of full, every figure that the project is judged by is a part. Its five rounds
// take an hour and a half; with -rounds 3 -warmup 1s -duration 3s it is half an
// hour.
var presets = map[string]preset{
	"quick": {
		rounds:      2,
		timing:      timing{Warmup: 100 * time.Millisecond, Duration: 400 * time.Millisecond, Settle: 50 * time.Millisecond, Rest: 200 * time.Millisecond},
		fanouts:     []fanoutSize{{200, 1, 1, false}, {200, 1, 16, false}, {200, 1, 1, true}, {200, 8, 1, false}},
		rate:        fanoutSize{subscribers: 100, publishers: 1},
		forms:       []formSize{{100, 1, false}},
		subscribers: 200,
		limits:      200,
		bad:         10,
		idle:        []int{500, 1000},
		failover:    50,
		slots:       []int{50},
		connections: []int{50},
		pipelines:   []int{1, 16},
	},
	"full": {
		rounds: 5,
		timing: timing{Warmup: 2 * time.Second, Duration: 10 * time.Second, Settle: time.Second, Rest: 20 * time.Second},
		fanouts: []fanoutSize{
			{1000, 1, 1, false}, {1000, 1, 16, false}, {1000, 1, 1, true},
			{5000, 1, 1, false}, {5000, 1, 16, false}, {5000, 1, 1, true},
			{1000, 8, 1, false},
		},
		rate:        fanoutSize{subscribers: 100, publishers: 1},
		forms:       []formSize{{1, 1, false}, {1, 1, true}, {100, 1, false}},
		subscribers: 1000,
		limits:      limitsSubs,
		bad:         100,
		idle:        []int{5000, 10000},
		failover:    10000,
		slots:       []int{1, 50},
		connections: []int{50, 1000},
		pipelines:   []int{1, 16, 100},
	},
}

// steadyRate is that of the messages without a backlog.
const steadyRate = 1000

// presetPlan is what a preset measures, in order.
func (o *options) presetPlan() ([]measurement, error) {
	p := presets[o.preset]
	o.adjust(p)
	var list []measurement
	fan := func(s fanoutSize) fanoutSpec {
		return fanoutSpec{kind: mustKind("channel"), resp: "2", subscribers: s.subscribers, publishers: s.publishers,
			depth: s.depth, byReceipt: s.byReceipt, payload: 64, readers: o.readers}
	}
	for _, s := range p.fanouts {
		list = append(list, o.fanout(fan(s)))
	}
	steady := fan(p.rate)
	steady.rate = steadyRate
	list = append(list, o.fanout(steady))
	for _, f := range p.forms {
		list = append(list, o.forms(fanoutSpec{subscribers: p.subscribers, publishers: 1, rows: f.rows, depth: f.depth,
			byReceipt: f.byReceipt, readers: o.readers}))
	}
	good := fan(fanoutSize{subscribers: p.limits, publishers: 1})
	good.payload = limitsPayload
	list = append(list, o.limits(good, 0))
	burst := fan(fanoutSize{subscribers: p.idle[len(p.idle)-1], publishers: 1, depth: 16})
	burst.messages = o.messages
	list = append(list, &idleMemory{spec: burst, timing: o.timing})

	own := *o
	own.subscribers, own.channels, own.resp = p.idle, []string{"channel"}, []string{"2"}
	slopes, err := own.idleSlopes()
	if err != nil {
		return nil, err
	}
	own.subscribers = []int{p.failover}
	failovers, err := own.failovers()
	if err != nil {
		return nil, err
	}
	own.connections = p.slots
	list = append(append(append(list, slopes...), failovers...), own.slotReplies()...)
	requests, err := o.requestRates()
	return append(list, requests...), err
}

// adjust sets what a preset wants unless the command line says otherwise.
func (o *options) adjust(p preset) {
	if !o.given["rounds"] {
		o.rounds = p.rounds
	}
	for _, f := range []struct {
		name     string
		to, from *time.Duration
	}{
		{"warmup", &o.timing.Warmup, &p.timing.Warmup},
		{"duration", &o.timing.Duration, &p.timing.Duration},
		{"settle", &o.timing.Settle, &p.timing.Settle},
		{"rest", &o.timing.Rest, &p.timing.Rest},
	} {
		if !o.given[f.name] {
			*f.to = *f.from
		}
	}
	if !o.given["bad"] {
		o.bad = p.bad
	}
	if !o.given["c"] {
		o.connections = p.connections
	}
	if !o.given["P"] {
		o.pipelines = p.pipelines
	}
}
