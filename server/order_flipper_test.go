package server

import (
	"fmt"
	"math/rand/v2"

	"slotcast/channels"
)

// flipper changes its protocol while it listens, leaves everything by RESET and
// comes back, on a channel or by a pattern, alone or in an EXEC. Each message
// must be in the form of its moment, and after RESET there must be none.
type flipper struct {
	*witness
	r *rand.Rand
}

func (f *flipper) step() error {
	if f.frame != 0 { // else it does not listen yet
		if err := f.leave(); err != nil {
			return err
		}
	}
	if n, err := f.ask("HELLO", "3"); err != nil || n.kind != '%' {
		return fmt.Errorf("HELLO 3: %v %w", n, err)
	}
	f.frame = '>'
	f.known = false
	var err error
	switch f.r.IntN(4) {
	case 0:
		err = f.confirmed("SUBSCRIBE", channels.Slots, channels.Snapshot)
	case 1:
		err = f.byPattern()
	case 2:
		err = f.inExec("SUBSCRIBE")
	case 3:
		err = f.inExec("PSUBSCRIBE")
	}
	if err == nil {
		err = f.settle()
	}
	if err == nil && !f.known {
		err = fmt.Errorf("no snapshot has come")
	}
	if err != nil {
		return err
	}
	n, err := f.ask("CLUSTER", "SLOTS")
	if err == nil {
		err = f.checkMap(n)
	}
	return err
}

func (f *flipper) confirmed(args ...string) error {
	if _, err := f.Write([]byte(request(args...))); err != nil {
		return err
	}
	for range args[1:] {
		if n, err := f.answer(); err != nil || len(n.items) != 3 {
			return fmt.Errorf("%q: %v %w", args, n, err)
		}
	}
	return nil
}

// inExec subscribes in a transaction, whose map is that of the snapshot.
func (f *flipper) inExec(kind string) error {
	for _, args := range [][]string{{"MULTI"}, {"CLUSTER", "SLOTS"}, {kind, channels.Slots}, {"SUBSCRIBE", channels.Snapshot}} {
		if n, err := f.ask(args...); err != nil || n.kind == '-' {
			return fmt.Errorf("%q: %v %w", args, n, err)
		}
	}
	n, err := f.ask("EXEC")
	if err != nil {
		return err
	}
	if f.known || len(n.items) != 3 {
		return fmt.Errorf("EXEC: %v, after a snapshot: %v", n, f.known)
	}
	m, err := parseMap(n.items[0])
	if err != nil {
		return err
	}
	before := f.snapshots
	f.slots, f.known = *m, true // the snapshot is compared with it
	if err := f.settle(); err != nil {
		return err
	}
	if f.snapshots != before+1 {
		return fmt.Errorf("%d snapshots after EXEC", f.snapshots-before)
	}
	return nil
}

// byPattern subscribes by a pattern, and then takes a baseline. A row may come
// before that is there, but none before the pattern is confirmed.
func (f *flipper) byPattern() error {
	before := f.told
	if err := f.confirmed("PSUBSCRIBE", channels.Slots); err != nil {
		return err
	}
	if f.told != before {
		return fmt.Errorf("a row came before the confirmation")
	}
	return f.confirmed("SUBSCRIBE", channels.Snapshot)
}

// leave goes back to RESP2 between two rows, and ends all subscriptions.
func (f *flipper) leave() error {
	if n, err := f.ask("HELLO", "2"); err != nil || n.kind != '*' {
		return fmt.Errorf("HELLO 2: %v %w", n, err)
	}
	f.frame = '*'
	if f.r.IntN(2) == 0 {
		if err := f.settle(); err != nil {
			return err
		}
	}
	if n, err := f.ask("RESET"); err != nil || n.text != "RESET" {
		return fmt.Errorf("RESET: %v %w", n, err)
	}
	f.frame = '!' // no message begins like that
	return f.settle()
}
