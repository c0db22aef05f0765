package compat

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// redisCLI is the command line that reaches a node.
func redisCLI(t *testing.T, n *node, args ...string) (program string, argv []string) {
	t.Helper()
	return redistest.Bin(t, "redis-cli"), append([]string{"-p", strconv.Itoa(n.port)}, args...)
}

// TestRedisCLI runs one redis-cli for each line, on the same node.
func TestRedisCLI(t *testing.T) {
	n := startNode(t)
	for _, line := range []struct{ args, stdin, want string }{
		{args: "SET {a}1 hello", want: "OK\n"},
		{args: "GET {a}1", want: "hello\n"},
		{args: "-x SET {a}2", stdin: "from\nstdin", want: "OK\n"},
		{args: "--no-raw GET {a}2", want: "\"from\\nstdin\"\n"},
		{args: "-3 --no-raw MGET {a}1 {a}3", want: "1) \"hello\"\n2) (nil)\n"},
		{args: "--no-raw CONFIG GET port", want: "1) \"port\"\n2) \"{port}\"\n"},
		{args: "-3 --no-raw CONFIG GET port", want: "1# \"port\" => \"{port}\"\n"},
		{args: "-c GET {a}1", want: "hello\n"},
		{args: "--csv MGET {a}1 {a}3", want: "\"hello\",NULL\n"},
		{args: "--json CLUSTER SLOTS", want: `[[0,16383,["127.0.0.1",{port},"{id}",{}]]]` + "\n"},
		{args: "--no-raw INCR {a}1", want: "(error) ERR value is not an integer or out of range\n"},
		{args: "-r 3 -i 0 INCR n", want: "1\n2\n3\n"},
		{args: "--scan --pattern n*", want: "n\n"},
		{args: "", stdin: "MULTI\nINCR n\nGET n\nEXEC\nHELLO 3\nGET n\n", want: "OK\nQUEUED\nQUEUED\n4\n4\n" +
			"server redis\nversion 7.2.4\nproto 3\nid …", // the connection's number, and more
		},
		{args: "--pipe", stdin: "SET {a}1 piped\r\nGET {a}1\r\n",
			want: "All data transferred. Waiting for the last reply...\nLast reply received from server.\nerrors: 0, replies: 2\n"},
	} {
		t.Run(line.args, func(t *testing.T) {
			program, argv := redisCLI(t, n, strings.Fields(line.args)...)
			got := output(t, line.stdin, program, argv...)
			want, open := strings.CutSuffix(n.fill(line.want), "…")
			if open {
				require.Greater(t, len(got), len(want))
				got = got[:len(want)]
			}
			require.Equal(t, want, got)
		})
	}
}

// TestRedisCLITools runs what redis-cli does with many commands of its own
// choice, and looks for the line that says that it went well.
func TestRedisCLITools(t *testing.T) {
	n := startNode(t)
	n.ok("MSET", "{a}1", "x", "{a}2", "yy", "{a}3", "zzz")
	for _, line := range []struct{ args, want string }{
		{"--bigkeys", "3 strings with 6 bytes (100.00% of keys, avg size 2.00)"},
		{"--memkeys", "Sampled 3 keys in the keyspace!"},
		{"--cluster check {addr}", "[OK] All 16384 slots covered."},
		{"--cluster info {addr}", "[OK] 3 keys in 1 masters."},
		{"--cluster call {addr} GET {a}1", "{addr}: x"},
		{"-3 CLIENT LIST", "cmd=client|list user=default redir=-1 resp=3"},
		{"INFO server", "redis_mode:cluster"},
	} {
		t.Run(line.args, func(t *testing.T) {
			addressed := strings.NewReplacer("{addr}", n.addr)
			program, argv := redisCLI(t, n, strings.Fields(addressed.Replace(line.args))...)
			require.Contains(t, output(t, "", program, argv...), addressed.Replace(line.want))
		})
	}
}

