//go:build linux

package main

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSendTimesForgetTheOldest(t *testing.T) {
	times := sendTimes{slots: make([]struct{ due, written atomic.Int64 }, 4)}
	for n := range uint64(6) {
		times.set(n, int64(10*n), int64(10*n+1))
	}
	for n := range uint64(6) {
		due, written, known := times.get(n, 6)
		require.Equal(t, n >= 2, known, "command %d of 6", n)
		if known {
			require.Equal(t, int64(10*n), due)
			require.Equal(t, int64(10*n+1), written)
		}
	}
}

// The schedules of several publishers interleave and keep the rate in all.
func TestPacersShareTheRate(t *testing.T) {
	const publishers, rate = 4, 1000.0
	var due [publishers]*pacer
	for n := range due {
		due[n] = newPacer(&publisher{number: n}, 5e9, rate, publishers)
	}
	for i := range 4000 {
		want := 5e9 + float64(i)*1e6
		require.InDelta(t, want, due[i%publishers].due(uint64(i/publishers)), 1, "message %d", i)
	}
}

func TestChangesTakeAwayAndGiveBack(t *testing.T) {
	c := newChanges(2)
	require.Equal(t, "*4\r\n$7\r\nCLUSTER\r\n$8\r\nDELSLOTS\r\n$1\r\n0\r\n$1\r\n2\r\n", string(c.append(nil, 0)))
	require.Equal(t, "x*4\r\n$7\r\nCLUSTER\r\n$8\r\nADDSLOTS\r\n$1\r\n0\r\n$1\r\n2\r\n", string(c.append([]byte("x"), 1)))
}
