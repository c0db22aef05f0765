package config

import (
	"bufio"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
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
		if strings.Contains(tw.config(t, []string{"GET", name})[0], "\n") == false {
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

// TestFaultsMatchRedis starts redis-server with a broken file and expects the
// same line and the same reason.
func TestFaultsMatchRedis(t *testing.T) {
	bin := redistest.Bin(t, "redis-server")
	for _, text := range []string{
		"# c\n\nfoo bar", "port \"1", "port 'a'b", "port", "port 1 2", "port 99999", "port -1", "port x", "PORT x",
		"daemonize maybe", "databases 0", "unixsocketperm 1000", "unixsocketperm 8", "supervised maybe", "tcp-backlog -1",
		"cluster-announce-hostname a_b", "dir /nonexistent", "dir \"\"", "save 1", "save 1 x", "save \"\" \"\"", "save \"1 2 3\"",
		"client-output-buffer-limit normal", "client-output-buffer-limit x 1 1 1", "client-output-buffer-limit \"normal a 1 1\"",
		"shutdown-on-sigterm", "oom-score-adj-values", "bind 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17",
		"rename-command GET", "include", "loadmodule", "replicaof 1", "replicaof h x", "slaveof h 99999", "maxmemory 1x",
		"maxmemory", "io-threads 0", "syslog-facility x", "appendfilename a/b", "appenddirname a/b", "cluster-port 70000",
		"  \t\r\n\tport\t\tx  ", "list-max-ziplist-entries", "socket-mark-id -1", "enable-debug-command x",
		"latency-tracking-info-percentiles 50 200", "notify-keyspace-events Q", "proc-title-template {x}", "timeout 1 # c",
	} {
		t.Run(text, func(t *testing.T) {
			path := writeFile(t, "redis.conf", text+"\nnot-a-directive\n")
			cmd := exec.Command(bin, path)
			cmd.Dir = filepath.Dir(path)
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "redis-server started")
			_, theirs, found := strings.Cut(string(out), "Reading the configuration file, ")
			require.True(t, found, "%s", out)

			_, _, err = Load([]string{path}, nil)
			require.Error(t, err)
			_, ours, _ := strings.Cut(err.Error(), "Reading the configuration file, ")
			require.Equal(t, strings.TrimSpace(theirs), strings.Replace(ours, " of "+path, "", 1))
		})
	}
}

// TestArgumentsMatchRedis compares what redis-server takes for the value of a
// directive, by the line that it quotes.
func TestArgumentsMatchRedis(t *testing.T) {
	bin := redistest.Bin(t, "redis-server")
	for _, args := range [][]string{
		{"--foo", "bar"}, {"--foo bar"}, {"--foo", "--bar", "--port", "1"}, {"--foo", "a", "--bar", "b"}, {"-x"},
		{"--port", "1", "-v"}, {"--port", "1", "-", "--foo"}, {"--foo", "a b", "c\"d", "\x01\n"}, {"--save", "--foo", "x"},
		{"--save", "--foo"}, {"--save --foo"}, {"--SAVE", "--foo", "1"}, {"--", "--foo"}, {"--timeout"}, {"--hz 1 2"},
		{"--proc-title-template", "--my--title", "--foo"}, {"--port", "1", ""}, {"--logfile", "", "--foo"}, {"--foo \"a"},
		{"--bind", "127.0.0.1", "::1", "--foo"}, {"--daemonize", "--port", "3", "--daemonize", "maybe"},
		{"--client-output-buffer-limit", "normal 1 2 3", "--foo"}, {"--foo", "-"}, {"--foo", ""},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			cmd := exec.Command(bin, args...)
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "redis-server started")
			_, theirs, found := strings.Cut(string(out), ">>> ")
			require.True(t, found, "%s", out)
			_, _, err = Load(args, strings.NewReader(""))
			require.Error(t, err)
			_, ours, _ := strings.Cut(err.Error(), ">>> ")
			require.Equal(t, strings.TrimSpace(theirs), ours)
		})
	}
}

