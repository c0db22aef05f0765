package main

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"
)

// A slotMap knows the owner of every slot.
type slotMap struct {
	owners   [16384]string // host:port; empty where the slot has no owner
	fallback string        // the host of a node whose endpoint is unknown
}

func (m *slotMap) clear() { clear(m.owners[:]) }

// apply takes one row and returns the owner of its slots.
func (m *slotMap) apply(r row) (owner string) {
	if r.primary != nil {
		host := m.fallback
		if r.primary.endpoint != nil {
			host = *r.primary.endpoint
		}
		owner = net.JoinHostPort(host, strconv.Itoa(r.primary.port))
	}
	for slot := r.first; slot <= r.last; slot++ {
		m.owners[slot] = owner
	}
	return owner
}

// A row is a range of slots and who has it, as CLUSTER SLOTS gives it:
// [first, last, primary, replica, …].
type row struct {
	first, last int
	primary     *node // nil where the slots have no owner
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *row) UnmarshalJSON(text []byte) error {
	var fields []json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	if len(fields) < 2 {
		return fmt.Errorf("a row of %d fields: %s", len(fields), text)
	}
	if err := decodeAll(fields[:2], &r.first, &r.last); err != nil {
		return err
	}
	if r.first < 0 || r.first > r.last || r.last >= 16384 {
		return fmt.Errorf("a row of the slots %d to %d", r.first, r.last)
	}
	if len(fields) == 2 {
		return nil
	}
	return decodeAll(fields[2:3], &r.primary)
}

// A node is [endpoint, port, id, {metadata}]; a null endpoint is not known to
// the node that says so.
type node struct {
	endpoint *string
	port     int
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *node) UnmarshalJSON(text []byte) error {
	var fields []json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	if len(fields) < 2 {
		return fmt.Errorf("a node of %d fields: %s", len(fields), text)
	}
	return decodeAll(fields[:2], &n.endpoint, &n.port)
}

func decodeAll(fields []json.RawMessage, into ...any) error {
	for i, field := range fields {
		if err := json.Unmarshal(field, into[i]); err != nil {
			return err
		}
	}
	return nil
}

func decode(payload string, into any) error {
	if err := json.Unmarshal([]byte(payload), into); err != nil {
		return fmt.Errorf("%q: %w", payload, err)
	}
	return nil
}
