package server

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/channels"
	"slotcast/nodesfile"
)

// smigrated is the frame that a slot has come from a node of the tests of order
// to another.
func smigrated(slot, from, to, epoch int) string {
	return fmt.Sprintf(">3\r\n$9\r\nSMIGRATED\r\n:%d\r\n*1\r\n*3\r\n", epoch*16384+slot) +
		bulk(orderNodes[from].addr) + bulk(orderNodes[to].addr) + bulk(fmt.Sprint(slot))
}

func setSlot(slot int, action string, node int) []string {
	return []string{"CLUSTER", "SETSLOT", fmt.Sprint(slot), action, orderNodes[node].id}
}

// take imports a slot.
func (c *client) take(slot, from int) {
	c.t.Helper()
	c.want("+OK\r\n", setSlot(slot, "IMPORTING", from)...)
	c.want("+OK\r\n", setSlot(slot, "NODE", thisNode)...)
}

var maintOn = []string{"CLIENT", "MAINT_NOTIFICATIONS", "ON"}

func TestMovesAreTold(t *testing.T) {
	s := startOrderServer(t)
	s.holdMoves(0)
	c, other, silent := s.dialRESP3(t), s.dial(t), s.dialRESP3(t)
	c.want("+OK\r\n", "client", "maint_notifications", "on", "moving-endpoint-type", "internal-ip")
	c.want("+OK\r\n", maintOn...)
	require.Contains(t, other.do("CLIENT", "LIST", "TYPE", "pubsub"), "$0\r\n", "it stays a normal connection")
	require.Contains(t, other.do("CLUSTER", "INFO"), "cluster_slots_subscribers:0\r\n")
	// The first slot brings a new epoch, the second comes under the same.
	other.take(16000, secondNode)
	other.take(16383, thirdNode)
	require.Equal(t, smigrated(16000, secondNode, thisNode, 5), c.reply())
	require.Equal(t, smigrated(16383, thirdNode, thisNode, 5), c.reply())
	// What has no effect, and what is not confirmed by the new owner, tells nothing.
	other.want("+OK\r\n", setSlot(16000, "NODE", thisNode)...)
	other.want("+OK\r\n", setSlot(16000, "NODE", secondNode)...)
	other.want("+OK\r\n", "CLUSTER", "DELSLOTS", "16001")
	c.want("+PONG\r\n", "PING")
	// It came back before anybody else had claimed it.
	other.take(16000, secondNode)
	c.want("+PONG\r\n", "PING")
	silent.want("+PONG\r\n", "PING")
	c.want("+OK\r\n", "CLIENT", "MAINT_NOTIFICATIONS", "OFF")
	other.take(16002, secondNode)
	c.want("+PONG\r\n", "PING")
}

// TestMovesFollowReplyAndRows: whoever makes the move has its reply first, then
// the rows of a channel, then the moves.
func TestMovesFollowReplyAndRows(t *testing.T) {
	s := startOrderServer(t)
	s.holdMoves(0)
	c := s.dialRESP3(t)
	c.want("+OK\r\n", maintOn...)
	c.raw(request(setSlot(16000, "IMPORTING", secondNode)...) + request(setSlot(16000, "NODE", thisNode)...) + request("PING"))
	require.Equal(t, "+OK\r\n+OK\r\n", c.reply()+c.reply())
	require.Equal(t, smigrated(16000, secondNode, thisNode, 5), c.reply())
	require.Equal(t, "+PONG\r\n", c.reply())
	c.do("SUBSCRIBE", channels.SlotsMoved)
	c.take(16001, secondNode)
	require.Equal(t, ">3\r\n$7\r\nmessage\r\n"+bulk(channels.SlotsMoved)+bulk("MOVED 16001 "+orderNodes[thisNode].addr), c.reply())
	require.Equal(t, smigrated(16001, secondNode, thisNode, 5), c.reply())
	c.do("UNSUBSCRIBE")
	// An EXEC goes out in one frame, and without what was only in between.
	c.want("+OK\r\n", "MULTI")
	for _, args := range [][]string{
		setSlot(16010, "IMPORTING", secondNode), setSlot(16010, "NODE", thisNode),
		setSlot(16011, "IMPORTING", secondNode), setSlot(16011, "NODE", thisNode), setSlot(16011, "NODE", thirdNode),
		setSlot(16200, "IMPORTING", thirdNode), setSlot(16200, "NODE", thisNode),
	} {
		c.want("+QUEUED\r\n", args...)
	}
	c.want("*7\r\n"+strings.Repeat("+OK\r\n", 7), "EXEC")
	_, said := c.gatheredFrame()
	require.Equal(t, "*2\r\n"+triplet(secondNode, thisNode, "16010")+triplet(thirdNode, thisNode, "16200"), said)
	c.want("+PONG\r\n", "PING")
}

