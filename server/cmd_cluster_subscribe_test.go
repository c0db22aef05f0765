package server

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/channels"
	"slotcast/config"
)

// bareGone is the bare push that slot 5 belongs to nobody.
const bareGone = ">3\r\n$7\r\ncluster\r\n$5\r\nslots\r\n*2\r\n:5\r\n:5\r\n"

func (ts *testServer) dialRESP3(t testing.TB) *client {
	c := ts.dial(t)
	c.do("HELLO", "3")
	return c
}

func TestBarePush(t *testing.T) {
	s := startServer(t, "--cluster-slots-payload", "json")
	c, other := s.dialRESP3(t), s.dial(t)
	id := string(s.topology.current().Myself().ID)
	c.want("+OK\r\n", "CLUSTER", "SUBSCRIBE", "SLOTS")
	c.want("+OK\r\n", "cluster", "subscribe", "slots") // once is enough
	require.Contains(t, other.do("CLUSTER", "INFO"), "cluster_slots_subscribers:1\r\n")
	require.Contains(t, other.do("CLIENT", "LIST", "TYPE", "pubsub"), " flags=P ")
	other.want("+OK\r\n", "CLUSTER", "DELSLOTS", "5")
	other.want("+OK\r\n", "CLUSTER", "ADDSLOTS", "5")
	require.Equal(t, bareGone, c.reply())
	require.Equal(t, ">3\r\n$7\r\ncluster\r\n$5\r\nslots\r\n*3\r\n:5\r\n:5\r\n*4\r\n"+bulk("127.0.0.1")+":6379\r\n"+bulk(id)+
		"%1\r\n$12\r\nconfig-epoch\r\n$1\r\n0\r\n", c.reply(), "a row, whatever the form of the bare channel")
	require.Contains(t, other.do("CLUSTER", "INFO"), "cluster_slots_rows_pushed:2\r\n")
	c.want("+OK\r\n", "CLUSTER", "UNSUBSCRIBE", "SLOTS")
	require.Contains(t, other.do("CLUSTER", "INFO"), "cluster_slots_subscribers:0\r\n")
	require.Contains(t, other.do("CLIENT", "LIST", "TYPE", "pubsub"), "$0\r\n\r\n")
	other.want("+OK\r\n", "CLUSTER", "DELSLOTS", "5")
	c.want("+PONG\r\n", "PING")
	c.want("+OK\r\n", "CLUSTER", "UNSUBSCRIBE", "SLOTS")
}

func TestBarePushIsRefused(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	c.want("-ERR CLUSTER SUBSCRIBE needs RESP3, which begins with HELLO 3\r\n", "CLUSTER", "SUBSCRIBE", "SLOTS")
	c.want("+OK\r\n", "CLUSTER", "UNSUBSCRIBE", "SLOTS")
	c.want("-ERR syntax error\r\n", "CLUSTER", "SUBSCRIBE", "KEYS")
	c.want("-ERR syntax error\r\n", "CLUSTER", "UNSUBSCRIBE", "KEYS")
	c.want("-ERR wrong number of arguments for 'cluster|subscribe' command\r\n", "CLUSTER", "SUBSCRIBE")
	c.do("HELLO", "3")
	c.want("-ERR syntax error\r\n", "CLUSTER", "SUBSCRIBE", "KEYS")
	c.want("+OK\r\n", "CLUSTER", "SUBSCRIBE", "SLOTS")
	other := s.dialRESP3(t)
	other.want("+OK\r\n", "CONFIG", "SET", "cluster-slots-push", "no")
	require.Empty(t, c.closed())
	other.want("-ERR slot change push is disabled (cluster-slots-push no)\r\n", "CLUSTER", "SUBSCRIBE", "SLOTS")
	other.want("+OK\r\n", "CONFIG", "SET", "cluster-slots-push", "yes")
	other.want("+OK\r\n", "CLUSTER", "SUBSCRIBE", "SLOTS")
	// Who ends the service gets the answer, and then the end.
	other.want("+OK\r\n", "CONFIG", "SET", "cluster-slots-push", "no")
	require.Empty(t, other.closed())
}

// TestBarePushEnds leaves RESP3, or everything: what came before stands before
// the reply in the old form, and nothing comes after it.
func TestBarePushEnds(t *testing.T) {
	s := startServer(t)
	other := s.dial(t)
	for _, end := range [][]string{{"HELLO", "2"}, {"RESET"}, {"CLUSTER", "UNSUBSCRIBE", "SLOTS"}} {
		t.Run(strings.Join(end, " "), func(t *testing.T) {
			c := s.dialRESP3(t)
			c.want("+OK\r\n", "CLUSTER", "SUBSCRIBE", "SLOTS")
			other.want("+OK\r\n", "CLUSTER", "DELSLOTS", "5")
			require.Equal(t, bareGone, c.do(end...))
			require.NotContains(t, c.reply(), "ERR")
			other.want("+OK\r\n", "CLUSTER", "ADDSLOTS", "5")
			c.want("+PONG\r\n", "PING")
			require.Contains(t, other.do("CLUSTER", "INFO"), "cluster_slots_subscribers:0\r\n")
			require.NotContains(t, other.do("CLIENT", "LIST"), " flags=P ")
		})
	}
}

