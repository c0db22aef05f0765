package server

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var monitorStamp = regexp.MustCompile(`^\+\d+\.\d{6} \[0 [^\]]+\] `)

// shows reads the next line of a monitor, without its time and address.
func (c *client) shows() string {
	c.t.Helper()
	line := c.reply()
	require.Regexp(c.t, monitorStamp, line)
	return monitorStamp.ReplaceAllString(line, "")
}

func TestMonitorShowsWhatWasRun(t *testing.T) {
	s := startServer(t)
	m, c := s.dial(t), s.dial(t)
	m.want("+OK\r\n", "MONITOR")
	for _, test := range []struct {
		send []string
		want string // empty: hidden
	}{
		{[]string{"set", "key\x00\n\r\t\a\b\"\\", "\xff"}, `"set" "key\x00\n\r\t\a\b\"\\" "\xff"`},
		{[]string{"AUTH", "secret"}, `"AUTH" "(redacted)"`},
		{[]string{"AUTH", "default", "secret"}, `"AUTH" "(redacted)" "(redacted)"`},
		{[]string{"HELLO", "2", "AUTH", "default", "secret", "SETNAME", "n"}, `"HELLO" "2" "AUTH" "(redacted)" "(redacted)" "SETNAME" "n"`},
		{[]string{"CONFIG", "GET", "port"}, ""},
		{[]string{"CLIENT", "LIST"}, ""},
		{[]string{"NOPE"}, ""},
		{[]string{"GET"}, ""},
		{[]string{"MULTI"}, `"MULTI"`},
		{[]string{"GET", "key"}, ""},
		{[]string{"EXEC"}, `"GET" "key"`},
		{nil, `"EXEC"`},
		{[]string{"WAIT", "0", "0"}, `"WAIT" "0" "0"`},
	} {
		if test.send != nil {
			c.do(test.send...)
		}
		if test.want != "" {
			require.Equal(t, test.want+"\r\n", m.shows())
		}
	}
	c.do("PING")
	require.Equal(t, "\"PING\"\r\n", m.shows())
}

func TestWhoMonitors(t *testing.T) {
	s := startServer(t)
	m, c := s.dial(t), s.dial(t)
	m.raw(request("MONITOR") + request("MONITOR") + request("PING"))
	require.Equal(t, "+OK\r\n", m.reply())
	require.Equal(t, "+PONG\r\n", m.reply(), "the line follows the reply, and a second MONITOR has none")
	require.Equal(t, "\"PING\"\r\n", m.shows())
	for _, args := range [][]string{{"GET", "key"}, {"SET", "key", "1"}, {"PUBLISH", "ch", "x"}, {"DBSIZE"}} {
		m.want("-ERR Replica can't interact with the keyspace\r\n", args...)
	}
	m.want("+RESET\r\n", "RESET")
	c.want("+PONG\r\n", "PING")
	m.want("$-1\r\n", "GET", "key")
	m.do("MULTI")
	m.do("MONITOR")
	m.want("*1\r\n-ERR MONITOR isn't allowed for DENY BLOCKING client\r\n", "EXEC")
}

// TestMonitorLinesAreReplies: to Redis they are, so CLIENT REPLY OFF ends them.
func TestMonitorLinesAreReplies(t *testing.T) {
	s := startServer(t)
	m, c := s.dial(t), s.dial(t)
	id := m.id()
	m.want("+OK\r\n", "MONITOR")
	m.raw(request("CLIENT", "REPLY", "OFF") + request("ECHO", "unseen"))
	for clientFields(t, c.do("CLIENT", "LIST", "ID", id))["cmd"] != "echo" {
	}
	c.do("ECHO", "unseen")
	m.want("+OK\r\n", "CLIENT", "REPLY", "ON")
	require.Equal(t, "\"CLIENT\" \"REPLY\" \"ON\"\r\n", m.shows())
	c.do("ECHO", "seen")
	require.Equal(t, "\"ECHO\" \"seen\"\r\n", m.shows())
}
