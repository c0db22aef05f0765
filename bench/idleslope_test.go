//go:build linux

package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// An idle subscriber has no goroutine, nor a thread.
func TestIdleSlope(t *testing.T) {
	slotcast, err := buildSlotcast(t.Context(), t.TempDir())
	require.NoError(t, err)
	spec := small(fanoutSpec{}, "channel")
	spec.subscribers = 600
	m := &idleSlope{spec: spec, sizes: []int{300, 600}, timing: brief}
	v, err := measureOnce(t, m, &contender{Name: slotcastName, Command: slotcastCommand(slotcast)})
	require.NoError(t, err)
	require.Positive(t, v[keyGoroutines])
	require.Less(t, v[keyGoroutines], 100.0)
	require.Positive(t, v[keyAt(keyThreads, 600)])
	require.Less(t, v[keyAt(keyThreads, 600)], 100.0)
	require.Positive(t, v[keyAt(keyRested, 300)])
	require.InDelta(t, v[keyExtrapolated], (v[keyEmpty]*1e6+v[keyAt(keyRested, 600)]*600+v[keySlope]*(extrapolatedTo-600))/1e6, 1)

	redis := redistest.Bin(t, "redis-server")
	v, err = measureOnce(t, m, &contender{Name: redisName, Command: redisCommand(redis)})
	require.NoError(t, err)
	require.True(t, math.IsNaN(v[keyGoroutines]), "of a program that is not Go")
	require.Positive(t, v[keyAt(keyIdle, 600)])
}

func TestIdleSizesAscend(t *testing.T) {
	plan := planOf(t, "-measure", "idle", "-subs", "20,10,20", "-channel", "channel,slots")
	require.Len(t, plan, 2)
	require.Equal(t, []int{10, 20}, plan[0].(*idleSlope).sizes)
	require.Equal(t, "idle memory, slots, up to 20 subscribers (RESP2)", plan[1].title())
}
