package compat

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// TestRedisBenchmark runs the string tests of redis-benchmark, which ends with
// an error at the first reply that is one. What it measures is not looked at.
func TestRedisBenchmark(t *testing.T) {
	program := redistest.Bin(t, "redis-benchmark")
	n := startNode(t)
	for _, test := range []struct{ args, tests, names string }{
		{"-n 1000 -c 10", "ping,set,get,incr,mset", "PING_INLINE|PING_MBULK|SET|GET|INCR|MSET (10 keys)"},
		{"-n 4000 -c 10 -P 16", "ping,set,get,incr,mset", "PING_INLINE|PING_MBULK|SET|GET|INCR|MSET (10 keys)"},
		{"-n 4000 -c 10 -3 --threads 2 -d 10000", "set,get,mset", "SET|GET|MSET (10 keys)"},
		// Without mset, whose ten random keys would be in ten slots.
		{"-n 4000 -c 10 -P 16 -r 100000", "set,get,incr", "SET|GET|INCR"},
		{"-n 1000 -c 10 -k 0", "get", "GET"}, // a connection for each command
	} {
		t.Run(test.args, func(t *testing.T) {
			argv := append(strings.Fields(test.args), "-p", strconv.Itoa(n.port), "-t", test.tests, "--csv")
			out := output(t, "", program, argv...)
			_, results, headed := strings.Cut(out, `"max_latency_ms"`+"\n")
			require.True(t, headed, out)
			var names []string
			for line := range strings.Lines(results) {
				name, _, _ := strings.Cut(line, ",")
				names = append(names, strings.Trim(name, `"`))
			}
			require.Equal(t, test.names, strings.Join(names, "|"), out)
		})
	}
}
