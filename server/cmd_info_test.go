package server

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// fieldNames are the titles and field names of an INFO, in order.
func fieldNames(text string) (names []string) {
	for line := range strings.SplitSeq(text, "\r\n") {
		name, _, _ := strings.Cut(line, ":")
		names = append(names, name)
	}
	return names
}

// TestInfoHasTheFieldsOfRedis compares the names of everything that INFO says,
// and their order.
func TestInfoHasTheFieldsOfRedis(t *testing.T) {
	redis := redistest.Start(t, "--cluster-enabled", "yes")
	s := startServer(t)
	// Those of limits are of Redis 7.4 and Valkey 8, at their place there.
	ours := map[string]bool{"server_name": true, "slotcast_version": true,
		"client_query_buffer_limit_disconnections": true, "client_output_buffer_limit_disconnections": true}
	for _, args := range [][]string{
		{"INFO"}, {"INFO", "default"}, {"INFO", "all"}, {"INFO", "everything"}, {"INFO", "keyspace", "SERVER"},
		{"INFO", "nosuch"}, {"INFO", "clients", "clients"}, {"INFO", "modules"}, {"INFO", "nosuch", "cluster"},
		{"INFO", "commandstats", "default"}, {"INFO", "latencystats"},
	} {
		for _, protocol := range []string{"2", "3"} {
			a, b := dialAddr(t, "tcp", redis.Addr), s.dial(t)
			for _, c := range []*client{a, b} {
				c.want("+OK\r\n", "CONFIG", "RESETSTAT")
				c.do("NOSUCH")
				c.do("HELLO", protocol)
			}
			want, got := parseReply(t, a.do(args...)), parseReply(t, b.do(args...))
			require.Equal(t, want.kind, got.kind)
			text := got.text
			for name := range ours {
				text = regexp.MustCompile(name+":.*\r\n").ReplaceAllString(text, "")
			}
			// What was called before differs: RESETSTAT counts itself or not.
			for _, p := range []string{`(cmdstat|latency_percentiles_usec)_config\|resetstat:.*\r\n`} {
				re := regexp.MustCompile(p)
				text, want.text = re.ReplaceAllString(text, ""), re.ReplaceAllString(want.text, "")
			}
			require.Equal(t, fieldNames(want.text), fieldNames(text), "%q", args)
		}
	}
}

func TestInfoCountsWhatHappened(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	field := func(section, name string) string {
		t.Helper()
		text := parseReply(t, c.do("INFO", section)).text
		for line := range strings.SplitSeq(text, "\r\n") {
			if value, ok := strings.CutPrefix(line, name+":"); ok {
				return value
			}
		}
		require.Fail(t, "no field "+name, text)
		return ""
	}
	c.want("+OK\r\n", "SET", "k", "v")
	c.do("GET", "k")
	c.do("GET", "none")
	c.do("GET")
	c.do("CLUSTER", "MYID")
	require.Equal(t, "keys=1,expires=0,avg_ttl=0", field("keyspace", "db0"))
	require.Equal(t, "1", field("stats", "keyspace_hits"))
	require.Equal(t, "1", field("stats", "keyspace_misses"))
	require.Equal(t, "1", field("stats", "total_error_replies"))
	require.Equal(t, "count=1", field("errorstats", "errorstat_ERR"))
	require.Regexp(t, `^calls=2,usec=\d+,usec_per_call=\d+\.\d\d,rejected_calls=1,failed_calls=0$`, field("commandstats", "cmdstat_get"))
	require.Regexp(t, `^p50=[\d.]+,p99=[\d.]+,p99.9=[\d.]+$`, field("latencystats", "latency_percentiles_usec_cluster|myid"))
	require.Equal(t, "1", field("clients", "connected_clients"))
	s.dial(t).do("SUBSCRIBE", "one", "two")
	s.dial(t).do("PSUBSCRIBE", "p*")
	require.Equal(t, "3", field("clients", "connected_clients"))
	require.Equal(t, "2", field("stats", "pubsub_channels"))
	require.Equal(t, "1", field("stats", "pubsub_patterns"))
	require.Equal(t, "7.2.4", field("server", "redis_version"))
	require.Equal(t, "slotcast", field("server", "server_name"))
	require.NotEqual(t, "0", field("memory", "used_memory"))

	c.want("+OK\r\n", "CONFIG", "SET", "latency-tracking", "no")
	c.want("+OK\r\n", "CONFIG", "RESETSTAT")
	c.do("GET", "k")
	require.Equal(t, "0", field("stats", "total_error_replies"))
	require.NotContains(t, c.do("INFO", "latencystats"), "_get:")
}

func TestHumanBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0B", 1023: "1023B", 1024: "1.00K", 1714376: "1.63M", 25276514304: "23.54G", 1 << 50: "1.00P"} {
		require.Equal(t, want, humanBytes(n))
	}
}
