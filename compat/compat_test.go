package compat

import (
	"regexp"
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

// A change is a command that changes slot 5461, and what a subscriber of each
// channel of the family gets of it; empty is nothing.
type change struct {
	command           []string
	nested, row, text string // of :row, :json and :moved
}

func TestSlotChanges(t *testing.T) {
	changes := []change{
		{
			command: []string{"CLUSTER", "DELSLOTS", "5461"},
			nested:  `[5461,5461]`,
			row:     `[5461,5461]`,
		},
		{
			command: []string{"CLUSTER", "ADDSLOTS", "5461"},
			nested:  `[5461,5461,["127.0.0.1",{port},"{id}",["config-epoch","1"]]]`,
			row:     `[5461,5461,["127.0.0.1",{port},"{id}",{"config-epoch":"1"}]]`,
			text:    `MOVED 5461 127.0.0.1:{port}`,
		},
		{
			command: []string{"CLUSTER", "SETSLOT", "5461", "NODE", "{other-id}"},
			nested:  `[5461,5461,["127.0.0.1",{other-port},"{other-id}",["config-epoch","2"]]]`,
			row:     `[5461,5461,["127.0.0.1",{other-port},"{other-id}",{"config-epoch":"2"}]]`,
			text:    `MOVED 5461 127.0.0.1:{other-port}`,
		},
	}
	file := readCells(t)
	eachClient(t, everyLibrary, func(t *testing.T, c client) {
		run := func(channel, snapshot, want string, of func(change) string) {
			t.Run(channel, func(t *testing.T) {
				n := startBeside(t)
				p := c.start(t, "subscribe", n.addr, channel, snapshot, "news")
				p.expect("subscribed "+channel, "subscribed "+snapshot, "subscribed news")
				// Redis.pm hands out what came with the confirmations only when
				// more comes.
				n.publish("news", "before")
				p.expect(n.fill("message "+snapshot+" "+want), `message news "before"`)
				for _, ch := range changes {
					n.ok(strings.Split(n.fill(strings.Join(ch.command, " ")), " ")...)
					if payload := of(ch); payload != "" {
						p.expect(n.fill("message " + channel + " " + payload))
					}
				}
				n.publish("news", "after")
				p.expect(`message news "after"`)
				p.finish()
			})
		}
		const mapJSON = `[[0,16383,["127.0.0.1",{port},"{id}",{"config-epoch":"1"}]]]`
		classes := file.classes[c.key()]
		if classes[2] == impossible {
			t.Skip("no message reaches a user of it")
		}
		if classes[1] == asRow {
			mapRows := `[[0,16383,["127.0.0.1",{port},"{id}",["config-epoch","1"]]]]`
			nested := func(ch change) string { return ch.nested }
			if c.resp == "3" {
				mapRows = mapJSON
				nested = func(ch change) string { return ch.row }
			}
			if c.untyped {
				mapRows = texts(mapRows)
				typed := nested
				nested = func(ch change) string { return texts(typed(ch)) }
			}
			run("__cluster-slots__", "__cluster-slots__:snapshot", mapRows, nested)
			run("__cluster-slots__:row", "__cluster-slots__:snapshot", mapRows, nested)
		}
		run("__cluster-slots__:json", "__cluster-slots__:snapshot:json", quote(mapJSON),
			func(ch change) string { return quote(ch.row) })
		run("__cluster-slots__:moved", "__cluster-slots__:snapshot:json", quote(mapJSON),
			func(ch change) string { return quote(ch.text) })
	})
}

// quote is a payload that reached its reader as a string, as JSON.
func quote(payload string) string {
	if payload == "" {
		return ""
	}
	return `"` + strings.ReplaceAll(payload, `"`, `\"`) + `"`
}

// number is a number in JSON, or a word to be filled in with one.
var number = regexp.MustCompile(`([\[,])(\d+|\{(?:other-)?port\})`)

// texts is a row whose numbers are text.
func texts(row string) string { return number.ReplaceAllString(row, `$1"$2"`) }

// TestKeyEvents follows all channels by a pattern: keyspace events and
// messages arrive, and nothing of the family when slots change.
func TestKeyEvents(t *testing.T) {
	file := readCells(t)
	eachClient(t, everyLibrary, func(t *testing.T, c client) {
		if file.classes[c.key()][2] == impossible {
			t.Skip("no message reaches a user of it")
		}
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
