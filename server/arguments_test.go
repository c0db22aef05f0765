package server

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/channels"
)

var (
	argumentsSeed   = flag.Uint64("arguments.seed", 1, "what TestAnyArguments draws from")
	argumentsRounds = flag.Int("arguments.rounds", 1500, "how many pipelines TestAnyArguments sends")
)

// argumentPool are the arguments that are drawn most: whatever some command
// has a use for, and what none has.
var argumentPool = strings.Fields(`
	{k} {k}a {k}b {k}c {l} a {k}a {k}b {k}c * [ \ __cluster-slots__ __cluster-slots__:snapshot __cluster-slots__:json
	__cluster-slots__:moved __cluster-slots__:none __cluster-slots__* __keyspace@0__:*
	0 1 -1 2 3 7 8 63 64 65 100 1024 16383 16384 8388607 8388608 -0 +1 01 0x10 1e3 1.5 -1.5 inf -inf nan 1e400
	2147483647 2147483648 -2147483648 4294967295 4294967296 9223372036854775807 9223372036854775808
	-9223372036854775808 -9223372036854775809 18446744073709551615 99999999999999999999999999
	ex px exat pxat nx xx gt lt get set keepttl persist incrby overflow wrap sat fail u8 u63 i64 u64 i65 u0 #1 #-1
	byte bit and or xor not len idx minmatchlen withmatchlen match count type string list replace db
	on off skip yes no id addr laddr user skipme default normal pubsub master replica lib-name lib-ver auth setname
	async sync nosave now force abort error timeout write all
	node stable migrating importing hard soft
	moving-endpoint-type none slots
	help docs info getkeys getkeysandflags filterby module aclcat pattern
	encoding freq idletime refcount usage samples doctor stats purge malloc-stats
	cluster-slots-payload cluster-slots-push notify-keyspace-events KEA json row auto
	slowlog-log-slower-than slowlog-max-len latency-monitor-threshold cluster-announce-hostname cluster-announce-ip
	cluster-announce-port cluster-preferred-endpoint-type cluster-require-full-coverage client-query-buffer-limit`)

type argumentDrawer struct {
	*rand.Rand
	names  [][]string // every command and subcommand
	ids    []string   // of nodes
	client string     // the id of the connection
}

func newArgumentDrawer(s *Server, r *rand.Rand) *argumentDrawer {
	d := &argumentDrawer{Rand: r}
	for _, cmd := range s.commands.all {
		d.names = append(d.names, []string{cmd.name})
		for _, sub := range cmd.subcommands {
			d.names = append(d.names, []string{cmd.name, sub.name})
		}
	}
	for name := range debugSubcommands {
		d.names = append(d.names, []string{"debug", name})
	}
	slices.SortFunc(d.names, slices.Compare)
	for _, n := range orderNodes {
		d.ids = append(d.ids, n.id)
	}
	return d
}

func (d *argumentDrawer) argument() string {
	switch d.IntN(24) {
	case 0:
		return ""
	case 1:
		return "\r\n+OK\r\n"
	case 2:
		return "\x00\xff\x80"
	case 3:
		return strings.Repeat("x", d.IntN(5000))
	case 4:
		return d.ids[d.IntN(len(d.ids))]
	case 5:
		return d.client
	case 6:
		return d.names[d.IntN(len(d.names))][0]
	}
	return argumentPool[d.IntN(len(argumentPool))]
}

// command draws a command with up to six arguments. Where that would end the
// server, or keep the connection waiting, one of them is another. closes tells
// that it may end connections by right.
func (d *argumentDrawer) command() (args []string, closes bool) {
	args = slices.Clone(d.names[d.IntN(len(d.names))])
	for range d.IntN(7) {
		args = append(args, d.argument())
	}
	second, third := "", ""
	if len(args) > 1 {
		second = strings.ToLower(args[1])
	}
	if len(args) > 2 {
		third = args[2]
	}
	switch name := args[0] + " " + second; {
	case args[0] == "shutdown":
		return []string{"shutdown", "x"}, false
	case args[0] == "wait" && third != "":
		args[2] = "1"
	case name == "client pause" && third != "", name == "debug sleep" && third != "":
		args[2] = "0"
	case name == "client kill", name == "cluster reset", name == "config set", args[0] == "quit":
		closes = true
	}
	return args, closes
}

// pipeline draws a few commands and the state in which the connection is when
// they come.
func (d *argumentDrawer) pipeline() (sent [][]string, closes bool) {
	add := func(args ...string) { sent = append(sent, args) }
	add("HELLO", []string{"2", "3"}[d.IntN(2)])
	switch d.IntN(4) {
	case 0:
		add("SUBSCRIBE", "a", channels.Slots)
	case 1:
		add("WATCH", "{k}a", "{k}b")
	}
	inMulti := d.IntN(3) == 0
	if inMulti {
		add("MULTI")
	}
	for range 1 + d.IntN(20) {
		args, c := d.command()
		add(args...)
		closes = closes || c
	}
	if inMulti {
		add("EXEC")
	}
	return sent, closes
}

// TestAnyArguments calls every command with whatever arguments, in both
// protocols, inside and outside of transactions, as a subscriber and not. No
// handler may panic, every reply must be well formed, and a connection ends only
// where a command says so.
func TestAnyArguments(t *testing.T) {
	ts := startOrderServer(t, "--enable-debug-command", "yes", "--proto-max-bulk-len", "1mb", "--cluster-require-full-coverage", "no")
	d := newArgumentDrawer(ts.Server, rand.New(rand.NewPCG(*argumentsSeed, 0)))
	var c, keeper *client
	var sc *conn
	for round := range *argumentsRounds {
		if c == nil {
			c, keeper = ts.dial(t), ts.dial(t)
			d.client = c.id()
			sc = ts.connOf(t, c)
		}
		if round%8 == 0 { // most commands need a node with slots
			keeper.do("FLUSHALL")
			keeper.do("CLUSTER", "FLUSHSLOTS")
			keeper.do("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
			keeper.do("CONFIG", "SET", "cluster-slots-push", "yes", "client-query-buffer-limit", "1gb")
		}
		sent, closes := d.pipeline()
		end := fmt.Sprintf("end of pipeline %d", round)
		var raw strings.Builder
		// An error does not reset CLIENT REPLY SKIP, so RESET comes twice.
		for _, args := range append(sent, []string{"RESET"}, []string{"RESET"}, []string{"PING", end}) {
			raw.WriteString(request(args...))
		}
		c.raw(raw.String())
		for {
			var reply strings.Builder
			if err := c.read(&reply); err != nil {
				require.True(t, closes, "seed %d, pipeline %d: the connection has ended (%q, %v) after one of %q",
					*argumentsSeed, round, sc.outbox.closeReason(), err, sent)
				require.NotContains(t, sc.outbox.closeReason(), "internal", "seed %d, pipeline %d: one of %q", *argumentsSeed, round, sent)
				c = nil
				break
			}
			require.Contains(t, "+-:$*_#,(!=%~>|", reply.String()[:1], "seed %d, pipeline %d: %q", *argumentsSeed, round, sent)
			if reply.String() == bulk(end) {
				break
			}
		}
	}
	require.Equal(t, "+PONG\r\n", ts.dial(t).do("PING"))
}