// TestRedisCLISubscribe is the first minute with slotcast: a subscriber on one
// terminal, changes of a slot on another.
func TestRedisCLISubscribe(t *testing.T) {
	for name, test := range map[string]struct {
		args     string
		head     string
		unowned  string
		owned    string
		other    string
		snapshot string
	}{
		"raw": {
			args:     "",
			head:     "subscribe|__cluster-slots__|1|subscribe|__cluster-slots__:snapshot|2",
			snapshot: "message|__cluster-slots__:snapshot|0|16383|127.0.0.1|{port}|{id}|config-epoch|1",
			unowned:  "message|__cluster-slots__|5461|5461",
			owned:    "message|__cluster-slots__|5461|5461|127.0.0.1|{port}|{id}|config-epoch|1",
			other:    "message|__cluster-slots__|5461|5461|127.0.0.1|{other-port}|{other-id}|config-epoch|2",
		},
		"resp2": {
			args: "--no-raw",
			head: `Reading messages... (press Ctrl-C to quit)|` +
				`1) "subscribe"|2) "__cluster-slots__"|3) (integer) 1|` +
				`1) "subscribe"|2) "__cluster-slots__:snapshot"|3) (integer) 2`,
			snapshot: `1) "message"|2) "__cluster-slots__:snapshot"|3) 1) 1) (integer) 0|` +
				`      2) (integer) 16383|      3) 1) "127.0.0.1"|         2) (integer) {port}|` +
				`         3) "{id}"|         4) 1) "config-epoch"|            2) "1"`,
			unowned: `1) "message"|2) "__cluster-slots__"|3) 1) (integer) 5461|   2) (integer) 5461`,
			owned: `1) "message"|2) "__cluster-slots__"|3) 1) (integer) 5461|   2) (integer) 5461|` +
				`   3) 1) "127.0.0.1"|      2) (integer) {port}|      3) "{id}"|` +
				`      4) 1) "config-epoch"|         2) "1"`,
			other: `1) "message"|2) "__cluster-slots__"|3) 1) (integer) 5461|   2) (integer) 5461|` +
				`   3) 1) "127.0.0.1"|      2) (integer) {other-port}|      3) "{other-id}"|` +
				`      4) 1) "config-epoch"|         2) "2"`,
		},
		"resp3": {
			args: "--no-raw -3",
			head: `Reading messages... (press Ctrl-C to quit)|` +
				`1) "subscribe"|2) "__cluster-slots__"|3) (integer) 1|` +
				`1) "subscribe"|2) "__cluster-slots__:snapshot"|3) (integer) 2`,
			snapshot: `1) "message"|2) "__cluster-slots__:snapshot"|3) 1) 1) (integer) 0|` +
				`      2) (integer) 16383|      3) 1) "127.0.0.1"|         2) (integer) {port}|` +
				`         3) "{id}"|         4) 1# "config-epoch" => "1"`,
			unowned: `1) "message"|2) "__cluster-slots__"|3) 1) (integer) 5461|   2) (integer) 5461`,
			owned: `1) "message"|2) "__cluster-slots__"|3) 1) (integer) 5461|   2) (integer) 5461|` +
				`   3) 1) "127.0.0.1"|      2) (integer) {port}|      3) "{id}"|` +
				`      4) 1# "config-epoch" => "1"`,
			other: `1) "message"|2) "__cluster-slots__"|3) 1) (integer) 5461|   2) (integer) 5461|` +
				`   3) 1) "127.0.0.1"|      2) (integer) {other-port}|      3) "{other-id}"|` +
				`      4) 1# "config-epoch" => "2"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := startBeside(t)
			args := append(strings.Fields(test.args), "SUBSCRIBE", "__cluster-slots__", "__cluster-slots__:snapshot")
			program, argv := redisCLI(t, n, args...)
			p := start(t, program, argv...)
			lines := func(text string) {
				t.Helper()
				p.expect(strings.Split(n.fill(text), "|")...)
			}
			change := func(args ...string) {
				t.Helper()
				program, argv := redisCLI(t, n, append([]string{"CLUSTER"}, args...)...)
				require.Equal(t, "OK\n", output(t, "", program, argv...))
			}
			lines(test.head)
			lines(test.snapshot)
			change("DELSLOTS", "5461")
			lines(test.unowned)
			change("ADDSLOTS", "5461")
			lines(test.owned)
			change("SETSLOT", "5461", "NODE", n.other.id)
			lines(test.other)
		})
	}
}
