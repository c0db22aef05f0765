//go:build linux

package main

import (
	"context"
	"fmt"
)

// forms measures what the rows of slot changes cost against messages of an
// ordinary channel with as many bytes, and subscribers of every protocol and
// form together against those of one alone: slotcast only, the same load on each
// in every round.
type forms struct {
	spec    fanoutSpec // of the rows; kind and resp are those of each form
	timing  timing
	profile *profiler
}

// form is what all subscribers of a run listen to.
type form struct {
	name, kind, resp string
}

// formList begins with what the others are compared with. The mixed one has as
// many of each of the three before it.
var formList = []form{
	{"ordinary channel", "channel", "2"},
	{"rows, RESP2", "slots", "2"},
	{"rows, RESP3", "slots", "3"},
	{"rows, JSON", "slots:json", "2"},
	{"rows, mixed", "slots:mixed", "2"},
}

func (m *forms) title() string {
	s := m.spec
	by := "acknowledgement"
	if s.byReceipt {
		by = "receipt"
	}
	return fmt.Sprintf("forms, %d subscribers, %s a change, depth %d by %s, messages of the ordinary channel as long as RESP2 rows",
		s.subscribers, counted(s.rows, "row"), s.depth, by)
}

func (m *forms) settings() any {
	s := m.spec.settings("forms", m.timing)
	s.Channel, s.RESP, s.Rows, s.Payload = "", "", m.spec.rows, 0
	return s
}

func (m *forms) clients() int            { return m.spec.clients() }
func (m *forms) figures() []figure       { return (&fanout{spec: m.spec}).figures() }
func (m *forms) suits(c *contender) bool { return c.knows(mustKind("slots")) }

// variants are the columns of the table: slotcast once with each form. The
// cluster file costs no disk, whose waits would be counted as the rows' own.
func (m *forms) variants(contenders []*contender) []*contender {
	var list []*contender
	for _, c := range contenders {
		if !m.suits(c) {
			continue
		}
		for _, f := range formList {
			v := *c
			v.Name, v.mode, v.base = f.name, f.name, inMemoryIfThere()
			if c.Name != slotcastName {
				v.Name = c.Name + " " + f.name
			}
			list = append(list, &v)
		}
	}
	return list
}

// comparisons adds what the mixed ones cost against the mean of one kind each.
func (m *forms) comparisons() []comparison {
	last := len(formList) - 1
	c := comparison{label: "mixed / mean of one kind", of: formList[last].name}
	for _, f := range formList[1:last] {
		c.to = append(c.to, f.name)
	}
	return []comparison{c}
}

func (m *forms) measure(ctx context.Context, in *instance) (values, error) {
	for _, f := range formList {
		if f.name != in.contender.mode {
			continue
		}
		spec := m.spec
		spec.kind, spec.resp = mustKind(f.kind), f.resp
		if !spec.kind.slots {
			var err error
			if spec.payload, err = ordinaryPayload(in, m.spec.rows); err != nil {
				return nil, fmt.Errorf("length of rows: %w", err)
			}
			spec.depth *= spec.rows // as many messages in flight as rows
		}
		return (&fanout{spec: spec, timing: m.timing, profile: m.profile}).measure(ctx, in)
	}
	return nil, fmt.Errorf("no form %q", in.contender.mode)
}

// ordinaryPayload is how many bytes a message of the ordinary channel carries
// if it is to be as long as a row is on average, those of slots that are taken
// away and those of slots that are given back.
func ordinaryPayload(in *instance, rows int) (int, error) {
	mean, err := meanRow(in, rows)
	if err != nil {
		return 0, err
	}
	header := mustKind("channel").listeners[0].header(2)
	payload := wordSize
	for newFixedFrames(header, payload+1).size <= mean {
		payload++
	}
	return payload, nil
}

// meanRow is the mean length of the messages of one change and of its reversal.
func meanRow(in *instance, rows int) (int, error) {
	listener := mustKind("slots").listeners[0]
	fd, err := dial(in.network, in.addr)
	if err != nil {
		return 0, err
	}
	defer hangUp(fd)
	if _, err := ask(fd, appendCommand(nil, listener.subscribe, listener.name), 1); err != nil {
		return 0, err
	}
	admin, err := dial(in.network, in.addr)
	if err != nil {
		return 0, err
	}
	defer hangUp(admin)
	change := newChanges(rows)
	if _, err := ask(admin, change.append(change.append(nil, 0), 1), 2); err != nil {
		return 0, err
	}
	frames, err := ask(fd, nil, 2*rows)
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, f := range frames {
		sum += len(f)
	}
	return sum / len(frames), nil
}
