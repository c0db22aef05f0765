package server

import "testing"

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
	if got := c.closed(); got != "+PONG\r\n+OK\r\n" {
		t.Fatalf("got %q", got)
	}
}
