package compat

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A library is a client library with the program that drives it.
type library struct {
	name string // <library>-<major>, unique; in cells.txt too

	// folder holds the program, in clients; empty for the one of that name.
	// Two rows can share one, as for a library with a blocking and an
	// asynchronous client.
	folder string

	title   string // as people call it, with the major version: "go-redis 9"
	version string // exactly the pinned one

	// program returns the program's command line up to the task, or leaves the
	// test out if the machine lacks what it needs.
	program func(t *testing.T, folder string) []string

	protocols []string // those that the library speaks: "2", "3"
	kinds     []string // "single", "cluster"; nil for both

	// untyped says that numbers of a nested payload reach the user as text.
	untyped bool

	// unordered says that the library does not keep messages in their order.
	unordered bool

	commands bool // the program has the commands task
	// lacks names the lines of the commands task that a kind of client has no
	// method for.
	lacks map[string][]string

	load []string // the modes of the load task: "off", "on", "smigrated"; nil if there is none

	// unaided says how the library's cluster client follows moves of slots by
	// itself, if it does, for the table of README.md; recipe is the folder in
	// examples that has it follow them.
	unaided, recipe string

	cache bool // the program has the cache task, with RESP3

	heavy bool // takes seconds to start, as a JVM does

	wantsOK bool // its cluster client connects only to a node whose cluster_state is ok
}

// libraries are the tables of all ecosystems, each in <ecosystem>_test.go.
var libraries = slices.Concat(goLibraries, nodeLibraries, pythonLibraries, debianLibraries, jvmLibraries, rustLibraries)

// installed leaves a test out unless an ecosystem's libraries are installed as
// this tree pins them, and returns the folder of one of them.
func installed(t *testing.T, ecosystem, name string) string {
	t.Helper()
	check, _ := checks.LoadOrStore(ecosystem, sync.OnceValue(func() error {
		out, err := exec.Command(filepath.Join(root, ".ci", "clients.d", ecosystem), "check").CombinedOutput()
		if err != nil {
			return &toolError{out, err}
		}
		return nil
	}))
	if err := check.(func() error)(); err != nil {
		lacking(t, name+", which .ci/clients installs,", err)
	}
	return filepath.Join(clientsFolder(t), name)
}

// checks holds the outcome of each ecosystem's check by its name.
var checks sync.Map

// clientsFolder is where .ci/clients installs what it does.
func clientsFolder(t *testing.T) string {
	t.Helper()
	if folder := os.Getenv("SLOTCAST_CLIENTS"); folder != "" {
		return folder
	}
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	return filepath.Join(cache, "slotcast", "clients")
}

// A client is one way in which a library can be used.
type client struct {
	library
	resp string
	kind string // single or cluster
	argv []string
}

// start runs the library's program with a task against an address. More are
// the channels, or the mode of a load.
func (c client) start(t *testing.T, task, addr string, more ...string) *process {
	t.Helper()
	args := append(c.argv[1:len(c.argv):len(c.argv)], task, addr, c.resp, c.kind)
	return start(t, c.argv[0], append(args, more...)...)
}

// command returns the program's command line up to the task.
func (l library) command(t *testing.T) []string {
	t.Helper()
	folder := l.folder
	if folder == "" {
		folder = l.name
	}
	return l.program(t, filepath.Join("clients", folder))
}

// clients are the ways in which the library can be used.
func (l library) clients(argv []string) []client {
	kinds := l.kinds
	if kinds == nil {
		kinds = []string{"single", "cluster"}
	}
	var clients []client
	for _, resp := range l.protocols {
		for _, kind := range kinds {
			clients = append(clients, client{l, resp, kind, argv})
		}
	}
	return clients
}

// eachClient runs a test for every library, protocol and kind of client that
// is wanted.
func eachClient(t *testing.T, wanted func(library) bool, test func(t *testing.T, c client)) {
	for _, l := range libraries {
		if !wanted(l) {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			for _, c := range l.clients(l.command(t)) {
				t.Run("resp"+c.resp+"/"+c.kind, func(t *testing.T) { test(t, c) })
			}
		})
	}
}

func everyLibrary(library) bool { return true }

func hasCommands(l library) bool { return l.commands }

// A toolError is what a tool said when it failed.
type toolError struct {
	out []byte
	err error
}

func (e *toolError) Error() string { return e.err.Error() + "\n" + strings.TrimSpace(string(e.out)) }
