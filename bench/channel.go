//go:build linux

package main

import (
	"fmt"
	"strings"
)

// channelKind is a way to listen, with the way to make messages for it.
type channelKind struct {
	name string
	// slots marks slotcast's own channels: an administrator changes slots
	// instead of publishing.
	slots   bool
	publish string // the command, for the others
	// listeners are what subscribers ask for, in turn.
	listeners []listener
}

// listener is one form of subscription and what its messages look like.
type listener struct {
	subscribe string // command
	name      string // channel or pattern
	message   string // kind of message that comes
	rows      rowForm
	resp      int // protocol, zero for the one that -resp says
}

const (
	benchChannel = "bench:channel"
	benchPattern = "bench:*"
	slotsChannel = "__cluster-slots__"
)

var channelKinds = []channelKind{
	{name: "channel", publish: "PUBLISH", listeners: []listener{{subscribe: "SUBSCRIBE", name: benchChannel, message: "message"}}},
	{name: "pattern", publish: "PUBLISH", listeners: []listener{{subscribe: "PSUBSCRIBE", name: benchPattern, message: "pmessage"}}},
	{name: "shard", publish: "SPUBLISH", listeners: []listener{{subscribe: "SSUBSCRIBE", name: benchChannel, message: "smessage"}}},
	{name: "slots", slots: true, listeners: []listener{slotsListener("", nestedRow, 0)}},
	{name: "slots:row", slots: true, listeners: []listener{slotsListener(":row", nestedRow, 0)}},
	{name: "slots:json", slots: true, listeners: []listener{slotsListener(":json", jsonRow, 0)}},
	{name: "slots:moved", slots: true, listeners: []listener{slotsListener(":moved", movedText, 0)}},
	{name: "slots:mixed", slots: true, listeners: []listener{
		slotsListener("", nestedRow, 2), slotsListener("", nestedRow, 3), slotsListener(":json", jsonRow, 2),
	}},
}

func slotsListener(suffix string, rows rowForm, resp int) listener {
	return listener{subscribe: "SUBSCRIBE", name: slotsChannel + suffix, message: "message", rows: rows, resp: resp}
}

func channelKindNames() string {
	names := make([]string, len(channelKinds))
	for i, k := range channelKinds {
		names[i] = k.name
	}
	return strings.Join(names, ", ")
}

func findChannelKind(name string) (channelKind, error) {
	for _, k := range channelKinds {
		if k.name == name {
			return k, nil
		}
	}
	return channelKind{}, fmt.Errorf("channel kind %q is none of %s", name, channelKindNames())
}

// protocol is what the subscriber of that number speaks: setting is "2", "3"
// or "mixed", which alternates.
func (l listener) protocol(setting string, number int) int {
	switch {
	case l.resp != 0:
		return l.resp
	case setting == "3", setting == "mixed" && number%2 == 1:
		return 3
	}
	return 2
}

// header is how every message to the listener begins, up to its payload.
func (l listener) header(resp int) []byte {
	parts := []string{l.message, l.name}
	if l.message == "pmessage" {
		parts = append(parts, benchChannel)
	}
	b := appendCommand(nil, parts...)
	// An array of the parts and the payload, or a push of as many.
	b[1]++
	if resp == 3 {
		b[0] = '>'
	}
	return b
}
