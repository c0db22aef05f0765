//go:build linux

package main

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseCPUTime(t *testing.T) {
	got, err := parseCPUTime([]byte("42 (a) b) (c) S 1 42 42 0 -1 4194560 100 0 0 0 250 31 7 8 20 0 4 0 100 1 2\n"))
	require.NoError(t, err)
	require.Equal(t, 2810*time.Millisecond, got, "utime 250 and stime 31, of the process alone")
	_, err = parseCPUTime([]byte("42 (a) S 1"))
	require.Error(t, err)
	_, err = parseCPUTime([]byte("42 (a) S 1 2 3 4 5 6 7 8 9 10 x 31 7 8"))
	require.Error(t, err)
}

func TestParseResident(t *testing.T) {
	got, err := parseResident([]byte("Name:\tx\nVmHWM:\t   99 kB\nVmRSS:\t    1234 kB\nRssAnon:\t 1 kB\n"))
	require.NoError(t, err)
	require.Equal(t, 1234.0*1024, got)
	_, err = parseResident([]byte("Name:\tx\n"))
	require.Error(t, err)
}

func TestParseMachineCPUTime(t *testing.T) {
	got := parseMachineCPUTime([]byte("cpu  100 10 50 9999 777 3 4 5 60 70\ncpu0 1 1 1 1 1 1 1 1 1 1\n"))
	require.Equal(t, 1720*time.Millisecond, got, "user, nice, system, irq, softirq and steal")
}

// What /proc says of this process is read without error on the machine at hand.
func TestProcOfThisProcess(t *testing.T) {
	_, err := cpuTime(os.Getpid())
	require.NoError(t, err)
	rss, err := residentBytes(os.Getpid())
	require.NoError(t, err)
	require.Greater(t, rss, 1e6)
	require.Greater(t, machineCPUTime(), time.Duration(0))
}

func TestCores(t *testing.T) {
	at := time.Unix(100, 0)
	before := busyTime{at: at, server: time.Second, own: 2 * time.Second, machine: 10 * time.Second}
	after := busyTime{at: at.Add(2 * time.Second), server: 2 * time.Second, own: 2500 * time.Millisecond, machine: 13 * time.Second}
	server, own, others := before.cores(after, 1)
	require.Equal(t, []float64{0.5, 0.25, 0.75}, []float64{server, own, others})
	server, own, others = before.cores(after, 0)
	require.True(t, math.IsNaN(server) && math.IsNaN(others))
	require.Equal(t, 0.25, own)
}
