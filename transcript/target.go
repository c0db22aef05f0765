package transcript

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// A Target is a server that transcripts can be played against.
type Target interface {
	// Name is "redis" or "slotcast", as only and differs spell it.
	Name() string
	// Start runs a server with these arguments and this cluster file ("" for
	// none) until the test ends, and returns its address, on a port of five
	// digits, with cluster-node-timeout 3600000 so that the peers that a cluster
	// file names are never missed. Without either the server is a cluster of one that owns all
	// slots.
	Start(t *testing.T, args []string, nodes string) (addr string)
}

// Redis is the redis-server that the machine has. Without one its tests are
// skipped, but in CI they fail.
type Redis struct{}

// Name implements Target.
func (Redis) Name() string { return "redis" }

// Version is the program with the version that it says it has.
func (Redis) Version() string {
	out, err := exec.Command("redis-server", "--version").Output()
	if err != nil {
		return "redis-server of unknown version"
	}
	_, after, _ := strings.Cut(string(out), "v=")
	version, _, _ := strings.Cut(after, " ")
	return "redis-server " + version
}

// Start implements Target.
func (Redis) Start(t *testing.T, args []string, nodes string) string {
	program := redistest.Bin(t, "redis-server")
	dir := t.TempDir()
	all, err := redisArgs(dir, args, nodes)
	require.NoError(t, err)
	return run(t, program, dir, all)
}

// A Program is a slotcast that was built.
type Program struct{ Path string }

// Name implements Target.
func (Program) Name() string { return "slotcast" }

// Start implements Target.
func (p Program) Start(t *testing.T, args []string, nodes string) string {
	dir := t.TempDir()
	all, err := slotcastArgs(dir, args, nodes)
	require.NoError(t, err)
	return run(t, p.Path, dir, all)
}

func run(t *testing.T, program, dir string, args []string) string {
	p, err := startProcess(program, dir, args)
	require.NoError(t, err)
	t.Cleanup(p.stop)
	return p.addr
}
