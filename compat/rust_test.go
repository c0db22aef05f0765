package compat

import (
	"path/filepath"
	"testing"
)

// rustLibraries are built by cargo.
var rustLibraries = []library{
	{
		name: "redis-rs-1", title: "redis-rs 1", version: "1.8.1", recipe: "redis-rs", program: rustProgram,
		protocols: []string{"2", "3"}, load: []string{"off", "on"},
	},
	{
		name: "fred-10", title: "fred 10", version: "10.1.0", program: rustProgram,
		protocols: []string{"2", "3"}, wantsOK: true,
	},
}

// rustProgram is what the build has put into the folder of that name.
func rustProgram(t *testing.T, folder string) []string {
	t.Helper()
	name := filepath.Base(folder)
	return []string{filepath.Join(installed(t, "rust", name), name)}
}
