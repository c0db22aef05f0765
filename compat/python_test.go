package compat

import (
	"path/filepath"
	"testing"
)

// pythonLibraries are packages of PyPI, which .ci/clients.d/python installs.
var pythonLibraries = []library{
	{
		name: "redis-py-8", title: "redis-py 8", version: "8.0.0", unaided: "its cluster client, on RESP3", recipe: "redis-py",
		program:   pythonProgram("redis-py-8"),
		protocols: []string{"2", "3"}, load: []string{"off", "smigrated", "on"},
	},
	{
		name: "redis-py-8-asyncio", title: "redis-py 8, asyncio", version: "8.0.0", unaided: "its cluster client, on RESP3",
		program:   pythonProgram("redis-py-8"),
		protocols: []string{"2", "3"},
	},
	{
		name: "valkey-py-6", title: "valkey-py 6", version: "6.2.0", program: pythonProgram("valkey-py-6"),
		protocols: []string{"2", "3"},
	},
	// GLIDE refuses to subscribe on RESP2.
	{
		name: "glide-python-2", title: "Valkey GLIDE 2 for Python", version: "2.6.0", program: pythonProgram("glide-python-2"),
		protocols: []string{"3"},
	},
	{
		name: "glide-python-sync-2", title: "Valkey GLIDE 2 for Python, blocking", version: "2.6.0", program: pythonProgram("glide-python-sync-2"),
		protocols: []string{"3"},
	},
}

// pythonProgram runs main.py of a folder in the environment that is installed
// by this name.
func pythonProgram(environment string) func(t *testing.T, folder string) []string {
	return func(t *testing.T, folder string) []string {
		t.Helper()
		python := filepath.Join(installed(t, "python", environment), "bin", "python")
		return []string{python, filepath.Join(folder, "main.py")}
	}
}
