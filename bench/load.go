//go:build linux

package main

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// load is what a publisher sends: its commands by number, each answered by one
// line.
type load interface {
	append(b []byte, number uint64) []byte
}

// messages are PUBLISH or SPUBLISH commands that differ in the payload's word.
type messages struct {
	publisher int
	command   []byte
	at        int // of the word
}

func newMessages(command string, publisher, payload int) *messages {
	b := appendCommand(nil, command, benchChannel, strings.Repeat("x", payload))
	return &messages{publisher: publisher, command: b, at: len(b) - payload - 2}
}

func (m *messages) append(b []byte, number uint64) []byte {
	start := len(b)
	b = append(b, m.command...)
	binary.LittleEndian.PutUint64(b[start+m.at:], messageWord(m.publisher, number))
	return b
}

// changes take slots away from the server and give them back, in turn.
type changes struct {
	away, back []byte
}

func newChanges(rows int) *changes {
	slots := make([]string, rows)
	for i := range slots {
		slots[i] = strconv.Itoa(rowSlot(i))
	}
	return &changes{
		away: appendCommand(nil, append([]string{"CLUSTER", "DELSLOTS"}, slots...)...),
		back: appendCommand(nil, append([]string{"CLUSTER", "ADDSLOTS"}, slots...)...),
	}
}

func (c *changes) append(b []byte, number uint64) []byte {
	if number%2 == 0 {
		return append(b, c.away...)
	}
	return append(b, c.back...)
}
