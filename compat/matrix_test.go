package compat

import (
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what is seen of the libraries into cells.txt and README.md")

const (
	// news is a channel like any other, to see what becomes of messages before
	// and after those of the family.
	news = "news"

	// short is how long something is waited for that is not expected to come.
	short = 3 * time.Second
)

// TestMatrix subscribes with every library, protocol and kind of client to each
// channel of the family, moves a slot, and compares what the user is handed
// with cells.txt.
func TestMatrix(t *testing.T) {
	file := readCells(t)
	if *update {
		t.Cleanup(func() { file.write(t) })
	}
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			argv := l.command(t)
			t.Parallel()
			s := newStage(t)
			for _, c := range l.clients(argv) {
				t.Run("resp"+c.resp+"/"+c.kind, func(t *testing.T) {
					if *update {
						file.set(c.key(), s.look(t, c))
						return
					}
					s.compare(t, c, file.classes[c.key()])
				})
			}
		})
	}
}

// compare holds a client to the classes of its cells.
func (s *stage) compare(t *testing.T, c client, want []class) {
	require.NotNil(t, want, "%v is not in cells.txt: -update writes it", c.key())
	if want[0] == impossible {
		s.compareImpossible(t, c)
		return
	}
	// What disturbs nothing else is seen in one run, the rest in one for each.
	var together []string
	for i, channel := range family {
		if slices.Contains(usual, want[i]) {
			together = append(together, channel)
		}
	}
	seen := map[string]sight{}
	if len(together) > 0 {
		seen = s.see(t, c, together, want)
	}
	for i, channel := range family {
		if _, is := seen[channel]; !is {
			seen[channel] = s.see(t, c, []string{channel}, want)[channel]
		}
		if seen[channel].class != want[i] {
			t.Errorf("%s is %q, cells.txt has %q\n%s", channel, seen[channel].class, want[i], seen[channel].story)
		}
	}
}

// look sees each channel by itself.
func (s *stage) look(t *testing.T, c client) []class {
	var classes []class
	for _, channel := range family {
		classes = append(classes, s.see(t, c, []string{channel}, nil)[channel].class)
	}
	return classes
}

// A sight is a class with the reason why, for failures.
type sight struct {
	class class
	story string
}

// see runs one program that subscribes to these channels and to news, and
// returns what became of each. What is wanted, if known, says what is worth a
// longer wait.
func (s *stage) see(t *testing.T, c client, channels []string, want []class) map[string]sight {
	before := s.subscribers()
	sent := map[string][][]string{}
	snapshots := func() {
		for _, m := range s.maps() {
			for _, channel := range []string{"__cluster-slots__:snapshot", "__cluster-slots__:snapshot:json"} {
				sent[channel] = append(sent[channel], []string{m})
			}
		}
	}
	wait := func(holds func(class) bool) time.Duration {
		for i, channel := range family {
			if slices.Contains(channels, channel) && (want == nil || !holds(want[i])) {
				return short
			}
		}
		return patience
	}
	connections := func() []string {
		return slices.DeleteFunc(s.subscribers(), func(id string) bool { return slices.Contains(before, id) })
	}

	snapshots()
	a := newAccount(c.start(t, "subscribe", s.cluster.Node(2).Addr(), append(slices.Clone(channels), news)...))
	outcome := func(all class) map[string]sight {
		result := map[string]sight{}
		for _, channel := range channels {
			result[channel] = sight{all, a.story()}
			if all == "" {
				result[channel] = sight{a.class(c, channel, sent[channel]), a.story()}
			}
		}
		return result
	}
	broken := func() map[string]sight {
		a.stop() // before it tries again
		if a.ended {
			return outcome(ends)
		}
		return outcome(desync)
	}

	arrives := wait(func(c class) bool { return c != desync && c != ends })
	if !a.until(patience, a.confirmed(append(slices.Clone(channels), news)...)) {
		return broken()
	}
	snapshots()
	s.publisher.do("PUBLISH", news, "before")
	if !a.until(arrives, a.has(news, "before")) {
		return broken()
	}
	at := connections()
	for _, told := range s.move() {
		for channel, as := range map[string]string{
			"__cluster-slots__":       "__cluster-slots__:json",
			"__cluster-slots__:row":   "__cluster-slots__:json",
			"__cluster-slots__:json":  "__cluster-slots__:json",
			"__cluster-slots__:moved": "__cluster-slots__:moved",
		} {
			sent[channel] = append(sent[channel], told[as])
		}
	}
	// What comes after is not in the same packet: a library may lose that with a
	// row that it cannot read.
	a.until(wait(func(c class) bool { return slices.Contains(right, c) }), func() bool {
		return len(a.errors) > 0 || !slices.ContainsFunc(channels, func(c string) bool { return len(a.payloads[c]) == 0 })
	})
	s.publisher.do("PUBLISH", news, "after")
	// A library may leave what it has read together with a payload that it
	// failed on until it reads more.
	for range 3 {
		if !a.until(min(arrives, short), a.has(news, "after")) {
			s.publisher.do("PUBLISH", news, "more")
		}
	}
	if !a.until(arrives, a.has(news, "after")) {
		return broken()
	}
	if !slices.Equal(at, connections()) {
		a.stop()
		return outcome(reconnects)
	}
	others := slices.DeleteFunc(slices.Clone(a.payloads[news]), func(payload any) bool { return payload == "more" })
	if !slices.Equal(others, []any{"before", "after"}) {
		return outcome(desync)
	}
	if len(a.errors) > 0 {
		return outcome(failing)
	}
	a.finishes()
	return outcome("")
}

