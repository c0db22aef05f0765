package compat

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience bounds every wait for a line or an end. It is only reached when
// something is broken, so it is generous to a loaded machine.
const patience = 30 * time.Second

// root is the module's folder, seen from this package's.
const root = ".."

// built is the folder of the programs that these tests build.
var built string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "slotcast-compat-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built = dir
	return m.Run()
}

// touchSources looks at each file that a program may be built from. This
// package imports none of them, and go test repeats an old result unless
// something has changed that it saw a test look at; what TestMain looks at it
// does not see.
func touchSources() error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		_, err = os.Stat(path)
		return err
	})
}

// buildSlotcast builds the program once for all tests and returns its path.
func buildSlotcast(t *testing.T) string {
	t.Helper()
	path, err := slotcastProgram()
	require.NoError(t, err)
	return path
}

var slotcastProgram = sync.OnceValues(func() (string, error) {
	if err := touchSources(); err != nil {
		return "", err
	}
	return goBuild(root, filepath.Join(built, "slotcast"))
})

// goBuild builds the main package in dir, which may be a module of its own.
func goBuild(dir, path string) (string, error) {
	if out, err := goTool(dir, "build", "-buildvcs=false", "-o", path, "."); err != nil {
		return "", fmt.Errorf("go build in %s: %w\n%s", dir, err, out)
	}
	return path, nil
}

// goTool runs the go command in dir, heedless of a workspace around it, which
// would not know the nested modules.
func goTool(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	return cmd.CombinedOutput()
}

// lacking leaves a test out because the machine has not what it needs. In CI
// that is a failure: what is left out there is never run.
func lacking(t *testing.T, what string, reason any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is needed: %v", what, reason)
	}
	t.Skipf("left out, as %s is missing: %v", what, reason)
}
