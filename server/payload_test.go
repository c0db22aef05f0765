package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/channels"
)

// slotGone is the message that slot 5 belongs to nobody, in each form.
func slotGone(frame string, text bool) string {
	payload := "*2\r\n:5\r\n:5\r\n"
	if text {
		payload = bulk("[5,5]")
	}
	return frame + "3\r\n" + bulk("message") + bulk(channels.Slots) + payload
}

// TestFormByLibrary names a connection in every way there is, and looks at the
// message that it then gets, and at what CLIENT INFO foretells.
func TestFormByLibrary(t *testing.T) {
	s := startServer(t)
	other := s.dial(t)
	for _, frame := range []string{"*", ">"} {
		for _, c := range []struct {
			text bool
			says [][]string
		}{
			{false, nil},
			{false, [][]string{{"CLIENT", "SETINFO", "LIB-NAME", "redis-py"}, {"CLIENT", "SETINFO", "LIB-VER", "8.0.0"}}},
			{true, [][]string{{"CLIENT", "SETINFO", "LIB-VER", "9.23.0"}, {"CLIENT", "SETINFO", "LIB-NAME", "go-redis(,go1.26.8)"}}},
			{false, [][]string{{"CLIENT", "SETINFO", "LIB-NAME", "rueidis"}, {"CLIENT", "SETINFO", "LIB-NAME", ""}}},
			{true, [][]string{{"CLIENT", "SETNAME", "ioredis-cluster(subscriber)"}}},
			{true, [][]string{{"HELLO", "2", "SETNAME", "ioredis-cluster(subscriber)"}}},
			{false, [][]string{{"HELLO", "2", "SETNAME", "ioredis-cluster(subscriber)"}, {"CLIENT", "SETNAME", ""}}},
			{false, [][]string{{"CLIENT", "SETNAME", "ioredis-cluster(subscriber)"}, {"CLIENT", "SETINFO", "LIB-NAME", "redis-py"}}},
			{false, [][]string{{"CLIENT", "SETNAME", "ioredis-cluster(subscriber)"}, {"RESET"}}},
			// RESET lets a connection keep its library, as in 7.2.
			{true, [][]string{{"CLIENT", "SETINFO", "LIB-NAME", "rueidis"}, {"RESET"}}},
			{true, [][]string{{"MULTI"}, {"CLIENT", "SETINFO", "LIB-NAME", "rueidis"}, {"EXEC"}}},
		} {
			t.Run(fmt.Sprint(frame, c.says), func(t *testing.T) {
				client := s.dial(t)
				for _, args := range c.says {
					require.NotContains(t, client.do(args...), "ERR")
				}
				if frame == ">" {
					client.do("HELLO", "3")
				}
				form := "row"
				if c.text {
					form = "json"
				}
				require.True(t, strings.HasSuffix(strings.TrimSuffix(client.do("CLIENT", "INFO"), "\r\n"), " cluster-slots-payload="+form+"\n"))
				client.do("SUBSCRIBE", channels.Slots)
				require.Equal(t, "+OK\r\n", other.do("CLUSTER", "DELSLOTS", "5"))
				require.Equal(t, slotGone(frame, c.text), client.reply())
				require.Equal(t, "+OK\r\n", other.do("CLUSTER", "ADDSLOTS", "5"))
				client.reply()
			})
		}
	}
}

// TestSnapshotByLibrary asks for the map, whose form goes by the library, but
// for the one that is always JSON.
func TestSnapshotByLibrary(t *testing.T) {
	c := startServer(t).dial(t)
	c.do("CLUSTER", "FLUSHSLOTS")
	head := func(channel string) string { return "*3\r\n" + bulk("message") + bulk(channel) }
	for _, step := range []struct{ library, want string }{
		{"redis-py", "*0\r\n"}, {"rueidis", bulk("[]")}, {"redis-py", "*0\r\n"},
	} {
		c.want("+OK\r\n", "CLIENT", "SETINFO", "LIB-NAME", step.library)
		c.do("SUBSCRIBE", channels.Snapshot, channels.SnapshotJSON)
		c.reply()
		require.Equal(t, head(channels.Snapshot)+step.want, c.reply())
		require.Equal(t, head(channels.SnapshotJSON)+bulk("[]"), c.reply())
		c.do("UNSUBSCRIBE", channels.Snapshot, channels.SnapshotJSON)
		c.reply()
	}
}

// TestFormAtRunTime sets the form for all, and then leaves it to the libraries
// again: each message has the form that holds when its change is made.
func TestFormAtRunTime(t *testing.T) {
	s := startServer(t)
	other := s.dial(t)
	plain, named := s.dial(t), s.dial(t)
	named.do("CLIENT", "SETINFO", "LIB-NAME", "node-redis")
	for _, c := range []*client{plain, named} {
		c.do("SUBSCRIBE", channels.Slots)
	}
	for _, step := range []struct {
		payload              string
		textPlain, textNamed bool
	}{
		{"auto", false, true}, {"json", true, true}, {"row", false, false}, {"auto", false, true},
	} {
		other.want("+OK\r\n", "CONFIG", "SET", "cluster-slots-payload", step.payload)
		other.want("+OK\r\n", "CLUSTER", "DELSLOTS", "5")
		require.Equal(t, slotGone("*", step.textPlain), plain.reply(), step.payload)
		require.Equal(t, slotGone("*", step.textNamed), named.reply(), step.payload)
		other.want("+OK\r\n", "CLUSTER", "ADDSLOTS", "5")
		plain.reply()
		named.reply()
	}
}

// TestFormTurnsBetweenTwoRows renames a subscriber while slots change: what
// comes after the reply to a name is in the form of that name, what came before
// it in the form of the last, and nothing is lost at the turn.
func TestFormTurnsBetweenTwoRows(t *testing.T) {
	const changes = 100
	s := startServer(t)
	other, sub := s.dial(t), s.dial(t)
	sub.do("HELLO", "3")
	sub.do("SUBSCRIBE", channels.Slots)
	var requests strings.Builder
	for n := range changes {
		requests.WriteString(request("CLUSTER", []string{"DELSLOTS", "ADDSLOTS"}[n%2], "5"))
	}
	requests.WriteString(request("PING"))
	done := make(chan struct{})
	go func() { // ends with the requests it has to write
		defer close(done)
		fmt.Fprint(other, requests.String())
	}()
	text, rows := false, 0
	row := func(message string) {
		rows++
		require.Equal(t, text, strings.Contains(message, "\r\n[5,5"), "row %d: %q", rows, message)
	}
	for rows < changes {
		next := !text
		require.NoError(t, sub.SetDeadline(time.Now().Add(patience)))
		sub.send("CLIENT", "SETINFO", "LIB-NAME", map[bool]string{false: "redis-py", true: "rueidis"}[next])
		answer := sub.reply()
		for ; answer[0] == '>'; answer = sub.reply() {
			row(answer)
		}
		require.Equal(t, "+OK\r\n", answer)
		text = next
		if rows < changes {
			row(sub.reply())
		}
	}
	<-done
	require.NoError(t, other.SetDeadline(time.Now().Add(patience)))
	for range changes {
		require.Equal(t, "+OK\r\n", other.reply())
	}
	require.Equal(t, "+PONG\r\n", other.reply())
	sub.want("+PONG\r\n", "PING")
}
