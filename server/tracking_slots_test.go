package server

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// invalidated is the push that names keys.
func invalidated(keys ...string) string {
	b := ">2\r\n$10\r\ninvalidate\r\n*" + strconv.Itoa(len(keys)) + "\r\n"
	for _, k := range keys {
		b += bulk(k)
	}
	return b
}

// TestAMovedSlotInvalidates moves a slot between two nodes as redis-cli does, with
// keys in it, with keys that were looked for and not there, and with one that
// comes to be on the other node meanwhile.
func TestAMovedSlotInvalidates(t *testing.T) {
	p := startPair(t, [2]string{"slotcast", "slotcast"})
	slot := slotOf("{t}")
	p.admin[0].want("+OK\r\n", "MSET", "{t}1", "v", "{t}2", "v", "{t}3", "v")
	c, bcast := p.ours[0].dialCaching(t, "ON", "NOLOOP"), p.ours[0].dialCaching(t, "ON", "BCAST", "PREFIX", "{t}")
	c.get("{t}1", "{t}2", "{t}none", "{t}new", "elsewhere")
	p.open(slot, 0)
	require.Equal(t, invalidated("{t}new", "{t}none"), c.reply(), "other nodes may have them from now on")
	c.get("{t}1")
	c.want("-ASK "+slot+" "+p.addrs[1]+"\r\n", "GET", "{t}new")
	host := strings.Split(p.addrs[1], ":")
	// One's own doing or not: NOLOOP is about one's own writes.
	c.want("+OK\r\n", "MIGRATE", host[0], host[1], "", "0", "60000", "KEYS", "{t}1", "{t}3")
	require.Equal(t, invalidated("{t}1", "{t}3"), bcast.reply())
	require.Equal(t, "+OK\r\n", p.migrate(0, "KEYS", "{t}2"))
	require.Equal(t, invalidated("{t}2"), c.reply())
	require.Equal(t, invalidated("{t}2"), bcast.reply())
	p.finish(slot, 0)
	c.want(bulk("elsewhere"), "ECHO", "elsewhere")

	// Back, with the reader at the node that imports: what it reads there it keeps.
	d := p.ours[0].dialCaching(t, "ON")
	p.open(slot, 1)
	d.want("+OK\r\n", "ASKING")
	d.get("{t}1")
	require.Equal(t, "+OK\r\n", p.migrate(1, "KEYS", "{t}1", "{t}2", "{t}3"))
	require.Equal(t, invalidated("{t}1"), d.reply())
	d.want("+OK\r\n", "ASKING")
	d.get("{t}1")
	p.finish(slot, 1)
	d.want("+PONG\r\n", "PING")
	d.get("{t}1")
	d.want("+PONG\r\n", "PING")

	// Without a key in it, and with the import called off.
	d.get("{t}none")
	p.admin[0].want("+OK\r\n", "FLUSHALL")
	require.Equal(t, ">2\r\n$10\r\ninvalidate\r\n_\r\n", d.reply())
	d.get("{t}1", "{t}none")
	c.get("elsewhere")
	p.admin[1].want("+OK\r\n", "CLUSTER", "SETSLOT", slot, "IMPORTING", pairIDs[0])
	e := p.ours[1].dialCaching(t, "ON")
	e.want("+OK\r\n", "ASKING")
	e.get("{t}1")
	p.admin[1].want("+OK\r\n", "CLUSTER", "SETSLOT", slot, "STABLE")
	require.Equal(t, invalidated("{t}1"), e.reply())
	p.admin[0].want("+OK\r\n", "CLUSTER", "SETSLOT", slot, "NODE", pairIDs[1])
	require.Equal(t, invalidated("{t}1", "{t}none"), d.reply())
	require.EqualValues(t, 1, p.ours[0].caches.table.Keys(), "elsewhere")
}

// TestSlotsGivenUpInvalidate goes through the commands that give up slots.
func TestSlotsGivenUpInvalidate(t *testing.T) {
	for _, give := range [][]string{
		{"CLUSTER", "DELSLOTS", slotOf("k")},
		{"CLUSTER", "DELSLOTSRANGE", "0", "16383"},
		{"CLUSTER", "FLUSHSLOTS"},
		{"CLUSTER", "RESET"},
		{"CLUSTER", "RESET", "HARD"},
	} {
		for _, inExec := range []bool{false, true} {
			s := startServer(t)
			c, me := s.dialCaching(t, "ON"), s.dialCaching(t, "ON", "NOLOOP")
			c.get("k", "{k}2")
			me.get("k")
			if inExec {
				me.want("+OK\r\n", "MULTI")
				me.want("+QUEUED\r\n", give...)
				me.want("*1\r\n+OK\r\n", "EXEC")
			} else {
				me.want("+OK\r\n", give...)
			}
			require.Equal(t, invalidated("k"), me.reply(), "%v", give)
			require.Equal(t, invalidated("k", "{k}2"), c.reply(), "%v", give)
			require.Zero(t, s.caches.table.Keys())
		}
	}
}
