package compat

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// goLibraries are nested modules, whose programs the tests build.
var goLibraries = []library{
	{
		name: "go-redis-9", title: "go-redis 9", version: "9.23.0", unaided: "from 9.18, with `MaintNotificationsConfig`", recipe: "go-redis",
		program:   goProgram,
		protocols: []string{"2", "3"}, commands: true, load: []string{"off", "on", "smigrated"},
	},
	{
		name: "rueidis-1", title: "rueidis 1", version: "1.0.79", recipe: "rueidis",
		program:   goProgram,
		protocols: []string{"2", "3"}, commands: true, load: []string{"off", "on"}, cache: true,
	},
	{name: "go-redis-8", title: "go-redis 8", version: "8.11.5", program: goProgram, protocols: []string{"2"}},
	{name: "valkey-go-1", title: "valkey-go 1", version: "1.0.79", program: goProgram, protocols: []string{"2", "3"}, cache: true},
	{
		name: "redigo-1", title: "redigo 1, redisc 1", version: "1.9.3", recipe: "redigo",
		program:   goProgram,
		protocols: []string{"2"}, load: []string{"off", "on"},
	},
	{name: "radix-4", title: "radix 4", version: "4.1.4", program: goProgram, protocols: []string{"2", "3"}},
	{
		// Each message gets to the queue in a goroutine of its own.
		name: "glide-go-2", title: "Valkey GLIDE 2 for Go", version: "2.5.3", program: goProgram,
		protocols: []string{"3"}, unordered: true,
	},
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
