package slotmap

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"
)

// A row is a range of slots and who has it, as CLUSTER SLOTS gives it:
// [first, last, primary, replica, …].
type row struct {
	first, last int
	nodes       []node // empty where the slots have no owner
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
	r.nodes = make([]node, len(fields)-2)
	into := []any{&r.first, &r.last}
	for i := range r.nodes {
		into = append(into, &r.nodes[i])
	}
	if err := decodeAll(fields, into); err != nil {
		return err
	}
	if r.first < 0 || r.first > r.last || r.last >= Slots {
		return fmt.Errorf("a row of the slots %d to %d", r.first, r.last)
	}
	return nil
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
	return decodeAll(fields[:2], []any{&n.endpoint, &n.port})
}

func decodeAll(fields []json.RawMessage, into []any) error {
	for i, field := range fields {
		if err := json.Unmarshal(field, into[i]); err != nil {
			return err
		}
	}
	return nil
}

// addr is host:port; fallback is the host of a node whose endpoint is unknown.
func (n node) addr(fallback string) string {
	host := fallback
	if n.endpoint != nil {
		host = *n.endpoint
	}
	return net.JoinHostPort(host, strconv.Itoa(n.port))
}
