//go:build linux

package main

import (
	"bytes"
	"fmt"
)

// rowForm is what the payload of a slot change looks like.
type rowForm uint8

const (
	nestedRow rowForm = iota
	jsonRow
	movedText
)

// rowFrames are messages of the __cluster-slots__ family while slots are taken
// away and given back: command 0 takes rows slots away, command 1 gives them
// back, and so on. The slots are not neighbours, so each is a message of its
// own, and a subscriber knows which one must come next.
type rowFrames struct {
	header []byte // up to the payload
	form   rowForm
	rows   int // slots in each command
}

// rowSlot is the slot of the message at a place within its command.
func rowSlot(place int) int { return 2 * place }

// maxRows is how many slots there are that are not neighbours.
const maxRows = 16384 / 2

// command is the number of the command that a subscriber's nth message comes
// from. Nobody is told to go to a slot without an owner, so for MOVED texts
// only every second command counts.
func (f *rowFrames) command(n int64) uint64 {
	c := uint64(n) / uint64(f.rows)
	if f.form == movedText {
		return 2*c + 1
	}
	return c
}

func (f *rowFrames) deliveries(sent []uint64) int64 {
	commands := int64(sent[0])
	if f.form == movedText {
		commands /= 2
	}
	return commands * int64(f.rows)
}

func (f *rowFrames) consume(r *reader, s *subscriber, b []byte) (int, error) {
	used := 0
	for used < len(b) {
		n, err := replyLen(b[used:])
		if err != nil {
			return 0, err
		}
		if n == 0 {
			break
		}
		frame := b[used : used+n]
		payload, ok := bytes.CutPrefix(frame, f.header)
		if !ok {
			return 0, fmt.Errorf("a message that begins %.80q, expected %q", frame, f.header)
		}
		used += n
		place := int(s.received % int64(f.rows))
		command := f.command(s.received)
		if !f.matches(payload, rowSlot(place), command%2 == 1) {
			return 0, fmt.Errorf("message %d of a subscriber should be of slot %d, of command %d, but is %.120q",
				s.received, rowSlot(place), command, frame)
		}
		s.received++
		if place == f.rows-1 && probeOf(messageWord(0, command), r.subscribers) == s.number {
			// Timed is the last row of a change: the change has arrived.
			r.timed(0, command)
		}
	}
	return used, nil
}

// matches reports whether a payload is the row of a slot that is assigned, or
// is not.
func (f *rowFrames) matches(payload []byte, slot int, assigned bool) bool {
	if f.form == nestedRow {
		kind, elements, next, err := head(payload, 0)
		if err != nil || kind != '*' || assigned != (elements > 2) {
			return false
		}
		return bytes.HasPrefix(payload[next:], fmt.Appendf(nil, ":%d\r\n:%d\r\n", slot, slot))
	}
	kind, length, next, err := head(payload, 0)
	if err != nil || kind != '$' || length < 0 || next+length > len(payload) {
		return false
	}
	text := payload[next : next+length]
	if f.form == movedText {
		return bytes.HasPrefix(text, fmt.Appendf(nil, "MOVED %d ", slot))
	}
	rest, ok := bytes.CutPrefix(text, fmt.Appendf(nil, "[%d,%d", slot, slot))
	return ok && assigned == (len(rest) > 0 && rest[0] == ',')
}
