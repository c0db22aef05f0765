package server

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"slotcast/channels"
	"slotcast/keyspace"
)

// hotSlot is a slot that changes hands in the tests of order.
type hotSlot struct {
	number int
	tag    string
	// dropped tells that it goes by DELSLOTS, which asks nobody about keys, and
	// not by SETSLOT NODE.
	dropped bool
}

func (h hotSlot) text() string { return strconv.Itoa(h.number) }

// key is a key of the slot that one writer alone sets.
func (h hotSlot) key(writer, n int) string { return fmt.Sprintf("{%s}%d-%d", h.tag, writer, n) }

const keysPerWriter = 2

func (h hotSlot) keys() (all []string) {
	for w := range orderWriters {
		for n := range keysPerWriter {
			all = append(all, h.key(w, n))
		}
	}
	return all
}

// mover gives its slots away and takes them back. Nobody else does, so it knows
// what it must see: its reply first, then the rows of its change.
type mover struct {
	*witness
	r     *rand.Rand
	slots []hotSlot
	keys  *keyspace.Keyspace
	// left is how many keys a slot had that was dropped.
	left map[int]int
}

func (m *mover) pick(dropped bool) hotSlot {
	for {
		if h := m.slots[m.r.IntN(len(m.slots))]; h.dropped == dropped {
			return h
		}
	}
}

func (m *mover) owner(h hotSlot) int { return int(m.witness.slots[h.number]) }

// change sends a command that shall give the slot to a node. If it is done, the
// row must come, and not before the reply.
func (m *mover) change(h hotSlot, to int, args ...string) (node, error) {
	before := m.owner(h)
	n, err := m.ask(args...)
	if err != nil {
		return n, err
	}
	if m.owner(h) != before {
		return n, fmt.Errorf("%q: the row came before the reply", args)
	}
	if err := m.settle(); err != nil {
		return n, err
	}
	if n.text == "OK" {
		before = to
	}
	if m.owner(h) != before {
		return n, fmt.Errorf("%q, answered %v: slot %d belongs to node %d", args, n, h.number, m.owner(h))
	}
	return n, m.checkLeft(h)
}

// checkLeft counts the keys of a slot that went. It does not wait for the lock
// of the slot, as a write that comes too late may still hold it.
func (m *mover) checkLeft(h hotSlot) error {
	keys := m.keys.Slot(uint16(h.number)).Len()
	left, gone := m.left[h.number]
	switch {
	case m.owner(h) == thisNode:
		delete(m.left, h.number)
	case !gone && h.dropped:
		m.left[h.number] = keys
	case keys != left:
		return fmt.Errorf("%d keys in slot %d, which went with %d", keys, h.number, left)
	}
	return nil
}

func (m *mover) setSlot(h hotSlot, to int) (node, error) {
	return m.change(h, to, "CLUSTER", "SETSLOT", h.text(), "NODE", orderNodes[to].id)
}

func (m *mover) step() error {
	h := m.pick(m.r.IntN(3) == 0)
	switch {
	case h.dropped && m.r.IntN(3) == 0:
		return m.dropInExec(h)
	case h.dropped:
		return m.dropOrAdd(h)
	case m.owner(h) == thisNode && m.r.IntN(2) == 0:
		return m.migrate(h)
	case m.r.IntN(4) == 0:
		return m.resubscribeInExec(h)
	case m.r.IntN(2) == 0:
		return m.moveInExec(h)
	}
	return m.moveAtOnce(h)
}

// another draws a node that may own the slot.
func (m *mover) another() int { return thisNode + m.r.IntN(3) }

// moveAtOnce is refused while the slot is this node's and has keys, which the
// writers may bring back as fast as they are deleted.
func (m *mover) moveAtOnce(h hotSlot) error {
	if m.owner(h) == thisNode {
		if _, err := m.ask(append([]string{"DEL"}, h.keys()...)...); err != nil {
			return err
		}
	}
	if m.owner(h) != thisNode && m.r.IntN(2) == 0 {
		if n, err := m.ask("CLUSTER", "SETSLOT", h.text(), "IMPORTING", orderNodes[m.owner(h)].id); err != nil || n.text != "OK" {
			return fmt.Errorf("IMPORTING: %v %w", n, err)
		}
	}
	n, err := m.setSlot(h, m.another())
	if err == nil && n.text != "OK" && !strings.Contains(n.text, "I still hold keys") {
		err = fmt.Errorf("SETSLOT NODE: %v", n)
	}
	return err
}

// migrate empties the slot as redis-cli would. Where nothing was in its way,
// no writer can have brought a key back, and the slot must go.
func (m *mover) migrate(h hotSlot) error {
	to := secondNode + m.r.IntN(2)
	n, err := m.ask("CLUSTER", "SETSLOT", h.text(), "MIGRATING", orderNodes[to].id)
	if err != nil || n.text != "OK" {
		return fmt.Errorf("MIGRATING: %v %w", n, err)
	}
	emptied := true
	for _, key := range h.keys() {
		if n, err = m.ask("DEL", key); err != nil {
			return err
		}
		if n.kind == '-' {
			if err := m.checkError(h.number, n.text); err != nil {
				return err
			}
			emptied = emptied && strings.HasPrefix(n.text, "ASK ")
		}
	}
	if m.r.IntN(5) == 0 {
		n, err = m.ask("CLUSTER", "SETSLOT", h.text(), "STABLE")
		return err
	}
	if n, err = m.setSlot(h, to); err == nil && emptied && n.text != "OK" {
		err = fmt.Errorf("an empty slot does not go: %v", n)
	}
	return err
}

