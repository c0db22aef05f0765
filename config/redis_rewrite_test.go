package config

import (
	"bufio"
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