// TestBarePushKeepsOrder changes slots on the connection that listens: first
// the reply, of a whole EXEC too, then the row.
func TestBarePushKeepsOrder(t *testing.T) {
	s := startServer(t)
	c := s.dialRESP3(t)
	c.want("+OK\r\n", "CLUSTER", "SUBSCRIBE", "SLOTS")
	c.raw(request("CLUSTER", "DELSLOTS", "5") + request("PING"))
	require.Equal(t, "+OK\r\n", c.reply())
	require.Equal(t, bareGone, c.reply())
	require.Equal(t, "+PONG\r\n", c.reply())
	c.want("+OK\r\n", "MULTI")
	c.want("+QUEUED\r\n", "CLUSTER", "ADDSLOTS", "5")
	c.want("+QUEUED\r\n", "PING")
	c.want("*2\r\n+OK\r\n+PONG\r\n", "EXEC")
	require.Contains(t, c.reply(), "$7\r\ncluster\r\n$5\r\nslots\r\n*3\r\n:5\r\n:5\r\n")
	c.want("+PONG\r\n", "PING")
}

// TestBarePushInExec subscribes in the EXEC that changes the map, whose row it
// is not sent: it takes effect after the commit.
func TestBarePushInExec(t *testing.T) {
	s := startServer(t)
	c, other := s.dialRESP3(t), s.dial(t)
	exec := func(commands ...[]string) string {
		c.do("MULTI")
		for _, args := range commands {
			c.want("+QUEUED\r\n", args...)
		}
		return c.do("EXEC")
	}
	subscribe := []string{"CLUSTER", "SUBSCRIBE", "SLOTS"}
	require.Equal(t, "*2\r\n+OK\r\n+OK\r\n", exec([]string{"CLUSTER", "DELSLOTS", "6"}, subscribe))
	c.want("+PONG\r\n", "PING")
	other.want("+OK\r\n", "CLUSTER", "DELSLOTS", "5")
	require.Equal(t, bareGone, c.reply())
	other.want("+OK\r\n", "CLUSTER", "ADDSLOTS", "5")
	c.reply()

	// Left again in the same EXEC, one way or the other.
	c.want("+OK\r\n", "CLUSTER", "UNSUBSCRIBE", "SLOTS")
	require.Equal(t, "*2\r\n+OK\r\n+OK\r\n", exec(subscribe, []string{"CLUSTER", "UNSUBSCRIBE", "SLOTS"}))
	require.Contains(t, exec(subscribe, []string{"HELLO", "2"}), "*2\r\n+OK\r\n")
	other.want("+OK\r\n", "CLUSTER", "DELSLOTS", "5")
	c.want("+PONG\r\n", "PING")

	// What is refused stands in EXEC's reply.
	require.Equal(t, "*1\r\n-ERR CLUSTER SUBSCRIBE needs RESP3, which begins with HELLO 3\r\n", exec(subscribe))
	c.do("HELLO", "3")
	require.Equal(t, "*2\r\n+OK\r\n-ERR slot change push is disabled (cluster-slots-push no)\r\n",
		exec([]string{"CONFIG", "SET", "cluster-slots-push", "no"}, subscribe))
	c.want("+OK\r\n", "CONFIG", "SET", "cluster-slots-push", "yes")
	require.Equal(t, "*2\r\n+OK\r\n+OK\r\n", exec(subscribe, []string{"CONFIG", "SET", "cluster-slots-push", "no"}))
	require.Empty(t, c.closed())
}

// TestBarePushBesideChannels: all that one change has to say on a connection
// comes before anything of the next.
func TestBarePushBesideChannels(t *testing.T) {
	s := startServer(t)
	c, other := s.dialRESP3(t), s.dial(t)
	c.want("+OK\r\n", "CLUSTER", "SUBSCRIBE", "SLOTS")
	c.do("SUBSCRIBE", channels.Slots)
	other.raw(request("CLUSTER", "DELSLOTS", "5") + request("CLUSTER", "DELSLOTS", "6"))
	for _, slot := range []string{"5", "6"} {
		for range 2 {
			require.Contains(t, c.reply(), "*2\r\n:"+slot+"\r\n:"+slot+"\r\n")
		}
	}
	// One of both can be left.
	c.want("+OK\r\n", "CLUSTER", "UNSUBSCRIBE", "SLOTS")
	other.raw(request("CLUSTER", "ADDSLOTS", "6") + request("CLUSTER", "DELSLOTS", "6"))
	require.Contains(t, c.reply(), channels.Slots)
	require.Contains(t, c.reply(), channels.Slots)
	c.want("+PONG\r\n", "PING")
}

func TestBarePushIsOfClassPubSub(t *testing.T) {
	s := startServer(t)
	c := s.dialRESP3(t)
	o := &s.connOf(t, c).outbox
	class := func() config.Class {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.class
	}
	require.Equal(t, config.ClassNormal, class())
	c.want("+OK\r\n", "CLUSTER", "SUBSCRIBE", "SLOTS")
	require.Equal(t, config.ClassPubSub, class())
	c.want("+OK\r\n", "CLUSTER", "UNSUBSCRIBE", "SLOTS")
	require.Equal(t, config.ClassNormal, class())
	c.want("+OK\r\n", "CLUSTER", "SUBSCRIBE", "SLOTS")
	c.do("HELLO", "2")
	require.Equal(t, config.ClassNormal, class())
}
