package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/channels"
	"slotcast/clusterstate"
)

// The nodes of the tests of order. Slots are given to the last one only inside
// an EXEC that takes them away again, so nobody may ever be told of it.
const (
	nobody = iota
	thisNode
	secondNode
	thirdNode
	hiddenNode
)

var orderNodes = []struct{ id, addr string }{
	nobody:     {},
	thisNode:   {strings.Repeat("a", 40), "127.0.0.1:6379"},
	secondNode: {strings.Repeat("b", 40), "127.0.0.1:30002"},
	thirdNode:  {strings.Repeat("c", 40), "127.0.0.1:30003"},
	hiddenNode: {strings.Repeat("d", 40), "127.0.0.1:30004"},
}

func nodeWith(match func(id, addr string) bool) (int, error) {
	n := slices.IndexFunc(orderNodes, func(n struct{ id, addr string }) bool { return n.id != "" && match(n.id, n.addr) })
	if n < 0 {
		return 0, fmt.Errorf("no such node")
	}
	if n == hiddenNode {
		return 0, fmt.Errorf("a state inside an EXEC is shown")
	}
	return n, nil
}

// slotMap says who owns each slot.
type slotMap [clusterstate.Slots]uint8

// whole tells that no slot is nobody's.
func (m *slotMap) whole() bool { return bytes.IndexByte(m[:], nobody) < 0 }

// row is one row of CLUSTER SLOTS or of a push.
type row struct{ start, end, owner int }

func (m *slotMap) set(r row) {
	for i := r.start; i <= r.end; i++ {
		m[i] = uint8(r.owner)
	}
}

func (m *slotMap) same(other *slotMap) error {
	if *m == *other {
		return nil
	}
	for i := range m {
		if m[i] != other[i] {
			return fmt.Errorf("slot %d belongs to node %d, and to node %d after the rows so far", i, m[i], other[i])
		}
	}
	return nil
}

func parseRow(n node) (r row, err error) {
	if n.kind == '$' {
		return parseRowJSON(n.text)
	}
	if len(n.items) < 2 {
		return r, fmt.Errorf("%v is no row", n)
	}
	r.start, _ = strconv.Atoi(n.items[0].text)
	r.end, _ = strconv.Atoi(n.items[1].text)
	if len(n.items) > 2 {
		id := n.items[2].items[2].text
		r.owner, err = nodeWith(func(known, _ string) bool { return id == known })
	}
	return r, err
}

func parseRowJSON(text string) (r row, err error) {
	var parts []any
	if err := json.Unmarshal([]byte(text), &parts); err != nil || len(parts) < 2 {
		return r, fmt.Errorf("%q is no row: %w", text, err)
	}
	r.start, r.end = int(parts[0].(float64)), int(parts[1].(float64))
	if len(parts) > 2 {
		id := parts[2].([]any)[2]
		r.owner, err = nodeWith(func(known, _ string) bool { return id == known })
	}
	return r, err
}

func parseMap(n node) (*slotMap, error) {
	if n.kind != '*' {
		return nil, fmt.Errorf("%v is no map", n)
	}
	m := new(slotMap)
	for _, item := range n.items {
		r, err := parseRow(item)
		if err != nil {
			return nil, err
		}
		m.set(r)
	}
	return m, nil
}

// parseMoved reads `MOVED <slot or range> <host:port>`.
func parseMoved(text string) (r row, err error) {
	words := strings.Fields(text)
	if len(words) != 3 || words[0] != "MOVED" {
		return r, fmt.Errorf("%q is no MOVED", text)
	}
	first, last, isRange := strings.Cut(words[1], "-")
	r.start, _ = strconv.Atoi(first)
	if r.end = r.start; isRange {
		r.end, _ = strconv.Atoi(last)
	}
	r.owner, err = nodeWith(func(_, addr string) bool { return words[2] == addr })
	return r, err
}

// witness is a connection that listens to slot changes and remembers what the
// rows have told it. Whatever else it is told must agree with that, at once.
type witness struct {
	*client
	name      string
	slots     slotMap
	known     bool // a snapshot has come
	snapshots int
	told      [clusterstate.Slots]int32 // rows that named the slot
	// frame is how a message has to begin, '*' or '>', if that is to be checked.
	frame byte
	// shards are the shard channels it is subscribed to, with their slots.
	shards map[string]int
}

func newWitness(t testing.TB, ts *testServer, name, protocol string, names ...string) *witness {
	w := &witness{client: ts.dial(t), name: name, shards: map[string]int{}}
	w.do("HELLO", protocol)
	w.send(append([]string{"SUBSCRIBE"}, names...)...)
	for range names {
		_, err := w.answer()
		require.NoError(t, err)
	}
	require.NoError(t, w.settle())
	require.True(t, w.known)
	return w
}