func TestMovesAreRefused(t *testing.T) {
	s := startOrderServer(t)
	s.holdMoves(0)
	c, other := s.dial(t), s.dial(t)
	const needs = "-ERR CLIENT MAINT_NOTIFICATIONS needs RESP3, which begins with HELLO 3\r\n"
	const off = "-ERR maintenance notifications are disabled (cluster-maint-notifications no)\r\n"
	c.want(needs, maintOn...)
	c.want("+OK\r\n", "CLIENT", "MAINT_NOTIFICATIONS", "OFF")
	c.do("HELLO", "3")
	for _, args := range [][]string{
		{"MAYBE"}, {"ON", "x"}, {"ON", "moving-endpoint-type"}, {"ON", "moving-endpoint-type", "x"}, {"OFF", "x"},
		{"OFF", "moving-endpoint-type", "none"}, {"ON", "moving-endpoint-type", "none", "x"},
	} {
		c.want("-ERR syntax error\r\n", append([]string{"CLIENT", "MAINT_NOTIFICATIONS"}, args...)...)
	}
	c.want("-ERR wrong number of arguments for 'client|maint_notifications' command\r\n", "CLIENT", "MAINT_NOTIFICATIONS")
	for _, kind := range []string{"internal-ip", "internal-fqdn", "external-ip", "external-fqdn", "NONE"} {
		c.want("+OK\r\n", append(maintOn, "Moving-Endpoint-Type", kind)...)
	}
	// Turned off, it is told of nothing; nobody is closed, and it goes on later.
	other.want("+OK\r\n", "CONFIG", "SET", "cluster-maint-notifications", "no")
	other.take(16000, secondNode)
	c.want(off, maintOn...)
	other.want("+OK\r\n", "CONFIG", "SET", "cluster-maint-notifications", "yes")
	other.take(16001, secondNode)
	require.Equal(t, smigrated(16001, secondNode, thisNode, 5), c.reply())
	// The push of rows is another matter.
	other.want("+OK\r\n", "CONFIG", "SET", "cluster-slots-push", "no")
	other.take(16002, secondNode)
	require.Equal(t, smigrated(16002, secondNode, thisNode, 5), c.reply())
	// HELLO 2 and RESET end it.
	for i, end := range [][]string{{"HELLO", "2"}, {"RESET"}} {
		c.do("HELLO", "3")
		c.want("+OK\r\n", maintOn...)
		require.NotContains(t, c.do(end...), "ERR")
		other.take(16010+i, secondNode)
		c.want("+PONG\r\n", "PING")
	}
	require.Zero(t, s.movers.count.Load())
}

// orderServerWith is a server that starts from another cluster file.
func orderServerWith(t *testing.T, conf func(string) string, directives ...string) *testServer {
	storage := nodesfile.NewMemory()
	require.NoError(t, storage.Save([]byte(conf(orderNodesConf())), true))
	return startServerFrom(t, storage, append([]string{"--cluster-node-timeout", "3600000"}, directives...)...)
}

// TestMovesThatCannotBeSpelled: an address has one colon, and is that of a node.
func TestMovesThatCannotBeSpelled(t *testing.T) {
	same := func(conf string) string { return conf }
	for name, s := range map[string]*testServer{
		"IPv6": orderServerWith(t, func(conf string) string {
			return strings.Replace(conf, "127.0.0.1:30002@", "::1:30002@", 1)
		}),
		"no host name":     orderServerWith(t, same, "--cluster-preferred-endpoint-type", "hostname"),
		"unknown endpoint": orderServerWith(t, same, "--cluster-preferred-endpoint-type", "unknown-endpoint"),
	} {
		t.Run(name, func(t *testing.T) {
			s.holdMoves(0)
			c, other := s.dialRESP3(t), s.dial(t)
			c.want("+OK\r\n", maintOn...)
			other.take(16000, secondNode)
			c.want("+PONG\r\n", "PING")
		})
	}
	s := orderServerWith(t, func(conf string) string {
		conf = strings.Replace(conf, "127.0.0.1:30002@40002 ", "127.0.0.1:30002@40002,host-2 ", 1)
		return strings.Replace(conf, "127.0.0.1:6379@16379 ", "127.0.0.1:6379@16379,host-1 ", 1)
	}, "--cluster-preferred-endpoint-type", "hostname", "--cluster-announce-hostname", "host-1")
	c, other := s.dialRESP3(t), s.dial(t)
	c.want("+OK\r\n", maintOn...)
	other.take(16000, secondNode)
	require.Contains(t, c.reply(), "*3\r\n"+bulk("host-2:30002")+bulk("host-1:6379")+bulk("16000"))
}

// TestAMinorityTellsNoMoves: its clients are not closed either.
func TestAMinorityTellsNoMoves(t *testing.T) {
	s := orderServerWith(t, func(conf string) string {
		return strings.ReplaceAll(conf, " master - ", " master,fail - ")
	})
	s.holdMoves(0)
	c, other := s.dialRESP3(t), s.dialRESP3(t)
	other.want("-CLUSTERDOWN No majority reached, slot changes are not served\r\n", "CLUSTER", "SUBSCRIBE", "SLOTS")
	c.want("+OK\r\n", maintOn...)
	other.take(16000, secondNode)
	c.want("+PONG\r\n", "PING")
}

// TestNoticesHaveALimitOfTheirOwn: replies of any length do not count, and what
// was written does not either.
func TestNoticesHaveALimitOfTheirOwn(t *testing.T) {
	o, c := outboxPair(t, startServer(t, "--client-output-buffer-limit", "pubsub", "1000", "0", "0"))
	notice, long := strings.Repeat("n", 400), strings.Repeat("r", 1<<20)
	o.hold() // nothing is written meanwhile
	o.Deliver(wire(long))
	o.notify(wire(notice))
	o.notify(wire(notice))
	require.True(t, o.open())
	o.release(nil, 0, nil, false)
	expect(t, c, long+notice+notice)
	for o.writing() { // the client may have it before its writer has done
		runtime.Gosched()
	}
	o.hold()
	o.notify(wire(notice))
	o.notify(wire(notice))
	require.True(t, o.open())
	o.notify(wire(notice))
	require.False(t, o.open())
	require.Equal(t, "output buffer above its hard limit", o.closeReason())
}
