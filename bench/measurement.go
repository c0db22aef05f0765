//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// measurement is one kind of load with its settings. A new kind is a new type.
type measurement interface {
	// title says in one line what is measured, with every setting.
	title() string
	// settings is what the JSON file says of it.
	settings() any
	// figures are what measure returns, in the order of the table.
	figures() []figure
	// clients is how many connections the server must take.
	clients() int
	// suits reports whether the server has what the measurement needs.
	suits(*contender) bool
	// measure puts the load on a server that has just been started.
	measure(context.Context, *instance) (values, error)
}

// moded is a measurement that compares no servers, but one in several modes.
type moded interface {
	// variants are what it compares, the first with the others.
	variants([]*contender) []*contender
}

// compared is a measurement with ratios beyond those to the reference.
type compared interface {
	comparisons() []comparison
}

// comparison divides a server's figures, or those of a mode, by the mean of
// others' in the same round.
type comparison struct {
	label string
	of    string
	to    []string
}

// key is what the JSON file calls it.
func (c comparison) key(reference string) string {
	if len(c.to) == 1 && c.to[0] == reference {
		return c.of
	}
	return c.label
}

// timing is how long the parts of a measurement take.
type timing struct {
	Warmup   time.Duration
	Duration time.Duration
	// Settle is how long a server is left alone between the last subscriber and
	// the first message.
	Settle time.Duration
	// Rest is how long subscribers are idle before what they cost is read a
	// second time. redis-server shrinks the buffers of idle clients and gives
	// memory back for more than ten seconds, to a fifth of what it first took.
	Rest time.Duration
}

// round is what one measurement of one server gave.
type round struct {
	Server string `json:"server"`
	Round  int    `json:"round"`
	Values values `json:"values,omitempty"`
	Error  string `json:"error,omitempty"`
}

// result is one measurement over all rounds and servers.
type result struct {
	measurement measurement
	contenders  []*contender // those that it suits
	reference   string       // the contender that ratios refer to
	rounds      []round
}

// runner takes measurements one after the other.
type runner struct {
	contenders []*contender
	rounds     int
	unix       bool
	reference  string
	progress   io.Writer
}

// run measures every server in every round. The order turns with each round,
// so that none always finds the machine as another one left it.
func (r *runner) run(ctx context.Context, m measurement) (*result, error) {
	res := &result{measurement: m, reference: r.reference}
	if of, is := m.(moded); is {
		res.contenders = of.variants(r.contenders)
		if len(res.contenders) > 0 {
			res.reference = res.contenders[0].Name
		}
	} else {
		for _, c := range r.contenders {
			if m.suits(c) {
				res.contenders = append(res.contenders, c)
			}
		}
	}
	for n := range r.rounds {
		for i := range res.contenders {
			c := res.contenders[(n+i)%len(res.contenders)]
			fmt.Fprintf(r.progress, "  round %d of %d: %s\n", n+1, r.rounds, c.Name)
			v, err := r.once(ctx, m, c)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			one := round{Server: c.Name, Round: n + 1, Values: v}
			if err != nil {
				one.Error = err.Error()
				fmt.Fprintf(r.progress, "  %s: %v\n", c.Name, err)
			}
			res.rounds = append(res.rounds, one)
		}
	}
	return res, nil
}

func (r *runner) once(ctx context.Context, m measurement, c *contender) (values, error) {
	in, err := c.start(ctx, m.clients(), r.unix)
	if err != nil {
		return nil, err
	}
	defer in.stop()
	return m.measure(ctx, in)
}

// of returns the values of one server by round; a round that failed is empty.
func (res *result) of(server string) []values {
	var out []values
	for _, r := range res.rounds {
		if r.Server == server {
			out = append(out, r.Values)
		}
	}
	return out
}

// stderr is where progress goes: the table alone is on standard output.
var stderr io.Writer = os.Stderr