// startFile runs redis-server with a configuration file, which Start of
// redistest does not, until the test ends.
func startFile(t *testing.T, path string) {
	t.Helper()
	cmd := exec.Command(redistest.Bin(t, "redis-server"), path)
	cmd.Dir = filepath.Dir(path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	ready := false
	for !ready && lines.Scan() {
		ready = strings.Contains(lines.Text(), "Ready to accept connections")
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		for lines.Scan() {
			// Its last words, so that it is not blocked by them.
		}
		_ = cmd.Wait()
	})
	require.True(t, ready, "redis-server did not start")
}

func TestRewriteMatchesRedis(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())

	dir := t.TempDir()
	text := strings.NewReplacer("PORT", strconv.Itoa(port), "DIR", dir).Replace(rewriteSample)
	theirs, ours := filepath.Join(dir, "theirs.conf"), filepath.Join(dir, "ours.conf")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "part.conf"), []byte("tcp-keepalive 100\n"), 0o600))
	require.NoError(t, os.WriteFile(theirs, []byte(text), 0o600))
	require.NoError(t, os.WriteFile(ours, []byte(text), 0o600))
	startFile(t, theirs)
	c, _, err := Load([]string{ours}, nil)
	require.NoError(t, err)
	tw := twin{redis: &redistest.Server{Addr: "127.0.0.1:" + strconv.Itoa(port)}, ours: c}

	for _, step := range [][]string{
		{"SET", "hz", "20"},
		{"SET", "client-output-buffer-limit", "pubsub 0 0 0", "maxmemory", "1500mb", "cluster-announce-ip", "1.2.3.4",
			"latency-tracking-info-percentiles", "50", "oom-score-adj-values", "1 2 3", "repl-backlog-size", "1000000"},
		{"SET", "bind", "127.0.0.1", "notify-keyspace-events", "", "cluster-announce-ip", "", "hz", "10",
			"masterauth", "a b\x01\n\"\xff", "maxmemory", "0", "shutdown-on-sigterm", "nosave now",
			"cluster-announce-hostname", "h.example", "proto-max-bulk-len", "1gb", "timeout", "0"},
		{"SET", "latency-tracking-info-percentiles", "", "masterauth", "", "client-output-buffer-limit",
			"pubsub 32mb 8mb 60 replica 1 2 3", "repl-backlog-size", "2mb", "slowlog-log-slower-than", "-1"},
	} {
		require.Equal(t, []string{"+OK", "+OK"}, tw.config(t, step, []string{"REWRITE"}))
		require.Equal(t, "+OK", tw.ourReply(step))
		require.NoError(t, c.Rewrite())
		want, err := os.ReadFile(theirs)
		require.NoError(t, err)
		got, err := os.ReadFile(ours)
		require.NoError(t, err)
		require.Equal(t, fileParts(string(want)), fileParts(string(got)), "after %q", step)
		info, err := os.Stat(ours)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		_, _, err = Load([]string{ours}, nil)
		require.NoError(t, err, "what was rewritten can be read")
	}
}

// fileParts splits a file at the signature: what follows it has no order in
// Redis.
func fileParts(file string) [2]string {
	head, tail, _ := strings.Cut(file, rewriteSignature+"\n")
	var lines []string
	for line := range strings.SplitSeq(tail, "\n") {
		// Redis adds its default percentiles even where nobody set them, and a
		// line for a user that there is only one of.
		if line != "" && !strings.HasPrefix(line, "user ") && line != "latency-tracking-info-percentiles 50 99 99.9" {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return [2]string{head, strings.Join(lines, "\n")}
}

const rewriteSample = `# a comment
port PORT
cluster-enabled yes
cluster-config-file n.conf


# two blanks above
	   # an indented comment
slave-read-only no
Timeout 5
save ""
client-output-buffer-limit normal 0 0 0
client-output-buffer-limit replica 100mb 64mb 60
maxmemory 100mb
bind 127.0.0.1 -::1
   hz   10   
dir DIR
include DIR/part.conf
notify-keyspace-events KEA
unixsocketperm 0700
unixsocketperm 0600
timeout 7
hash-max-ziplist-entries 100
list-max-ziplist-entries 100
tls-cert-file ""
logfile ""
`
