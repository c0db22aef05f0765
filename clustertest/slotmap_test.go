package clustertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const slots = 16384

// slotMap says for each slot who serves it: the shard as text, the same for
// all who spell it the same, or "" for nobody.
type slotMap [slots]string

// apply puts a row into the map: a pushed one, or one of CLUSTER SLOTS.
func (m *slotMap) apply(row any) error {
	list, is := row.([]any)
	if !is || len(list) < 2 {
		return fmt.Errorf("expected a row, got %v", row)
	}
	start, end, err := bounds(list)
	if err != nil {
		return err
	}
	shard := ""
	for i, entry := range list[2:] {
		text, err := spellNode(entry)
		if err != nil {
			return fmt.Errorf("row %v: %w", row, err)
		}
		list[i+2] = text
	}
	if len(list) > 2 {
		// Redis lists replicas in no order.
		replicas := list[3:]
		slices.SortFunc(replicas, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		shard = fmt.Sprint(list[2:]...)
	}
	for s := start; s <= end; s++ {
		m[s] = shard
	}
	return nil
}

func bounds(row []any) (start, end int, err error) {
	start, okStart := row[0].(int)
	end, okEnd := row[1].(int)
	if !okStart || !okEnd || start < 0 || start > end || end >= slots {
		return 0, 0, fmt.Errorf("expected a range of slots, got %v", row[:2])
	}
	return start, end, nil
}

// spellNode writes a node of a row as text, but for the pair that only pushed
// rows have.
func spellNode(entry any) (string, error) {
	f, is := entry.([]any)
	if !is || len(f) != 4 {
		return "", fmt.Errorf("expected a node, got %v", entry)
	}
	meta, is := f[3].([]any)
	if !is || len(meta)%2 != 0 {
		return "", fmt.Errorf("expected metadata, got %v", f[3])
	}
	text := fmt.Sprintf("{%v:%v %v", f[0], f[1], f[2])
	for i := 0; i < len(meta); i += 2 {
		if meta[i] != "config-epoch" {
			text += fmt.Sprintf(" %v=%v", meta[i], meta[i+1])
		}
	}
	return text + "}", nil
}

// applyAll puts every row of a whole map into an empty one.
func (m *slotMap) applyAll(rows any) error {
	*m = slotMap{}
	list, is := rows.([]any)
	if !is {
		return fmt.Errorf("expected rows, got %v", rows)
	}
	for _, row := range list {
		if err := m.apply(row); err != nil {
			return err
		}
	}
	return nil
}

// applyMoved puts a message of the channel with MOVED texts into the map, in
// which a shard is its primary's address.
func (m *slotMap) applyMoved(text string) error {
	f := strings.Fields(text)
	if len(f) != 3 || f[0] != "MOVED" {
		return fmt.Errorf("expected MOVED, a range and an address, got %q", text)
	}
	first, last, isRange := strings.Cut(f[1], "-")
	if !isRange {
		last = first
	}
	start, err1 := strconv.Atoi(first)
	end, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || start > end || end >= slots {
		return fmt.Errorf("expected slots in %q", text)
	}
	for s := start; s <= end; s++ {
		m[s] = f[2]
	}
	return nil
}

// addresses reduces each shard to its primary's address.
func (m *slotMap) addresses() *slotMap {
	out := new(slotMap)
	for s, shard := range m {
		addr, _, _ := strings.Cut(strings.TrimPrefix(shard, "{"), " ")
		out[s] = addr
	}
	return out
}

// difference says where two maps differ first, empty if nowhere.
func (m *slotMap) difference(other *slotMap) string {
	for s := range m {
		if m[s] != other[s] {
			return fmt.Sprintf("slot %d: %q, expected %q", s, m[s], other[s])
		}
	}
	return ""
}

// fromJSON reads the JSON form of a row, or of many, as the nested one. A map
// becomes the list of its keys and values.
func fromJSON(text string) (any, error) {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil, err
	}
	return flatten(v), nil
}

func flatten(v any) any {
	switch v := v.(type) {
	case float64:
		return int(v)
	case []any:
		for i := range v {
			v[i] = flatten(v[i])
		}
	case map[string]any:
		list := []any{}
		for key, value := range v {
			list = append(list, key, flatten(value))
		}
		return list
	}
	return v
}

// slotsOf asks a node for its map.
func slotsOf(n *node) *slotMap {
	n.t.Helper()
	m := new(slotMap)
	if err := m.applyAll(n.do("CLUSTER", "SLOTS")); err != nil {
		n.t.Fatalf("%s %s: CLUSTER SLOTS: %v", n.kind, n.addr, err)
	}
	return m
}
