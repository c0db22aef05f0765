package compat

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// commandLines are what the commands task prints for every library, and what
// it prints against redis-server.
var commandLines = []string{
	"ping PONG",
	"set OK",
	"get hello",
	"get-missing true",
	"setnx false",
	"set-get hello",
	"append 11",
	"strlen 11",
	"getrange lo wor",
	"incr 1",
	"incrby 42",
	"decr 41",
	"incrbyfloat 41.5",
	"incr-text value is not an integer or out of range",
	"mset OK",
	"mget [one two nil]",
	"binary 00ff0d0a24357f",
	"setbit 0",
	"bitcount 1",
	"expire true",
	"ttl 100",
	"persist true",
	"exists 2",
	"type string",
	"rename OK",
	"del 2",
	"pipeline [1 2 3]",
	"transaction [1 2 2]",
	"watch-quiet committed",
	"watch-changed aborted",
	"scan 500",
}

func TestCommands(t *testing.T) { commands(t, startNode(t)) }

// TestCommandsAgainstRedis keeps commandLines from being invented.
func TestCommandsAgainstRedis(t *testing.T) { commands(t, startRedis(t)) }

func commands(t *testing.T, n *node) {
	eachClient(t, hasCommands, func(t *testing.T, c client) {
		want := slices.DeleteFunc(slices.Clone(commandLines), func(line string) bool {
			name, _, _ := strings.Cut(line, " ")
			return slices.Contains(c.lacks[c.kind], name)
		})
		n.ok("FLUSHALL")
		p := c.start(t, "commands", n.addr)
		require.Equal(t, want, p.rest(), p.story())
	})
}

// TestSlotChanges changes a slot of a node in every way that a row can tell, also
// to a slot that nobody owns, and looks whether the snapshot and all rows reach
// the user in their order.
func TestSlotChanges(t *testing.T) {
	const snapshot = `[[0,16383,["127.0.0.1",{port},"{id}",{"config-epoch":"1"}]]]`
	changes := []struct{ command, row string }{
		{"CLUSTER DELSLOTS 5461", `[5461,5461]`},
		{"CLUSTER ADDSLOTS 5461", `[5461,5461,["127.0.0.1",{port},"{id}",{"config-epoch":"1"}]]`},
		{"CLUSTER SETSLOT 5461 NODE {other-id}", `[5461,5461,["127.0.0.1",{other-port},"{other-id}",{"config-epoch":"2"}]]`},
	}
	file := readCells(t)
	eachClient(t, everyLibrary, func(t *testing.T, c client) {
		classes := file.classes[c.key()]
		channel, baseline := "__cluster-slots__", "__cluster-slots__:snapshot"
		switch {
		case classes[0] == impossible:
			t.Skip("impossible, as TestMatrix shows")
		case slices.Contains(wrong, classes[0]):
			channel, baseline = "__cluster-slots__:json", "__cluster-slots__:snapshot:json"
		}
		n := startBeside(t)
		if c.wantsOK && c.kind == "cluster" {
			n.awaitOK()
		}
		a := newAccount(c.start(t, "subscribe", n.addr, channel, baseline, news))
		require.True(t, a.until(patience, a.confirmed(channel, baseline, news)), a.story())
		var rows []string
		for _, ch := range changes {
			n.ok(strings.Fields(n.fill(ch.command))...)
			rows = append(rows, n.fill(ch.row))
		}
		n.publish(news, "after")
		require.True(t, a.until(patience, a.has(news, "after")), a.story())
		// A library with a connection for each channel may be handed the rest later.
		require.True(t, a.until(patience, func() bool {
			return len(a.payloads[channel]) >= len(rows) && len(a.payloads[baseline]) > 0
		}), a.story())
		require.Contains(t, []class{asRow, asJSON}, a.class(c, channel, [][]string{rows}), a.story())
		require.Contains(t, []class{asMap, asJSON}, a.class(c, baseline, [][]string{{n.fill(snapshot)}}), a.story())
		a.finishes()
	})
}

// TestKeyEvents follows all channels by a pattern: keyspace events and
// messages arrive, and nothing of the family when slots change.
func TestKeyEvents(t *testing.T) {
	eachClient(t, hasCommands, func(t *testing.T, c client) {
		n := startNode(t)
		n.ok("CONFIG", "SET", "notify-keyspace-events", "KEA")
		p := c.start(t, "subscribe", n.addr, "*")
		p.expect("subscribed *")
		n.ok("CLUSTER", "DELSLOTS", "5461")
		n.ok("CLUSTER", "ADDSLOTS", "5461")
		n.ok("SET", "greeting", "hello")
		p.expect(
			`pmessage * __keyspace@0__:greeting "set"`,
			`pmessage * __keyevent@0__:set "greeting"`,
		)
		n.publish("news", "hello")
		p.expect(`pmessage * news "hello"`)
		require.Equal(t, "1", n.do("DEL", "greeting"))
		p.expect(
			`pmessage * __keyspace@0__:greeting "del"`,
			`pmessage * __keyevent@0__:del "greeting"`,
		)
		p.finish()
	})
}
