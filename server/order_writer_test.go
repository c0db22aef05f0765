package server

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"slotcast/channels"
)

// writer sends pipelined commands for the hot slots on a connection that
// listens as well, so every answer has its place among the rows.
type writer struct {
	*witness
	id       int
	r        *rand.Rand
	slots    []hotSlot
	needsAll bool              // the cluster is down while a slot belongs to nobody
	acked    map[string]string // the last value that was acknowledged
	queued   bool              // every command since MULTI was queued
}

// sent is a command in the pipeline, with what its answer must be like.
type sent struct {
	args  []string
	check func(node) error
}

func (w *writer) step() error {
	var batch []sent
	for range 1 + w.r.IntN(6) {
		batch = append(batch, w.draw()...)
	}
	var raw strings.Builder
	for _, s := range batch {
		raw.WriteString(request(s.args...))
	}
	if _, err := w.Write([]byte(raw.String())); err != nil {
		return err
	}
	for _, s := range batch {
		n, err := w.answer()
		if err == nil {
			err = s.check(n)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", s.args, err)
		}
	}
	return nil
}

func (w *writer) draw() []sent {
	h := w.slots[w.r.IntN(len(w.slots))]
	key := h.key(w.id, w.r.IntN(keysPerWriter))
	value := strconv.FormatUint(w.r.Uint64(), 36)
	switch n := w.r.IntN(20); {
	case n < 4:
		return []sent{{[]string{"SET", key, value}, w.setting(h, value, key)}}
	case n < 8:
		// It tells that the key is missing before it sets it.
		return []sent{{[]string{"SET", key, value, "GET"}, w.setting(h, value, key)}}
	case n < 11:
		a, b := h.key(w.id, 0), h.key(w.id, 1)
		return []sent{{[]string{"MSET", a, value, b, value}, w.setting(h, value, a, b)}}
	case n < 14:
		return []sent{{[]string{"GET", key}, func(n node) error { return w.checkValue(h, key, n) }}}
	case n < 16:
		return []sent{{[]string{"CLUSTER", "SLOTS"}, w.checkMap}}
	case n < 18:
		return w.transaction(h, key, value)
	}
	name := fmt.Sprintf("{%s}channel", h.tag)
	return []sent{{[]string{"SSUBSCRIBE", name}, func(n node) error {
		if n.kind == '-' {
			return w.checkError(h.number, n.text)
		}
		w.shards[name] = h.number
		return w.checkServed(h.number, false)
	}}}
}

// setting judges the answer of a command that sets keys.
func (w *writer) setting(h hotSlot, value string, keys ...string) func(node) error {
	return func(n node) error {
		if n.kind == '-' {
			return w.checkError(h.number, n.text)
		}
		for _, key := range keys {
			w.acked[key] = value
		}
		return w.checkServed(h.number, w.needsAll)
	}
}

// checkValue judges what was read: the last value that was acknowledged, or
// none, because a mover deletes.
func (w *writer) checkValue(h hotSlot, key string, n node) error {
	switch {
	case n.kind == '-':
		return w.checkError(h.number, n.text)
	case n.kind != '0' && n.text != w.acked[key]:
		return fmt.Errorf("%q was never the last value acknowledged, which is %q", n.text, w.acked[key])
	}
	return w.checkServed(h.number, w.needsAll)
}

// transaction is redirected when its commands are queued, and again by EXEC.
// The map in its answer is that of EXEC's moment.
func (w *writer) transaction(h hotSlot, key, value string) []sent {
	queue := func(n node) error {
		if n.kind == '-' {
			w.queued = false
			return w.checkError(h.number, n.text)
		}
		return w.checkServed(h.number, w.needsAll)
	}
	exec := func(n node) error {
		switch {
		case strings.HasPrefix(n.text, "EXECABORT ") && !w.queued:
			return nil
		case n.kind == '-':
			return w.checkError(h.number, n.text)
		}
		w.acked[key] = value
		if n.items[2].text != value {
			return fmt.Errorf("EXEC: %v", n)
		}
		if err := w.checkMap(n.items[1]); err != nil {
			return err
		}
		return w.checkServed(h.number, w.needsAll)
	}
	return []sent{
		{[]string{"MULTI"}, func(node) error { w.queued = true; return nil }},
		{[]string{"SET", key, value, "GET"}, queue},
		{[]string{"CLUSTER", "SLOTS"}, func(node) error { return nil }},
		{[]string{"GET", key}, queue},
		{[]string{"EXEC"}, exec},
	}
}

// subscriber takes a new snapshot again and again, which must be what the rows
// have told it, and leaves and joins the rows between two of them.
type subscriber struct {
	*witness
	r       *rand.Rand
	channel string
}

func (s *subscriber) step() error {
	left := s.r.IntN(3) == 0
	if left {
		// Rows that come before the confirmation still count.
		if _, err := s.ask("UNSUBSCRIBE", s.channel); err != nil {
			return err
		}
		s.known = false
	}
	if _, err := s.ask("UNSUBSCRIBE", channels.Snapshot); err != nil {
		return err
	}
	names := []string{channels.Snapshot}
	if left {
		names = append(names, s.channel)
	}
	before := s.snapshots
	if _, err := s.ask(append([]string{"SUBSCRIBE"}, names...)...); err != nil {
		return err
	}
	if left {
		if _, err := s.answer(); err != nil {
			return err
		}
	}
	if err := s.settle(); err != nil {
		return err
	}
	if s.snapshots != before+1 {
		return fmt.Errorf("%d snapshots for one subscription", s.snapshots-before)
	}
	return nil
}

// bareSubscriber has its rows as bare pushes, which it asks for again and again.
// Where they begin and end, the map that it asks for agrees with them.
type bareSubscriber struct {
	*witness
	r *rand.Rand
}

func (s *bareSubscriber) step() error {
	for _, args := range [][]string{
		{"CLUSTER", "UNSUBSCRIBE", "SLOTS"}, {"UNSUBSCRIBE", channels.Snapshot}, {"CLUSTER", "SUBSCRIBE", "SLOTS"},
	} {
		if n, err := s.ask(args...); err != nil || n.kind == '-' {
			return fmt.Errorf("%q: %v %w", args, n, err)
		}
	}
	s.known = false
	if _, err := s.ask("SUBSCRIBE", channels.Snapshot); err != nil {
		return err
	}
	for range 1 + s.r.IntN(4) {
		n, err := s.ask("CLUSTER", "SLOTS")
		if err == nil {
			err = s.checkMap(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
