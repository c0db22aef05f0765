package compat

import (
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A library is a client library with the program that drives it.
type library struct {
	name string // its folder in clients
	// program returns the program's command line, or leaves the test out if
	// the machine lacks what it needs.
	program func(t *testing.T, folder string) []string
	// protocols are those that the library speaks.
	protocols []string
	// nested says that the library hands a nested payload to its user.
	nested bool
	// lacks names the lines of the commands task that a kind of client has no
	// method for.
	lacks map[string][]string
}

var libraries = []library{
	{name: "go-redis-9", program: goProgram, protocols: []string{"2", "3"}},
	{name: "rueidis", program: goProgram, protocols: []string{"2", "3"}},
	{
		name: "redis-py-4.3", program: debianPython("redis", "4.3.4", "python3-redis"),
		protocols: []string{"2"}, nested: true,
		lacks: map[string][]string{"cluster": {"transaction", "watch-quiet", "watch-changed"}},
	},
}

// A cell is one way in which a library can be used.
type cell struct {
	library
	resp string
	kind string // single or cluster
	argv []string
}

// start runs the library's program with a task against an address.
func (c cell) start(t *testing.T, task, addr string, channels ...string) *process {
	t.Helper()
	args := append(c.argv[1:len(c.argv):len(c.argv)], task, addr, c.resp, c.kind)
	return start(t, c.argv[0], append(args, channels...)...)
}

// eachCell runs a test for every library, protocol and kind of client.
func eachCell(t *testing.T, test func(t *testing.T, c cell)) {
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			argv := l.program(t, filepath.Join("clients", l.name))
			for _, resp := range l.protocols {
				for _, kind := range []string{"single", "cluster"} {
					t.Run("resp"+resp+"/"+kind, func(t *testing.T) { test(t, cell{l, resp, kind, argv}) })
				}
			}
		})
	}
}

// goPrograms holds the outcome of each build by its folder.
var goPrograms sync.Map

// goProgram builds a nested module, once for all tests. What cannot be fetched
// is lacking; what does not build is an error.
func goProgram(t *testing.T, folder string) []string {
	t.Helper()
	type outcome struct {
		fetched error
		path    string
		err     error
	}
	build, _ := goPrograms.LoadOrStore(folder, sync.OnceValue(func() outcome {
		if out, err := goTool(folder, "mod", "download"); err != nil {
			return outcome{fetched: &toolError{out, err}}
		}
		path, err := goBuild(folder, filepath.Join(built, strings.ReplaceAll(folder, string(filepath.Separator), "_")))
		return outcome{path: path, err: err}
	}))
	result := build.(func() outcome)()
	if result.fetched != nil {
		lacking(t, "the modules of "+folder, result.fetched)
	}
	require.NoError(t, result.err)
	return []string{result.path}
}

// A toolError is what a tool said when it failed.
type toolError struct {
	out []byte
	err error
}

func (e *toolError) Error() string { return e.err.Error() + "\n" + string(e.out) }

// debianPython runs a program with the system's Python, where the
// distribution's package of this version is.
func debianPython(module, version, pkg string) func(t *testing.T, folder string) []string {
	return func(t *testing.T, folder string) []string {
		t.Helper()
		const python = "/usr/bin/python3"
		out, err := exec.Command(python, "-c", "import "+module+"; print("+module+".__version__)").CombinedOutput()
		if err != nil {
			lacking(t, "Debian's package "+pkg, &toolError{out, err})
		}
		if found := strings.TrimSpace(string(out)); found != version {
			lacking(t, "Debian's package "+pkg+" "+version, "the version here is "+found)
		}
		return []string{python, filepath.Join(folder, "main.py")}
	}
}
