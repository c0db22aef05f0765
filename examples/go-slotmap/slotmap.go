// Package slotmap keeps the map of a cluster's slots from the messages of
// __cluster-slots__, for any Go library that hands them out as text.
//
// Subscribe to Changes and Snapshot in one command: the map comes first, then
// every change after it. When the connection was lost, subscribe again; the map
// that comes again makes up for what was missed. The bare channel
// __cluster-slots__ sends nested arrays to libraries that do not say who they
// are; the channels that end in :json are text for all.
package slotmap

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// Slots is how many slots a cluster has.
const Slots = 16384

// The channels to subscribe to.
const (
	Changes  = "__cluster-slots__:json"
	Snapshot = "__cluster-slots__:snapshot:json"
)

// A Range is slots in a row with the same nodes.
type Range struct {
	First, Last int
	Nodes       []string // host:port, the primary first; nil if nobody owns the slots
}

// Owner is the primary, "" if there is none.
func (r Range) Owner() string {
	if len(r.Nodes) == 0 {
		return ""
	}
	return r.Nodes[0]
}

// String is the range with its owner.
func (r Range) String() string {
	owner := r.Owner()
	if owner == "" {
		owner = "nobody"
	}
	return fmt.Sprintf("%d-%d %s", r.First, r.Last, owner)
}

// A Map knows the nodes of every slot. Any goroutine may use it.
type Map struct {
	host string

	mu    sync.RWMutex // guards nodes
	nodes [Slots][]string
}

// New returns an empty map. The host is the one that subscribers connect to; it
// stands for nodes that do not know their own.
func New(host string) *Map { return &Map{host: host} }

// Apply takes a message to one of the channels and returns what it told.
func (m *Map) Apply(channel, payload string) ([]Range, error) {
	var rows []row
	if channel != Snapshot {
		payload = "[" + payload + "]"
	}
	if err := json.Unmarshal([]byte(payload), &rows); err != nil {
		return nil, fmt.Errorf("%s: %w", payload, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if channel == Snapshot {
		clear(m.nodes[:])
	}
	var told []Range
	for _, row := range rows {
		r := Range{First: row.first, Last: row.last}
		for _, n := range row.nodes {
			r.Nodes = append(r.Nodes, n.addr(m.host))
		}
		for slot := r.First; slot <= r.Last; slot++ {
			m.nodes[slot] = r.Nodes
		}
		told = append(told, r)
	}
	return told, nil
}

// Owner is the primary of a slot, "" if there is none.
func (m *Map) Owner(slot int) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return Range{Nodes: m.nodes[slot]}.Owner()
}

// Ranges are all slots that have an owner, in as few ranges as they need.
func (m *Map) Ranges() []Range {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var ranges []Range
	for slot, nodes := range m.nodes {
		last := len(ranges) - 1
		switch {
		case nodes == nil:
		case last >= 0 && ranges[last].Last == slot-1 && slices.Equal(ranges[last].Nodes, nodes):
			ranges[last].Last = slot
		default:
			ranges = append(ranges, Range{slot, slot, nodes})
		}
	}
	return ranges
}