// next reads one reply or message.
func (w *witness) next() (node, error) {
	var raw strings.Builder
	if err := w.read(&raw); err != nil {
		return node{}, err
	}
	return parseReply(w.t, raw.String()), nil
}

// answer reads up to the next answer to a command, and hears the messages that
// come before it.
func (w *witness) answer() (node, error) {
	for {
		n, err := w.next()
		if err != nil {
			return n, err
		}
		switch {
		case w.frame != 0 && len(n.items) >= 3 && strings.HasSuffix(n.items[0].text, "message") && n.kind != w.frame:
			return n, fmt.Errorf("%v is not of the protocol, whose messages begin with %q", n, w.frame)
		case len(n.items) == 4 && n.items[0].text == "pmessage":
			if err := w.hear(n.items[2].text, n.items[3]); err != nil {
				return n, fmt.Errorf("%v: %w", n, err)
			}
		case len(n.items) == 3 && n.items[0].text == "message":
			if err := w.hear(n.items[1].text, n.items[2]); err != nil {
				return n, fmt.Errorf("%v: %w", n, err)
			}
		case n.kind == '>' && n.items[0].text == "cluster":
			if err := w.hear("", n.items[2]); err != nil {
				return n, fmt.Errorf("%v: %w", n, err)
			}
		case len(n.items) == 3 && n.items[0].text == "sunsubscribe":
			if err := w.lose(n.items[1].text); err != nil {
				return n, err
			}
		default:
			return n, nil
		}
	}
}

func (w *witness) ask(args ...string) (node, error) {
	if _, err := w.Write([]byte(request(args...))); err != nil {
		return node{}, err
	}
	return w.answer()
}

// settle reads all that was queued before now.
func (w *witness) settle() error {
	n, err := w.ask("PING")
	if err == nil && n.text != "PONG" && (len(n.items) != 2 || n.items[0].text != "pong") {
		err = fmt.Errorf("PING is answered with %v", n)
	}
	return err
}

func (w *witness) hear(channel string, payload node) error {
	if channel == channels.Snapshot {
		m, err := parseMap(payload)
		if err != nil {
			return err
		}
		if w.known {
			if err := m.same(&w.slots); err != nil {
				return fmt.Errorf("a snapshot is not what the rows said: %w", err)
			}
		}
		w.slots, w.known = *m, true
		w.snapshots++
		return nil
	}
	r, err := parseRow(payload)
	if channel == channels.SlotsMoved {
		r, err = parseMoved(payload.text)
	}
	if err != nil {
		return err
	}
	for i := r.start; i <= r.end; i++ {
		// Who is told of owners alone does not see a slot go and come back.
		if w.known && int(w.slots[i]) == r.owner && channel != channels.SlotsMoved {
			return fmt.Errorf("slot %d belongs to node %d already", i, r.owner)
		}
		w.told[i]++
	}
	w.slots.set(r)
	return nil
}

// lose is told that a shard channel ended because its slot went, which a row
// must have said before.
func (w *witness) lose(name string) error {
	slot, has := w.shards[name]
	if !has || w.slots[slot] == thisNode {
		return fmt.Errorf("%q ended while its slot belongs to node %d", name, w.slots[slot])
	}
	delete(w.shards, name)
	return nil
}

// checkError judges the refusal of a command for a slot. The slot may be open,
// and commands for several keys are about keys that all exist or may not.
func (w *witness) checkError(slot int, text string) error {
	owner := int(w.slots[slot])
	switch {
	case strings.HasPrefix(text, "MOVED "):
		r, err := parseMoved(text)
		if err == nil && (r.start != slot || r.owner != owner) {
			err = fmt.Errorf("%q for slot %d of node %d", text, slot, owner)
		}
		return err
	case strings.HasPrefix(text, "ASK "), strings.HasPrefix(text, "TRYAGAIN "):
		if owner == thisNode {
			return nil
		}
	case text == "CLUSTERDOWN Hash slot not served":
		if owner == nobody {
			return nil
		}
	case text == "CLUSTERDOWN The cluster is down":
		if !w.slots.whole() {
			return nil
		}
	}
	return fmt.Errorf("%q for slot %d of node %d", text, slot, owner)
}

// checkServed judges that a command for a slot was served.
func (w *witness) checkServed(slot int, needsAll bool) error {
	if owner := w.slots[slot]; owner != thisNode {
		return fmt.Errorf("served slot %d, which belongs to node %d", slot, owner)
	}
	if needsAll && !w.slots.whole() {
		return fmt.Errorf("served slot %d, while some slot belongs to nobody", slot)
	}
	return nil
}

// checkMap judges the answer of CLUSTER SLOTS.
func (w *witness) checkMap(n node) error {
	m, err := parseMap(n)
	if err != nil {
		return err
	}
	return m.same(&w.slots)
}

// giveTime moves the deadline of the connection.
func (w *witness) giveTime() { w.SetDeadline(time.Now().Add(3 * patience)) }
