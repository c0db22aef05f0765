package server

import (
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPingAnswersInBothProtocols(t *testing.T) {
	c := startServer(t).dial(t)
	c.want("+PONG\r\n", "PING")
	c.want(bulk("x"), "PING", "x")
	c.want("*3\r\n"+bulk("subscribe")+bulk("ch")+":1\r\n", "SUBSCRIBE", "ch")
	c.want("*2\r\n"+bulk("pong")+bulk(""), "PING")
	c.want("*2\r\n"+bulk("pong")+bulk("x"), "PING", "x")
}

func TestQuitClosesAfterItsReply(t *testing.T) {
	c := startServer(t).dial(t)
	c.raw(request("PING") + request("QUIT") + request("PING"))
	require.Equal(t, "+PONG\r\n+OK\r\n", c.closed())
}

// TestHelloChecksInOrder gives HELLO several faults at once: the first that
// Redis finds is the one it names.
func TestHelloChecksInOrder(t *testing.T) {
	s := startServer(t, "--requirepass", "secret")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"x", "FOO"}, "ERR Protocol version is not an integer or out of range"},
		{[]string{"4", "FOO"}, "NOPROTO unsupported protocol version"},
		{[]string{"3", "FOO", "AUTH", "default", "wrong"}, "ERR Syntax error in HELLO option 'FOO'"},
		{[]string{"3", "AUTH", "default", "wrong", "FOO"}, "WRONGPASS invalid username-password pair or user is disabled."},
		{[]string{"3", "AUTH", "default"}, "ERR Syntax error in HELLO option 'AUTH'"},
		{[]string{"3", "SETNAME", "a b"}, string(errHelloNoAuth)},
		{[]string{"3", "SETNAME", "a b", "AUTH", "default", "secret"}, string(errClientName)},
	} {
		c := s.dial(t)
		c.want("-"+test.want+"\r\n", append([]string{"HELLO"}, test.args...)...)
		c.Close()
	}
	// A password that was right before the fault stays given.
	c := s.dial(t)
	c.want("-ERR Syntax error in HELLO option 'FOO'\r\n", "HELLO", "3", "AUTH", "default", "secret", "FOO")
	c.want("$-1\r\n", "CLIENT", "GETNAME")
}

func TestAuthKeepsWhomItLetIn(t *testing.T) {
	s := startServer(t, "--requirepass", "secret")
	c := s.dial(t)
	c.want("-NOAUTH Authentication required.\r\n", "PING")
	c.want("-WRONGPASS invalid username-password pair or user is disabled.\r\n", "AUTH", "secreu")
	c.want("-WRONGPASS invalid username-password pair or user is disabled.\r\n", "AUTH", "other", "secret")
	c.want("+OK\r\n", "AUTH", "secret")
	c.want("-WRONGPASS invalid username-password pair or user is disabled.\r\n", "AUTH", "x")
	c.want("+PONG\r\n", "PING")
	c.want("+RESET\r\n", "RESET")
	c.want("-NOAUTH Authentication required.\r\n", "PING")
	c.want("+OK\r\n", "AUTH", "default", "secret")
	late := s.dial(t)
	c.want("+OK\r\n", "CONFIG", "SET", "requirepass", "")
	late.want("+PONG\r\n", "PING")
	late.want("-"+string(errNoPassword)+"\r\n", "AUTH", "secret")
	late.want("+OK\r\n", "AUTH", "default", "anything")
}

func TestResetKeepsOnlyTheLibrary(t *testing.T) {
	c := startServer(t).dial(t)
	c.do("HELLO", "3", "SETNAME", "name")
	for _, args := range [][]string{
		{"CLIENT", "SETINFO", "LIB-NAME", "lib"}, {"CLIENT", "SETINFO", "lib-ver", "1.0"},
		{"CLIENT", "NO-TOUCH", "ON"}, {"READONLY"}, {"MONITOR"}, {"MULTI"},
	} {
		require.Equal(t, "+OK\r\n", lastReply(c, args...))
	}
	c.send("RESET")
	for line := c.reply(); line != "+RESET\r\n"; line = c.reply() {
		require.Contains(t, line, `[0 `, "only what MONITOR shows may come before")
	}
	info := clientFields(t, c.do("CLIENT", "INFO"))
	for name, want := range map[string]string{
		"name": "", "resp": "2", "flags": "N", "multi": "-1", "sub": "0", "lib-name": "lib", "lib-ver": "1.0",
	} {
		require.Equal(t, want, info[name], name)
	}
}

// lastReply sends a command and skips the lines of MONITOR before its reply.
func lastReply(c *client, args ...string) string {
	reply := c.do(args...)
	for strings.Contains(reply, "[0 ") {
		reply = c.reply()
	}
	return reply
}

// TestNoMessageAfterLeaving has one client join and leave a channel on which
// another speaks all the time. To the first, in RESP2, a message after the last
// confirmation would look like the reply to its next command.
func TestNoMessageAfterLeaving(t *testing.T) {
	s := startServer(t)
	stop := make(chan struct{})
	var speaking sync.WaitGroup
	speaker := s.dial(t)
	speaking.Add(1)
	go func() { // ends when stop is closed, or with its connection
		defer speaking.Done()
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := io.WriteString(speaker, request("PUBLISH", "ch", "x")); err != nil {
				return
			}
			if _, err := speaker.r.ReadString('\n'); err != nil {
				return
			}
		}
	}()
	defer func() {
		close(stop)
		speaking.Wait()
	}()
	c := s.dial(t)
	message := "*3\r\n" + bulk("message") + bulk("ch") + bulk("x")
	for i := range 300 {
		leave, left := []string{"UNSUBSCRIBE"}, "*3\r\n"+bulk("unsubscribe")+bulk("ch")+":0\r\n"
		if i%2 == 0 {
			leave, left = []string{"RESET"}, "+RESET\r\n"
		}
		c.want("*3\r\n"+bulk("subscribe")+bulk("ch")+":1\r\n", "SUBSCRIBE", "ch")
		require.Equal(t, message, c.reply())
		c.send(leave...)
		reply := c.reply()
		for reply == message {
			reply = c.reply()
		}
		require.Equal(t, left, reply)
		c.want(bulk(strconv.Itoa(i)), "ECHO", strconv.Itoa(i))
	}
}
