//go:build linux

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A small run over the cluster bus of three real nodes. As many moves as have
// a p99 of their own.
func TestSlotMoves(t *testing.T) {
	binary, err := buildSlotcast(t.Context(), t.TempDir())
	require.NoError(t, err)
	c := &contender{Name: slotcastName, Command: slotcastCommand(binary)}
	m := &slotMoves{moves: 100}
	require.True(t, m.suits(c))
	require.False(t, m.suits(&contender{Name: slotcastName, Attach: "127.0.0.1:1"}), "two more have to be started")
	require.False(t, m.suits(&contender{Name: redisName, Command: redisCommand("redis-server")}))

	v, err := measureOnce(t, m, c)
	require.NoError(t, err)
	require.Positive(t, v[keyFromSend+"p50"])
	require.Positive(t, v[keyFromSend+"p99"])
	require.GreaterOrEqual(t, v[keyFromSend+"p50"], v[keyFromReply+"p50"])
	require.Less(t, v[keyAhead], 100.0)
}
