//go:build linux

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// smallLimits is a measurement of a few subscribers that takes a moment.
func smallLimits() *limits {
	spec := small(fanoutSpec{rate: 400}, "channel")
	spec.payload, spec.everyone = limitsPayload, true
	return &limits{spec: spec, bad: 2, limit: 32 << 10, timing: brief}
}

func TestLimits(t *testing.T) {
	redis := redistest.Start(t)
	binary, err := buildSlotcast(t.Context(), t.TempDir())
	require.NoError(t, err)
	for _, c := range []*contender{
		{Name: redisName, Attach: redis.Addr, pid: redis.Pid},
		{Name: slotcastName, Command: slotcastCommand(binary)},
	} {
		t.Run(c.Name, func(t *testing.T) {
			m := smallLimits()
			v, err := measureOnce(t, m, c)
			require.NoError(t, err)
			for _, key := range []string{keyLost, keyRepeated, keyClosed} {
				require.Zero(t, v[key], key)
			}
			for _, phase := range phases {
				require.Positive(t, v[keyDeliveries+"_"+phase.name])
				require.Positive(t, v[latencyKey(phase.name, "p50")])
			}
			require.Positive(t, v[keyLimitChange+"p50"])
			for _, k := range laggardKinds {
				require.Contains(t, v, keyBadClosed+k.key)
			}
			require.Equal(t, float64(6*32<<10), v[keyAllowed])
			require.Positive(t, v[keyBefore])
			for _, f := range m.figures() {
				if f.Key != latencyKey("with", "p999") && f.Key != latencyKey("without", "p999") && f.Key != keyLimitChange+"p999" {
					require.Contains(t, v, f.Key)
				}
			}
		})
	}
}

// Bad subscribers stay until the limit is reached, whatever they do not answer,
// and are then closed.
func TestLaggardsAreClosedAtTheLimit(t *testing.T) {
	redis := redistest.Start(t)
	c := &contender{Name: redisName, Attach: redis.Addr, pid: redis.Pid}
	in, err := c.start(t.Context(), 10, false)
	require.NoError(t, err)
	require.NoError(t, smallLimits().setLimit(in))
	kind := mustKind("channel")
	bad, err := openLaggards(in, kind.listeners[0], 2)
	defer bad.close()
	require.NoError(t, err)
	fd, err := dial(in.network, in.addr)
	require.NoError(t, err)
	defer hangUp(fd)
	publish := newMessages(kind.publish, 0, limitsPayload).append(nil, 0)
	_, err = ask(fd, publish, 1)
	require.NoError(t, err)
	left, err := bad.left()
	require.NoError(t, err)
	require.Equal(t, []int{2, 2, 2}, left)
	const enough = 10_000 // messages, far more than the kernel and the limit hold
	for sent := 0; total(unsigned(left)) > 0 && sent < enough; sent++ {
		_, err = ask(fd, publish, 1)
		require.NoError(t, err)
		left, err = bad.left()
		require.NoError(t, err)
	}
	require.Equal(t, []int{0, 0, 0}, left)
}

func unsigned(list []int) (out []uint64) {
	for _, n := range list {
		out = append(out, uint64(n))
	}
	return out
}
