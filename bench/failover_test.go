//go:build linux

package main

import (
	"bytes"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

func smallFailover(t *testing.T, resp string) *shardFailover {
	m, err := newShardFailover(5, resp, &options{readers: 2, timing: brief})
	require.NoError(t, err)
	m.slots = 400
	return m
}

// The shard of a node known from a nodes.conf passes in one frame on the bus,
// and the same bytes are published on both servers.
func TestFailover(t *testing.T) {
	redis := redistest.Bin(t, "redis-server")
	slotcast, err := buildSlotcast(t.Context(), t.TempDir())
	require.NoError(t, err)
	contenders := []*contender{
		{Name: slotcastName, Command: slotcastCommand(slotcast)},
		{Name: redisName, Command: redisCommand(redis)},
	}
	for _, resp := range []string{"2", "3", "mixed"} {
		m := smallFailover(t, resp)
		servers := m.variants(contenders)
		var names []string
		volume := map[float64]bool{}
		for _, c := range servers {
			names = append(names, c.Name)
			v, err := measureOnce(t, m, c)
			require.NoError(t, err, c.Name)
			require.Zero(t, v[keyLost], c.Name)
			require.Zero(t, v[keyClosed], c.Name)
			require.Positive(t, v[keyWhole])
			require.GreaterOrEqual(t, 1000*v[keyWhole], v[keyFirst])
			require.Positive(t, v[keyPeak])
			volume[v[keyVolume]] = true
			if c.mode == modeFailover {
				require.Positive(t, v[keyPongsIdle])
				require.Positive(t, v[keyPongIdle])
				require.Contains(t, v, keyPongs)
			}
		}
		require.Equal(t, []string{"redis-server, PUBLISH", "slotcast, PUBLISH", "slotcast, failover"}, names)
		require.Len(t, volume, 1, "a subscriber gets as many bytes from each, in RESP%s", resp)
	}
}

func TestTextsAreAsLongAsRows(t *testing.T) {
	m := smallFailover(t, "2")
	m.slots = shardSlots
	rows, texts := m.payloads(modeFailover, 2), m.payloads(modePublish, 2)
	require.Len(t, texts, shardSlots)
	for i := range rows {
		require.Len(t, texts[i], len(rows[i]))
	}
	require.Equal(t, 16381, m.slot(shardSlots-1))
}

func TestStreamsAreHeldAgainstWhatMustCome(t *testing.T) {
	var begun atomic.Int64
	frames := newStreamFrames([]byte("+"), [][]byte{[]byte("one\r\n"), []byte("two\r\n")}, &begun)
	whole := []byte("+one\r\n+two\r\n")
	for piece := 1; piece <= len(whole); piece++ {
		r, s := &reader{}, &subscriber{}
		for rest := whole; len(rest) > 0; {
			n := min(piece, len(rest))
			used, err := frames.consume(r, s, rest[:n])
			require.NoError(t, err)
			require.Equal(t, n, used)
			rest = rest[n:]
			require.EqualValues(t, bytes.Count(whole[:s.offset], []byte("\n")), s.received)
		}
		require.EqualValues(t, 1, r.fromWrite[0].count)
		require.EqualValues(t, 1, r.fromDue[0].count)
	}
	r, s := &reader{}, &subscriber{}
	_, err := frames.consume(r, s, whole[:7])
	require.NoError(t, err)
	_, err = frames.consume(r, s, []byte("tWo\r\n"))
	require.ErrorContains(t, err, `"tWo\r\n", expected "two\r\n"`)
	_, err = frames.consume(r, s, []byte("two\r\n+"))
	require.Error(t, err, "one message too many")
}
