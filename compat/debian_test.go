package compat

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// debianLibraries are packages of the distribution.
var debianLibraries = []library{
	{
		name: "redis-py-4.3", title: "redis-py 4.3", version: "4.3.4", program: debianPython("redis", "4.3.4", "python3-redis"),
		protocols: []string{"2"}, commands: true,
		lacks: map[string][]string{"cluster": {"transaction", "watch-quiet", "watch-changed"}},
	},
}

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
