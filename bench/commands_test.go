//go:build linux

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseCommandRun(t *testing.T) {
	const head = `"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"` + "\n"
	got, err := parseCommandRun(head+`"SET","37037.04","0.888","0.320","0.839","1.447","2.767","2.983"`+"\n"+
		`"GET","27027.03","1.241","0.232","0.903","3.463","3.959","4.095"`+"\n", "get")
	require.NoError(t, err)
	require.Equal(t, commandRun{rate: 27027.03, p50: 0.903, p99: 3.959}, got)
	for _, bad := range []string{"", head, head + `"SET","1","1","1","1","1","1","1"` + "\n", head + `"GET","x","1","1","1","1","1","1"` + "\n", "\"\n"} {
		_, err := parseCommandRun(bad, "get")
		require.Error(t, err, "%q", bad)
	}
}
