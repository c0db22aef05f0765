package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/channels"
)

func TestNoSnapshotForWhoHasLeft(t *testing.T) {
	c := startServer(t).dial(t)
	for _, args := range [][]string{{"MULTI"}, {"SUBSCRIBE", channels.Snapshot}, {"UNSUBSCRIBE", channels.Snapshot}} {
		c.do(args...)
	}
	c.do("EXEC")
	c.want("$-1\r\n", "GET", "k")
}

// TestReadsMap tells which commands are ordered with the changes of the map: all
// that subscribe to the family, however they spell it.
func TestReadsMap(t *testing.T) {
	s := startServer(t)
	for _, c := range []struct {
		reads bool
		args  []string
	}{
		{true, []string{"cluster", "slots"}},
		{true, []string{"subscribe", "a", channels.SlotsJSON}},
		{true, []string{"psubscribe", channels.Slots + "*"}},
		{true, []string{"psubscribe", `\_\_cluster-slots__`}},
		{false, []string{"psubscribe", "*"}},
		{false, []string{"subscribe", "a"}},
		{false, []string{"cluster", "keyslot", "a"}},
		{false, []string{"get", "a"}},
	} {
		cl := call{args: byteNames(c.args)}
		cl.cmd, _ = s.commands.lookup(cl.args)
		require.Equal(t, c.reads, cl.readsMap(), "%q", c.args)
	}
}

// TestAPatternInExecSeesNothingOfIt subscribes to the family in the EXEC that
// changes the map.
func TestAPatternInExecSeesNothingOfIt(t *testing.T) {
	c := startServer(t).dial(t)
	for _, args := range [][]string{
		{"MULTI"}, {"PSUBSCRIBE", channels.Slots + "*"}, {"CLUSTER", "DELSLOTS", "5"},
		{"PSUBSCRIBE", channels.Slots}, {"PUNSUBSCRIBE", channels.Slots},
	} {
		c.do(args...)
	}
	c.do("EXEC")
	c.want("*2\r\n$4\r\npong\r\n$0\r\n\r\n", "PING")
	c.want("*3\r\n$12\r\npunsubscribe\r\n$18\r\n__cluster-slots__*\r\n:0\r\n", "PUNSUBSCRIBE")
	c.want("+PONG\r\n", "PING")
}
