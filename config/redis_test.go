package config

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// twin is a redis-server and a Config that were started alike.
type twin struct {
	redis *redistest.Server
	ours  *Config
}

func startTwin(t *testing.T) twin {
	t.Helper()
	args := []string{"--cluster-enabled", "yes", "--cluster-config-file", "n.conf", "--enable-protected-configs", "yes"}
	s := redistest.Start(t, args...)
	c, _, err := Load(append([]string{"--port", strconv.Itoa(s.Port), "--bind", "127.0.0.1", "--save", "", "--dir", s.Dir},
		args...), nil)
	require.NoError(t, err)
	return twin{redis: s, ours: c}
}

// config sends CONFIG commands in one batch and returns their replies: the
// line of a status or an error, the elements of an array joined by newlines.
func (tw twin) config(t *testing.T, commands ...[]string) []string {
	t.Helper()
	var request strings.Builder
	for _, words := range commands {
		words = append([]string{"CONFIG"}, words...)
		fmt.Fprintf(&request, "*%d\r\n", len(words))
		for _, word := range words {
			fmt.Fprintf(&request, "$%d\r\n%s\r\n", len(word), word)
		}
	}
	r := bufio.NewReader(strings.NewReader(tw.redis.Exchange(t, request.String())))
	line := func() string {
		s, err := r.ReadString('\n')
		require.NoError(t, err)
		return strings.TrimSuffix(s, "\r\n")
	}
	replies := make([]string, len(commands))
	for i := range replies {
		head := line()
		if head[0] != '*' {
			replies[i] = head
			continue
		}
		n, err := strconv.Atoi(head[1:])
		require.NoError(t, err)
		elements := make([]string, n)
		for j := range elements {
			require.Equal(t, byte('$'), line()[0])
			elements[j] = line()
		}
		replies[i] = strings.Join(elements, "\n")
	}
	return replies
}

// ourReply is what slotcast answers to CONFIG SET or CONFIG GET.
func (tw twin) ourReply(words []string) string {
	if words[0] == "GET" {
		var elements []string
		for _, pair := range tw.ours.Get(words[1:]...) {
			elements = append(elements, pair[0], pair[1])
		}
		return strings.Join(elements, "\n")
	}
	var pairs [][2]string
	for pair := range slices.Chunk(words[1:], 2) {
		pairs = append(pairs, [2]string{pair[0], pair[1]})
	}
	if _, err := tw.ours.Set(pairs, true); err != nil {
		return "-" + err.Error()
	}
	return "+OK"
}

func TestGetMatchesRedis(t *testing.T) {
	tw := startTwin(t)
	pairs := func(reply string) map[string]string {
		values := make(map[string]string)
		for pair := range slices.Chunk(strings.Split(reply, "\n"), 2) {
			values[pair[0]] = pair[1]
		}
		return values
	}
	theirs := pairs(tw.config(t, []string{"GET", "*"})[0])
	ours := pairs(tw.ourReply([]string{"GET", "*"}))
	require.Greater(t, len(theirs), 190)
	added := []string{
		"cluster-announce-human-nodename", "locale-collate", "set-max-listpack-entries", "set-max-listpack-value",
		"cluster-slots-payload", "cluster-slots-push", "cluster-maint-notifications", "ignore-unsupported",
	}
	for _, name := range added {
		require.Contains(t, ours, name)
		require.NotContains(t, theirs, name)
		delete(ours, name)
	}
	require.Equal(t, theirs, ours)

	// Names in full keep their spelling, patterns do not care for case.
	for _, patterns := range [][]string{
		{"TIMEOUT", "timeout", "time*", "Timeout"}, {"TIMEO*"}, {"foo"}, {"use-exit-*"}, {"use-exit-on-panic"},
		{"t[ic][mp]*out"}, {`timeo\ut`}, {"slave-read-only"}, {"*-read-only"}, {"Cluster-Enabled"}, {"timeou?"}, {""},
	} {
		words := append([]string{"GET"}, patterns...)
		want, got := sortedPairs(tw.config(t, words)[0]), sortedPairs(tw.ourReply(words))
		require.Equal(t, want, got, "%q", patterns)
	}
}

// sortedPairs sorts the pairs of a reply: Redis has no order.
func sortedPairs(reply string) []string {
	var pairs []string
	if reply == "" {
		return nil
	}
	for pair := range slices.Chunk(strings.Split(reply, "\n"), 2) {
		pairs = append(pairs, strings.Join(pair, "="))
	}
	slices.Sort(pairs)
	return pairs
}

