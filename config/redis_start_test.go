package config

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

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
