package compat

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// TestExamples runs each program of examples as its reader would, through a
// slot that moves, a lost connection and a slot that moves meanwhile.
func TestExamples(t *testing.T) {
	examples := filepath.Join(root, "examples")
	for _, example := range []struct {
		name    string
		command func(t *testing.T, n *node) []string
		// What it prints of the map at first and of each change, and of the
		// map once the connection is back.
		whole, lost, moved, after []string
	}{
		{
			name: "redis-cli",
			command: func(t *testing.T, n *node) []string {
				redistest.Bin(t, "redis-cli")
				return []string{"sh", filepath.Join(examples, "redis-cli", "watch-slots.sh"), "127.0.0.1", strconv.Itoa(n.port)}
			},
			whole: []string{`map [[0,16383,["127.0.0.1",{port},"{id}",{"config-epoch":"1"}]]]`},
			lost:  []string{`change [5461,5461]`},
			moved: []string{`change [5461,5461,["127.0.0.1",{other-port},"{other-id}",{"config-epoch":"2"}]]`},
			after: []string{`map [[0,5460,["127.0.0.1",{port},"{id}",{"config-epoch":"1"}]],` +
				`[5461,5461,["127.0.0.1",{other-port},"{other-id}",{"config-epoch":"2"}]],` +
				`[5462,16383,["127.0.0.1",{port},"{id}",{"config-epoch":"1"}]]]`},
		},
		{
			name: "redis-py",
			command: func(t *testing.T, n *node) []string {
				python := debianPython("redis", "4.3.4", "python3-redis")(t, "")[0]
				return []string{python, filepath.Join(examples, "redis-py", "watch.py"), "127.0.0.1", strconv.Itoa(n.port)}
			},
			whole: []string{"map 0-16383 127.0.0.1:{port}"},
			lost:  []string{"change 5461-5461 nobody"},
			moved: []string{"change 5461-5461 127.0.0.1:{other-port}"},
			after: []string{"map 0-5460 127.0.0.1:{port}", "map 5461-5461 127.0.0.1:{other-port}", "map 5462-16383 127.0.0.1:{port}"},
		},
		{
			name: "redis-py-8",
			command: func(t *testing.T, n *node) []string {
				python := pythonProgram("redis-py-8")(t, "")[0]
				return []string{python, filepath.Join(examples, "redis-py", "watch.py"), "127.0.0.1", strconv.Itoa(n.port)}
			},
			whole: []string{"map 0-16383 127.0.0.1:{port}"},
			lost:  []string{"change 5461-5461 nobody"},
			moved: []string{"change 5461-5461 127.0.0.1:{other-port}"},
			after: []string{"map 0-5460 127.0.0.1:{port}", "map 5461-5461 127.0.0.1:{other-port}", "map 5462-16383 127.0.0.1:{port}"},
		},
		{
			name: "node-redis",
			command: func(t *testing.T, n *node) []string {
				script := nodeScript(t, "node-redis-6", filepath.Join(examples, "node-redis", "watch.js"))
				return append(script, "127.0.0.1", strconv.Itoa(n.port))
			},
			whole: []string{"map 0-16383 127.0.0.1:{port}"},
			lost:  []string{"change 5461-5461 nobody"},
			moved: []string{"change 5461-5461 127.0.0.1:{other-port}"},
			after: []string{"map 0-5460 127.0.0.1:{port}", "map 5461-5461 127.0.0.1:{other-port}", "map 5462-16383 127.0.0.1:{port}"},
		},
		{
			name: "ioredis",
			command: func(t *testing.T, n *node) []string {
				script := nodeScript(t, "ioredis-6", filepath.Join(examples, "ioredis", "watch.js"))
				return append(script, "127.0.0.1", strconv.Itoa(n.port))
			},
			whole: []string{"map 0-16383 127.0.0.1:{port}"},
			lost:  []string{"change 5461-5461 nobody"},
			moved: []string{"change 5461-5461 127.0.0.1:{other-port}"},
			after: []string{"map 0-5460 127.0.0.1:{port}", "map 5461-5461 127.0.0.1:{other-port}", "map 5462-16383 127.0.0.1:{port}"},
		},
		{
			name: "go-redis",
			command: func(t *testing.T, n *node) []string {
				return append(goProgram(t, filepath.Join(examples, "go-redis")), n.addr)
			},
			whole: []string{"map 0-16383 127.0.0.1:{port}"},
			lost:  []string{"change 5461-5461 nobody"},
			moved: []string{"change 5461-5461 127.0.0.1:{other-port}"},
			after: []string{"map 0-5460 127.0.0.1:{port}", "map 5461-5461 127.0.0.1:{other-port}", "map 5462-16383 127.0.0.1:{port}"},
		},
		{
			name: "rueidis",
			command: func(t *testing.T, n *node) []string {
				return append(goProgram(t, filepath.Join(examples, "rueidis")), n.addr)
			},
			whole: []string{"map 0-16383 127.0.0.1:{port}"},
			lost:  []string{"change 5461-5461 nobody"},
			moved: []string{"change 5461-5461 127.0.0.1:{other-port}"},
			after: []string{"map 0-5460 127.0.0.1:{port}", "map 5461-5461 127.0.0.1:{other-port}", "map 5462-16383 127.0.0.1:{port}"},
		},
		{
			name: "redigo",
			command: func(t *testing.T, n *node) []string {
				return append(goProgram(t, filepath.Join(examples, "redigo")), n.addr)
			},
			whole: []string{"map 0-16383 127.0.0.1:{port}"},
			lost:  []string{"change 5461-5461 nobody"},
			moved: []string{"change 5461-5461 127.0.0.1:{other-port}"},
			after: []string{"map 0-5460 127.0.0.1:{port}", "map 5461-5461 127.0.0.1:{other-port}", "map 5462-16383 127.0.0.1:{port}"},
		},
		{
			name: "hiredis",
			command: func(t *testing.T, n *node) []string {
				debianPackage(t, "libhiredis-dev", "0.14.1")
				return []string{makeProgram(t, filepath.Join(examples, "hiredis"), "watch_slots"), "127.0.0.1", strconv.Itoa(n.port)}
			},
			whole: []string{"map 0-16383 127.0.0.1:{port}"},
			lost:  []string{"change 5461-5461 nobody"},
			moved: []string{"change 5461-5461 127.0.0.1:{other-port}"},
			after: []string{"map 0-5460 127.0.0.1:{port}", "map 5461-5461 127.0.0.1:{other-port}", "map 5462-16383 127.0.0.1:{port}"},
		},
		{
			name: "jedis",
			command: func(t *testing.T, n *node) []string {
				return append(javaProgram(t, "example-jedis"), n.addr)
			},
			whole: []string{"map 0-16383 127.0.0.1:{port}"},
			lost:  []string{"change 5461-5461 nobody"},
			moved: []string{"change 5461-5461 127.0.0.1:{other-port}"},
			after: []string{"map 0-5460 127.0.0.1:{port}", "map 5461-5461 127.0.0.1:{other-port}", "map 5462-16383 127.0.0.1:{port}"},
		},
		{
			name: "lettuce",
			command: func(t *testing.T, n *node) []string {
				return append(javaProgram(t, "example-lettuce"), n.addr)
			},
			whole: []string{"map 0-16383 127.0.0.1:{port}"},
			lost:  []string{"change 5461-5461 nobody"},
			moved: []string{"change 5461-5461 127.0.0.1:{other-port}"},
			after: []string{"map 0-5460 127.0.0.1:{port}", "map 5461-5461 127.0.0.1:{other-port}", "map 5462-16383 127.0.0.1:{port}"},
		},
		{
			name: "redis-rs",
			command: func(t *testing.T, n *node) []string {
				return []string{filepath.Join(installed(t, "rust", "example-redis-rs"), "watch-slots"), n.addr}
			},
			whole: []string{"map 0-16383 127.0.0.1:{port}"},
			lost:  []string{"change 5461-5461 nobody"},
			moved: []string{"change 5461-5461 127.0.0.1:{other-port}"},
			after: []string{"map 0-5460 127.0.0.1:{port}", "map 5461-5461 127.0.0.1:{other-port}", "map 5462-16383 127.0.0.1:{port}"},
		},
	} {
		t.Run(example.name, func(t *testing.T) {
			n := startBeside(t)
			argv := example.command(t, n)
			p := start(t, argv[0], argv[1:]...)
			expect := func(lines []string) {
				t.Helper()
				for _, line := range lines {
					p.expect(n.fill(line))
				}
			}
			expect(example.whole)
			n.ok("CLUSTER", "DELSLOTS", "5461")
			expect(example.lost)
			n.ok("CLUSTER", "SETSLOT", "5461", "NODE", n.other.id)
			expect(example.moved)
			require.Equal(t, "1", n.do("CLIENT", "KILL", "TYPE", "pubsub"))
			expect(example.after)
			n.ok("CLUSTER", "DELSLOTS", "5461")
			expect(example.lost)
		})
	}
}
