package compat

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var rows = flag.Int("rows", 2000, "how many rows TestManyRows has a node push")

const (
	// manySlots is how many slots the rows are about.
	manySlots = 1000
	// atOnce is how many rows are pushed before all subscribers are waited
	// for. What a slow one has not read yet stays below the limit for
	// subscribers.
	atOnce = 1000
)

// TestManyRows has one node push rows to one client of every library and to raw
// connections of both protocols, all at once: each gets all of them in their
// order.
func TestManyRows(t *testing.T) {
	file := readCells(t)
	n := startNode(t)
	var subscribers []*subscriber
	for _, resp := range []string{"2", "3"} {
		s := &subscriber{name: "raw, RESP" + resp, channel: "__cluster-slots__"}
		s.raw = dialNode(t, n.addr)
		s.raw.send("HELLO", resp)
		s.raw.send("SUBSCRIBE", s.channel)
		s.raw.ping("subscribed")
		subscribers = append(subscribers, s)
	}
	for _, l := range libraries {
		channel, _ := file.advice(l)
		for _, c := range l.clients(nil) {
			if file.classes[c.key()][0] == impossible {
				continue
			}
			t.Run(l.name, func(t *testing.T) { c.argv = l.command(t) }) // or leaves it out
			if c.argv == nil {
				break
			}
			a := newAccount(c.start(t, "subscribe", n.addr, channel, news))
			subscribers = append(subscribers, &subscriber{name: c.key().String(), channel: channel, account: a, library: l})
			break // one client of each
		}
	}
	for _, s := range subscribers {
		s.ready(t)
	}
	for from := 0; from < *rows; from += atOnce {
		count := min(atOnce, *rows-from)
		want := push(n, from, count)
		n.do("PUBLISH", news, fmt.Sprint(from))
		for _, s := range subscribers {
			s.takes(t, want, fmt.Sprint(from))
		}
	}
}

// push takes slots from the node and gives them back, in turn, and returns the
// rows that tell of it.
func push(n *node, from, count int) []string {
	var want []string
	for i := from; i < from+count; i++ {
		slot := i / 2 % manySlots
		command, row := "DELSLOTS", fmt.Sprintf("[%d,%d]", slot, slot)
		if i%2 == 1 {
			command = "ADDSLOTS"
			row = fmt.Sprintf(`[%d,%d,["127.0.0.1",%d,"%s",{"config-epoch":"0"}]]`, slot, slot, n.port, n.id)
		}
		n.ok("CLUSTER", command, fmt.Sprint(slot))
		want = append(want, row)
	}
	return want
}

// A subscriber is one that rows are pushed to: a program, or a raw connection.
type subscriber struct {
	name    string
	channel string
	library library
	account *account
	raw     *node
}

func (s *subscriber) ready(t *testing.T) {
	t.Helper()
	if s.account != nil {
		require.True(t, s.account.until(patience, s.account.confirmed(s.channel, news)), s.account.story())
	}
}

// takes reads the messages of a batch of rows. A program has read them all once
// it has got as many and the message that came after them.
func (s *subscriber) takes(t *testing.T, want []string, last string) {
	t.Helper()
	if s.raw != nil {
		got := s.raw.ping("taken " + last)
		require.Equal(t, len(want), strings.Count(got, "$7\r\nmessage\r\n"), s.name)
		at := 0
		for _, row := range want {
			// The numbers of the slots, and whether somebody owns them.
			slot, _, _ := strings.Cut(row[1:], ",")
			head := fmt.Sprintf("*2\r\n:%s\r\n:%s\r\n", slot, slot)
			if strings.Contains(row, "config-epoch") {
				head = fmt.Sprintf("*3\r\n:%s\r\n:%s\r\n*4\r\n", slot, slot)
			}
			found := strings.Index(got[at:], head)
			require.GreaterOrEqual(t, found, 0, "%s: the row %s", s.name, row)
			at += found + len(head)
		}
		return
	}
	a := s.account
	got := func() []any { return a.payloads[s.channel] }
	complete := func() bool { return len(got()) >= len(want) && a.has(news, last)() }
	if !a.until(patience, complete) {
		require.FailNow(t, "rows are missing", "%s has %d of %d, and of %s: %v\n%s", s.name, len(got()), len(want), news, a.payloads[news], a.process.errors())
	}
	require.Len(t, got(), len(want), s.name)
	if s.library.unordered { // it gets text
		sort := func(a, b any) int { return strings.Compare(a.(string), b.(string)) }
		slices.SortFunc(got(), sort)
		want = slices.Sorted(slices.Values(want))
	}
	for i, row := range want {
		require.Contains(t, []class{asRow, asJSON}, classify(got()[i:i+1], [][]string{{row}}, s.channel, s.library.untyped),
			"%s, row %d: %v instead of %s; the next: %v", s.name, i, got()[i], row, got()[i+1:min(i+6, len(want))])
	}
	clear(a.payloads)
	a.seen = nil // or the story would be long
}