// exec runs commands in a transaction. The answer is the error of EXEC, or what
// it returned.
func (m *mover) exec(commands ...[]string) (node, error) {
	for _, args := range slices.Concat([][]string{{"MULTI"}}, commands) {
		if _, err := m.ask(args...); err != nil {
			return node{}, err
		}
	}
	return m.ask("EXEC")
}

// moveInExec lets the slot pass through the hands of a node that must never be
// heard of, and may leave it where it was.
func (m *mover) moveInExec(h hotSlot) error {
	before, to := m.owner(h), m.another()
	n, err := m.exec(
		append([]string{"DEL"}, h.keys()...),
		[]string{"CLUSTER", "SETSLOT", h.text(), "NODE", orderNodes[hiddenNode].id},
		[]string{"CLUSTER", "SETSLOT", h.text(), "NODE", orderNodes[to].id})
	if err != nil {
		return err
	}
	if m.owner(h) != before {
		return fmt.Errorf("the row came before EXEC's reply")
	}
	if n.kind == '-' {
		// DEL was refused, because the slot is elsewhere or the cluster down.
		return m.withoutKeys(h, to)
	}
	if n.kind != '*' || n.items[1].text != "OK" || n.items[2].text != "OK" {
		return fmt.Errorf("EXEC: %v", n)
	}
	if err := m.expect(h, to); err != nil {
		return err
	}
	return m.checkLeft(h)
}

// withoutKeys is moveInExec for a slot whose keys are not here, or stay.
func (m *mover) withoutKeys(h hotSlot, to int) error {
	n, err := m.exec(
		[]string{"CLUSTER", "SETSLOT", h.text(), "NODE", orderNodes[hiddenNode].id},
		[]string{"CLUSTER", "SETSLOT", h.text(), "NODE", orderNodes[to].id})
	if err != nil {
		return err
	}
	if n.kind != '*' {
		return fmt.Errorf("EXEC: %v", n)
	}
	if n.items[1].text != "OK" {
		to = m.owner(h)
	}
	return m.expect(h, to)
}

func (m *mover) expect(h hotSlot, to int) error {
	if err := m.settle(); err != nil {
		return err
	}
	if m.owner(h) != to {
		return fmt.Errorf("slot %d belongs to node %d, not %d", h.number, m.owner(h), to)
	}
	return nil
}

// resubscribeInExec changes the map and subscribes in one EXEC: the snapshot
// has the change, and no row of it follows.
func (m *mover) resubscribeInExec(h hotSlot) error {
	to := m.another()
	before, snapshots := m.owner(h), m.snapshots
	for _, args := range [][]string{{"MULTI"},
		{"UNSUBSCRIBE", channels.Slots}, {"UNSUBSCRIBE", channels.Snapshot},
		{"SUBSCRIBE", channels.Snapshot},
		{"CLUSTER", "SETSLOT", h.text(), "NODE", orderNodes[to].id},
		{"SUBSCRIBE", channels.Slots},
	} {
		if _, err := m.ask(args...); err != nil {
			return err
		}
	}
	n, err := m.ask("EXEC")
	if err != nil {
		return err
	}
	if n.kind != '*' || len(n.items) != 5 || m.owner(h) != before {
		return fmt.Errorf("EXEC: %v", n)
	}
	if n.items[3].text == "OK" {
		// A row that said so again would be found out.
		m.witness.slots[h.number] = uint8(to)
	}
	if err := m.settle(); err != nil {
		return err
	}
	if m.snapshots != snapshots+1 {
		return fmt.Errorf("no snapshot after EXEC")
	}
	return nil
}

func (m *mover) dropOrAdd(h hotSlot) error {
	if err := m.checkLeft(h); err != nil {
		return err
	}
	command, to := "DELSLOTS", nobody
	if m.owner(h) == nobody {
		command, to = "ADDSLOTS", thisNode
	}
	args := []string{"CLUSTER", command, h.text()}
	if m.r.IntN(2) == 0 {
		args = []string{"CLUSTER", command + "RANGE", h.text(), h.text()}
	}
	n, err := m.change(h, to, args...)
	if err == nil && n.text != "OK" {
		err = fmt.Errorf("%q: %v", args, n)
	}
	return err
}

// dropInExec takes the slot away and brings it back, or the other way round,
// which is no change, and raises no row.
func (m *mover) dropInExec(h hotSlot) error {
	commands := [][]string{{"CLUSTER", "DELSLOTS", h.text()}, {"CLUSTER", "ADDSLOTS", h.text()}}
	if m.owner(h) == nobody {
		slices.Reverse(commands)
	}
	owner, told := m.owner(h), m.told[h.number]
	n, err := m.exec(commands...)
	if err != nil {
		return err
	}
	if n.kind != '*' || n.items[0].text != "OK" || n.items[1].text != "OK" {
		return fmt.Errorf("EXEC: %v", n)
	}
	if err := m.expect(h, owner); err != nil {
		return err
	}
	if m.told[h.number] != told {
		return fmt.Errorf("a row for an EXEC that changed nothing")
	}
	return nil
}
