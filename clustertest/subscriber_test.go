package clustertest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const family = "__cluster-slots__"

// form of the rows that a subscriber asks for.
type pushForm struct {
	name     string
	protocol string // of HELLO
	changes  string // the channel with the changes
	snapshot string // and with the map at the beginning
	moved    bool   // the changes are MOVED texts
}

var pushForms = []pushForm{
	{"rows in RESP2", "2", family, family + ":snapshot", false},
	{"rows in RESP3", "3", family + ":row", family + ":snapshot", false},
	{"JSON in RESP2", "2", family + ":json", family + ":snapshot:json", false},
	{"MOVED in RESP3", "3", family + ":moved", family + ":snapshot", true},
}

// A subscriber holds the map of a node as the messages tell it: the snapshot,
// and each change since. One that may give commands meanwhile asks for CLUSTER
// SLOTS after a change, on the same connection: what it holds once the reply is
// there must be that, at any time. So each row is held against a view that the
// node had, unless the next row overtook the reply.
type subscriber struct {
	form pushForm
	conn *client

	mu       sync.Mutex // guards the rest
	slots    slotMap
	begun    bool // the snapshot is there
	messages int  // changes since
	asked    bool // for CLUSTER SLOTS, whose reply is not there
	compared int  // replies with which the map has agreed
	err      error
}

// asks tells whether a subscriber of the form may give commands, and holds all
// that the replies tell.
func (f pushForm) asks() bool { return f.protocol == "3" && !f.moved }

// subscribe returns with the snapshot applied.
func subscribe(t testing.TB, n *node, form pushForm) *subscriber {
	t.Helper()
	conn, err := dial(n.addr)
	require.NoError(t, err)
	s := &subscriber{form: form, conn: conn}
	_, err = conn.do("HELLO", form.protocol)
	require.NoError(t, err)
	require.NoError(t, conn.send("SUBSCRIBE", form.changes, form.snapshot))
	require.NoError(t, conn.conn.SetDeadline(time.Time{}))
	done := make(chan struct{})
	go func() { // ends when the connection is closed
		defer close(done)
		s.listen()
	}()
	t.Cleanup(func() {
		conn.close()
		<-done
	})
	until(t, "the snapshot for "+form.name, func() string {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err != nil {
			return s.err.Error()
		}
		if !s.begun {
			return "not there"
		}
		return ""
	})
	return s
}

// listen applies what comes until the connection ends.
func (s *subscriber) listen() {
	for {
		message, err := s.conn.read()
		s.mu.Lock()
		lost := err != nil
		if !lost {
			err = s.take(message)
		}
		if err != nil && s.err == nil {
			s.err = err
		}
		s.mu.Unlock()
		if lost {
			return
		}
	}
}

// take applies one message. It is called with mu held.
func (s *subscriber) take(message any) error {
	m, is := message.([]any)
	if is && s.asked && isRows(m) {
		return s.compare(m)
	}
	if !is || len(m) != 3 {
		return fmt.Errorf("expected a message, got %v", message)
	}
	if m[0] == "subscribe" {
		return nil
	}
	payload := m[2]
	if text, is := payload.(string); is && !(s.form.moved && m[1] == s.form.changes) {
		var err error
		if payload, err = fromJSON(text); err != nil {
			return err
		}
	}
	if m[1] == s.form.snapshot {
		if s.begun {
			return fmt.Errorf("a second snapshot: %v", payload)
		}
		s.begun = true
		err := s.slots.applyAll(payload)
		if s.form.moved {
			s.slots = *s.slots.addresses()
		}
		return err
	}
	if m[0] != "message" || m[1] != s.form.changes || !s.begun {
		return fmt.Errorf("unexpected message %v", m)
	}
	s.messages++
	if s.form.moved {
		return s.slots.applyMoved(payload.(string))
	}
	if err := s.slots.apply(payload); err != nil || s.asked || !s.form.asks() {
		return err
	}
	s.asked = true
	return s.conn.send("CLUSTER", "SLOTS")
}

// isRows tells a reply to CLUSTER SLOTS from a message, which begins with a word.
func isRows(list []any) bool {
	if len(list) == 0 {
		return true
	}
	_, is := list[0].([]any)
	return is
}

// compare holds the map against a reply to CLUSTER SLOTS.
func (s *subscriber) compare(rows any) error {
	s.asked = false
	var said slotMap
	if err := said.applyAll(rows); err != nil {
		return err
	}
	if d := s.slots.difference(&said); d != "" {
		return fmt.Errorf("after change %d the rows say of %s by CLUSTER SLOTS", s.messages, d)
	}
	s.compared++
	return nil
}

// count returns how many changes have come.
func (s *subscriber) count() int {
	messages, _ := s.counts()
	return messages
}

// counts returns also how often they were compared.
func (s *subscriber) counts() (messages, compared int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messages, s.compared
}

// amiss compares what the subscriber holds with the map of a node.
func (s *subscriber) amiss(want *slotMap) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return fmt.Sprintf("%s: %v", s.form.name, s.err)
	}
	if s.form.moved {
		want = want.addresses()
	}
	if d := s.slots.difference(want); d != "" {
		return fmt.Sprintf("%s: %s", s.form.name, d)
	}
	return ""
}
