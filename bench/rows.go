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
	// known are the messages seen last, by whether the slot was given back and
	// by place. They come again and again, and comparing costs the load
	// generator a small part of parsing. It belongs to one reader.
	known [2][][]byte
}

func newRowFrames(header []byte, form rowForm, rows int) *rowFrames {
	return &rowFrames{header: header, form: form, rows: rows, known: [2][][]byte{make([][]byte, rows), make([][]byte, rows)}}
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
		place := int(s.received % int64(f.rows))
		command := f.command(s.received)
		known := &f.known[command%2][place]
		n := len(*known)
		if n == 0 || !bytes.HasPrefix(b[used:], *known) {
			var err error
			if n, err = f.parse(b[used:], rowSlot(place), command%2 == 1); err != nil {
				return 0, fmt.Errorf("message %d of a subscriber, of command %d: %w", s.received, command, err)
			}
			if n == 0 {
				break
			}
			*known = bytes.Clone(b[used : used+n])
		}
		used += n
		s.received++
		if place == f.rows-1 && r.times(messageWord(0, command), s.number) {
			// Timed is the last row of a change: the change has arrived.
			r.timed(0, command)
		}
	}
	return used, nil
}

// parse returns the length of the first message in b, zero when it is not
// whole, and an error when it is not the row of that slot.
func (f *rowFrames) parse(b []byte, slot int, assigned bool) (int, error) {
	n, err := replyLen(b)
	if err != nil || n == 0 {
		return 0, err
	}
	payload, ok := bytes.CutPrefix(b[:n], f.header)
	if !ok || !f.matches(payload, slot, assigned) {
		return 0, fmt.Errorf("expected %q and a row of slot %d, got %.160q", f.header, slot, b[:n])
	}
	return n, nil
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
