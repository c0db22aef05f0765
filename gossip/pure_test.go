package gossip

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheCoreIsPure: the map, the state machine and the codec use what computes
// and nothing that acts, and of the clock and the random source no more than
// what is handed to them.
func TestTheCoreIsPure(t *testing.T) {
	allowed := map[string]bool{
		"bytes": true, "encoding/binary": true, "encoding/hex": true, "encoding/json": true, "errors": true, "fmt": true,
		"iter": true, "maps": true, "math": true, "math/bits": true, "math/rand/v2": true, "net/netip": true,
		"slices": true, "strconv": true, "strings": true, "time": true,
		"github.com/cespare/xxhash/v2": true, "slotcast/clusterstate": true, "slotcast/gossip/frame": true,
	}
	names := map[string][]string{
		"time": {"Duration", "Time", "Millisecond", "Second", "Unix", "UnixMilli"},
		"rand": {"ChaCha8", "NewChaCha8"},
	}
	for _, dir := range []string{".", "frame", "../clusterstate"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			tree, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
			require.NoError(t, err)
			for _, i := range tree.Imports {
				path, err := strconv.Unquote(i.Path.Value)
				require.NoError(t, err)
				require.True(t, allowed[path], "%s imports %s", file, path)
				require.False(t, dir == "../clusterstate" && strings.HasPrefix(path, "slotcast/"), "%s imports %s", file, path)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				_, starts := n.(*ast.GoStmt)
				require.False(t, starts, "%s starts a goroutine", file)
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && names[x.Name] != nil {
						require.Contains(t, names[x.Name], s.Sel.Name, "%s uses %s.%s", file, x.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
	}
}