func TestSetMatchesRedis(t *testing.T) {
	tw := startTwin(t)
	generic := []string{
		"zzz", "", "0", "1", "-1", "yes", "NO", "1mb", "05", "+5", " 5", "a b", "10%", "101%", "%", "kb", "1.5gb",
		"-9223372036854775807", "9223372036854775807", "9223372036854775808", "18446744073709551615",
		"99999999999999999999999", "20000000000gb", "2kb", "3B", "-0", "0x5", "12345678",
	}
	special := map[string][]string{
		"client-output-buffer-limit": {
			"normal 0 0 0", "normal 1mb 1k 5 pubsub 1 2 3", "master 0 0 0", "foo 0 0 0", "replica 1 2 3", "normal a 0 0",
			"normal 1 0 -1", "normal 1 1 1x", "normal 1 2", "normal  1 2 3", "NORMAL 3 2 1", "normal 1 2 ", "normal 5 5 05",
			"slave 1gb 18446744073709551615 99999999999999", "normal 1 1 1 foo 1 1 1", "pubsub 1 1 99999999999999999999",
		},
		"save":                              {"900 1 300", "0 1", "1 -1", "a b", " ", "10  5", ""},
		"oom-score-adj-values":              {"0 200 800", "1 2", "1 2 3001", "3 2 1", "a 1 2", "-2000 0 2000", "1 2 3 4", "01 2 3"},
		"latency-tracking-info-percentiles": {"50", "101", "a", "50 99 99.999", "-1", "50.0 0.10 1e1", "nan", "100", "0", "", "50  60"},
		"shutdown-on-sigterm":               {"default", "nosave force", "NOW", "foo", "nosave  now", "save nosave", "default now", "now force"},
		"notify-keyspace-events": {
			"g", "A", "KEA", "AKE", "g$lshzxedt", "KEg$lshzxedtmn", "nmK", "AAm", "q", "t", "d", "mn", "nA", "Kn", "ntd",
		},
		"cluster-announce-hostname":       {"a.b-c", "a_b", strings.Repeat("x", 255), strings.Repeat("x", 256), "A1"},
		"cluster-preferred-endpoint-type": {"hostname", "Unknown-Endpoint", "ip"},
		"loglevel":                        {"NOTICE", "nothing", "debug", "notice foo"},
		"dbfilename":                      {"a/b", `a\b`, "x.rdb"},
		"dir":                             {"/nonexistent", "/etc/passwd", "/", ".", "usr", "/tmp/../usr"},
		"maxmemory-policy":                {"NOEVICTION", "noeviction foo"},
		"appendfsync":                     {"always", "No"},
		"hz":                              {"1000", "499"},
		"proc-title-template":             {"{title}", "{title} ", "x{title}", "{port}", " {title}", "}", "{", "a}b", "{{title}}", "{foo}", "{title}\t"},
		"repl-backlog-size":               {"1", "16383", "16385"},
		"acl-pubsub-default":              {"allchannels", "ResetChannels"},
		"bind":                            {strings.Repeat("127.0.0.1 ", 16) + "127.0.0.1"},
	}
	// What Redis then does with a good value cannot be had without a server,
	// or would end this one.
	effects := []string{"bind", "port", "requirepass", "maxclients", "watchdog-period", "oom-score-adj", "activedefrag"}

	names := slices.Sorted(maps.Keys(rows))
	compared := 0
	for _, name := range names {
		if !strings.Contains(tw.config(t, []string{"GET", name})[0], "\n") {
			continue // not in 7.0
		}
		d := &table[rows[name]]
		for _, value := range append(slices.Clone(generic), special[name]...) {
			if slices.Contains(effects, name) && !isFaulty(d, value) {
				continue
			}
			words := []string{"SET", name, value}
			before := tw.ourReply([]string{"GET", name})
			want := tw.config(t, words, []string{"GET", name})
			got := tw.ourReply(words)
			if d.status == protects && want[0] == "+OK" && got != "+OK" {
				require.Equal(t, "-"+SetFailed(name, d.why).Error(), got)
				tw.config(t, []string{"SET", name, strings.SplitN(before, "\n", 2)[1]})
				continue
			}
			if name == "cluster-announce-ip" && announcedAddress(value) != nil {
				// Redis takes any text here.
				require.Equal(t, "-"+SetFailed(name, announcedAddress(value).Error()).Error(), got)
				tw.config(t, []string{"SET", name, strings.SplitN(before, "\n", 2)[1]})
				continue
			}
			if strings.HasPrefix(name, "tls-") && strings.Contains(want[0], "Unable to update TLS") {
				continue // a fault of OpenSSL's
			}
			require.Equal(t, want[0], got, "CONFIG SET %s %q", name, value)
			require.Equal(t, want[1], tw.ourReply([]string{"GET", name}), "after CONFIG SET %s %q", name, value)
			compared++
		}
	}
	t.Logf("%d exchanges of CONFIG SET agree", compared)
	require.Greater(t, compared, 4000)
}

func isFaulty(d *directive, value string) bool {
	words := []string{value}
	if d.has(multi) {
		words = strings.Split(value, " ")
	}
	_, err := d.kind.parse(words, setting{old: d.def})
	return err != nil
}

func TestSetOfSeveralMatchesRedis(t *testing.T) {
	tw := startTwin(t)
	for _, words := range [][]string{
		{"TIMEOUT", "x"}, {"DAEMONIZE", "yes"}, {"Slave-Read-Only", "x"},
		{"slave-read-only", "yes", "replica-read-only", "no"},
		{"timeout", "1", "TIMEOUT", "2"},
		{"timeout", "1", "foo", "2", "bar", "1", "daemonize", "yes"},
		{"daemonize", "yes", "foo", "1"},
		{"daemonize", "yes", "timeout", "1", "timeout", "2"},
		{"timeout", "1", "timeout", "2", "daemonize", "yes"},
		{"timeout", "99", "hz", "abc"}, {"hz", "abc", "timeout", "x"},
		{"hz", "77", "timeout", "88"}, {"", ""}, {"user", "x"}, {"include", "x"},
	} {
		words := append([]string{"SET"}, words...)
		get := []string{"GET", "timeout", "hz", "replica-read-only"}
		want := tw.config(t, words, get)
		require.Equal(t, want[0], tw.ourReply(words), "%q", words)
		require.Equal(t, sortedPairs(want[1]), sortedPairs(tw.ourReply(get)), "after %q", words)
	}
	unguarded := Default()
	_, err := unguarded.Set([][2]string{{"Dir", "/"}}, false)
	require.EqualError(t, err, "ERR CONFIG SET failed (possibly related to argument 'Dir') - can't set protected config")
}
