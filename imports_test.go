package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mayImport is the picture in ARCHITECTURE.md: for each package of the server
// itself, which of the others its code may import. A package that is not named
// here fails the test, so that whoever adds one decides where it stands.
var mayImport = map[string][]string{
	".":            {"config", "localcluster", "nodesfile", "server"},
	"localcluster": {"clusterstate", "config", "nodesfile", "server"},
	"testcluster":  {"clusterstate", "config", "localcluster"},
	"server":       {"channels", "clusterstate", "config", "dump", "glob", "gossip", "gossip/bus", "keyspace", "nodesfile", "quirks", "resp2", "resp3", "splitargs", "tracking"},
	"channels":     {"glob", "resp2", "resp3"},
	"gossip":       {"clusterstate", "gossip/frame"},
	"gossip/bus":   {"gossip", "gossip/frame"},
	"gossip/frame": {"clusterstate"},
	"clusterstate": {},
	"dump":         {},
	"keyspace":     {"glob"},
	"nodesfile":    {},
	"quirks":       {},
	"config":       {"glob", "splitargs"},
	"resp2":        {"splitargs"},
	"resp3":        {"resp2"},
	"glob":         {},
	"splitargs":    {},
	"tracking":     {},
}

// besides are the packages for tests and measurements, which nothing above may
// import outside of tests.
var besides = []string{"gossip/sim", "transcript", "transcript/record", "redistest", "compat", "clustertest", "bench", "examples"}

// confined says which packages may import a library.
var confined = map[string][]string{
	"github.com/tidwall/redcon": {"server", "resp2"},
}

// pure are the packages that must not know time, sockets or processes.
var pure = []string{"clusterstate", "dump", "gossip", "gossip/frame"}

var impure = []string{"net", "os", "log", "log/slog", "sync", "os/exec", "io/fs", "runtime", "syscall"}

func TestImportsRunOneWay(t *testing.T) {
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		if d.IsDir() {
			if base := d.Name(); name != "." && (strings.HasPrefix(base, ".") || base == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		pkg := path.Dir(filepath.ToSlash(name))
		if inBesides(pkg) {
			return nil
		}
		allowed, known := mayImport[pkg]
		require.True(t, known, "package %s has no place in the house: add it to ARCHITECTURE.md and to this test", pkg)
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if inner, ours := strings.CutPrefix(imported, "slotcast/"); ours {
				require.Contains(t, allowed, inner, "%s: an arrow that runs back", name)
			}
			if where, is := confined[imported]; is {
				require.Contains(t, where, pkg, "%s imports %s", name, imported)
			}
			if slices.Contains(pure, pkg) {
				require.NotContains(t, impure, imported, "%s: package %s is pure", name, pkg)
			}
		}
		if slices.Contains(pure, pkg) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.NotContains(t, string(text), "time.Now(", "%s: package %s has no clock", name, pkg)
		}
		return nil
	})
	require.NoError(t, err)
}

func inBesides(pkg string) bool {
	for _, b := range besides {
		if pkg == b || strings.HasPrefix(pkg, b+"/") {
			return true
		}
	}
	return false
}
