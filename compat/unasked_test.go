package compat

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNothingUnasked moves slots under connections that asked for nothing, or
// for something else: not a byte comes that is not the reply to a command.
func TestNothingUnasked(t *testing.T) {
	s := newStage(t)
	startAt := (s.home + 1) % 3 // so that every move is one
	var silent []*node
	for _, n := range s.cluster.Nodes() {
		for _, says := range [][][]string{
			nil,
			{{"HELLO", "2"}},
			{{"HELLO", "3"}},
			{{"HELLO", "3"}, {"CLIENT", "SETINFO", "LIB-NAME", "go-redis(,go1.26)"}, {"READONLY"}},
			{{"HELLO", "3"}, {"CLIENT", "SETNAME", "ioredis-cluster(subscriber)"}},
			{{"CLIENT", "SETINFO", "LIB-NAME", "redis-py"}},
		} {
			c := dialNode(t, n.Addr())
			for _, args := range says {
				c.send(args...)
			}
			silent = append(silent, c)
		}
		for _, args := range [][]string{{"SUBSCRIBE", news}, {"PSUBSCRIBE", "*"}, {"PSUBSCRIBE", "__*", "?_cluster-slots__*"}} {
			c := dialNode(t, n.Addr())
			c.send(args...)
			silent = append(silent, c)
		}
	}
	for _, c := range silent {
		c.ping("settled")
	}
	for i := range 20 {
		s.cluster.MoveSlot(movedSlot, s.cluster.Node((startAt+i)%3))
	}
	for _, c := range silent {
		require.Contains(t, []string{
			"$7\r\nsilence\r\n",
			"*2\r\n$4\r\npong\r\n$7\r\nsilence\r\n", // of a RESP2 subscriber
		}, c.ping("silence"))
	}
}

// ping sends a PING and returns all bytes that come up to the end of its reply.
func (n *node) ping(text string) string {
	n.t.Helper()
	n.send("PING", text)
	var got []byte
	for !bytes.HasSuffix(got, []byte(text+"\r\n")) {
		b, err := n.replies.ReadByte()
		require.NoError(n.t, err, "after %q", got)
		got = append(got, b)
	}
	return string(got)
}
