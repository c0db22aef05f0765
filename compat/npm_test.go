package compat

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// nodeLibraries are packages of npm, which .ci/clients.d/node installs.
var nodeLibraries = []library{
	{
		name: "node-redis-4", title: "node-redis 4", version: "4.7.1", program: nodeProgram,
		protocols: []string{"2"},
	},
	{
		name: "node-redis-5", title: "node-redis 5", version: "5.12.1", unaided: "its cluster client, on RESP3",
		program:   nodeProgram,
		protocols: []string{"2", "3"},
	},
	{
		name: "node-redis-6", title: "node-redis 6", version: "6.3.1", unaided: "its cluster client, on RESP3", recipe: "node-redis",
		program:   nodeProgram,
		protocols: []string{"2", "3"}, load: []string{"off", "smigrated", "on"},
	},
	{
		name: "ioredis-5", title: "ioredis 5", version: "5.11.1", program: nodeProgram,
		protocols: []string{"2"},
	},
	{
		name: "ioredis-6", title: "ioredis 6", version: "6.0.0", recipe: "ioredis",
		program:   nodeProgram,
		protocols: []string{"2", "3"}, load: []string{"off", "on"},
	},
	{
		name: "iovalkey-0", title: "iovalkey 0.4", version: "0.4.0", program: nodeProgram,
		protocols: []string{"2"},
	},
	{
		// It refuses to subscribe on RESP2.
		name: "glide-node-2", title: "Valkey GLIDE 2 for Node", version: "2.5.2", program: nodeProgram,
		protocols: []string{"3"},
	},
}

// nodeProgram runs main.js of a folder with the packages that are installed for
// the library of that name.
func nodeProgram(t *testing.T, folder string) []string {
	t.Helper()
	return nodeScript(t, filepath.Base(folder), filepath.Join(folder, "main.js"))
}

// nodeScript runs a script with the packages of a library. It and what it loads
// are not beside them, so that node looks for them where NODE_PATH says.
func nodeScript(t *testing.T, library, script string) []string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		lacking(t, "node", err)
	}
	packages := filepath.Join(installed(t, "node", library), "node_modules")
	return []string{"env", "NODE_PATH=" + packages, node, script}
}