func (a *account) class(c client, channel string, sent [][]string) class {
	return classify(a.payloads[channel], sent, channel, c.untyped)
}

// finishes ends the standard input of the program, which ends well.
func (a *account) finishes() {
	a.t.Helper()
	require.NoError(a.t, a.stdin.Close())
	a.rest()
}

// compareImpossible holds against a client that it cannot subscribe at all,
// nor to an ordinary channel of redis-server.
func (s *stage) compareImpossible(t *testing.T, c client) {
	gets := func(t *testing.T, addr string, publish func(message string), channels ...string) bool {
		a := newAccount(c.start(t, "subscribe", addr, channels...))
		if !a.until(short, a.confirmed(channels...)) {
			return false
		}
		publish("before")
		publish("after")
		return a.until(short, func() bool { return a.has(news, "before")() && a.has(news, "after")() })
	}
	t.Run("slotcast", func(t *testing.T) {
		publish := func(message string) { s.publisher.do("PUBLISH", news, message) }
		require.False(t, gets(t, s.cluster.Node(2).Addr(), publish, "__cluster-slots__:json", news), "the cells have become possible")
	})
	t.Run("redis-server", func(t *testing.T) {
		r := startRedis(t)
		publish := func(message string) { r.do("PUBLISH", news, message) }
		require.False(t, gets(t, r.addr, publish, news), "it works with redis-server")
	})
}

// TestPatterns follows all channels by a pattern, with every library, while a
// slot moves: there is nothing of the family.
func TestPatterns(t *testing.T) {
	eachStage(t, everyLibrary, func(t *testing.T, s *stage, c client) {
		a := newAccount(c.start(t, "subscribe", s.cluster.Node(2).Addr(), "*"))
		require.True(t, a.until(patience, a.confirmed("*")), a.story())
		s.publisher.do("PUBLISH", news, "before")
		require.True(t, a.until(patience, a.has(news, "before")), a.story())
		s.move()
		s.publisher.do("PUBLISH", news, "after")
		require.True(t, a.until(patience, a.has(news, "after")), a.story())
		a.finishes()
		require.Subset(t, []string{news, "witnesses"}, a.patterned, a.story())
	})
}

// TestKeys sets and gets keys with every library, in a cluster, and at a node
// that owns all slots.
func TestKeys(t *testing.T) {
	eachStage(t, everyLibrary, func(t *testing.T, s *stage, c client) {
		addr := s.cluster.Node(2).Addr()
		if c.kind == "single" {
			addr = startNode(t).addr
		}
		require.Equal(t, []string{"keys 50"}, c.start(t, "keys", addr).rest())
	})
}

// eachStage runs a test for every way to use a library that is wanted, in
// parallel for libraries, each with a cluster of its own.
func eachStage(t *testing.T, wanted func(library) bool, test func(t *testing.T, s *stage, c client)) {
	file := readCells(t)
	for _, l := range libraries {
		if !wanted(l) {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			argv := l.command(t)
			t.Parallel()
			s := newStage(t)
			for _, c := range l.clients(argv) {
				if classes := file.classes[c.key()]; slices.Contains(classes, impossible) {
					continue // as TestMatrix shows
				}
				t.Run("resp"+c.resp+"/"+c.kind, func(t *testing.T) { test(t, s, c) })
			}
		})
	}
}
