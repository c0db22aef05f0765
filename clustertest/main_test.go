package clustertest

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

const (
	// patience bounds every wait. It is only reached when something is broken,
	// so it is generous to a loaded machine.
	patience = 60 * time.Second

	// pollPause lies between two questions to a cluster.
	pollPause = 20 * time.Millisecond
)

// root is the module's folder, seen from this package's.
const root = ".."

// built is the folder of the program under test.
var built string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "slotcast-clustertest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built = dir
	return m.Run()
}

// slotcastProgram builds the program once for all tests. This package imports
// little of it, and go test repeats an old result unless something has changed
// that it saw a test look at: so the sources are looked at.
var slotcastProgram = sync.OnceValues(func() (string, error) {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != root:
			return filepath.SkipDir
		case filepath.Ext(path) == ".go" || filepath.Ext(path) == ".mod":
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	path := filepath.Join(built, "slotcast")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// until asks until nothing is amiss any more. ask returns what still is, empty
// when all is as it should be.
func until(t testing.TB, what string, ask func() (amiss string)) {
	t.Helper()
	pause := time.NewTicker(pollPause)
	defer pause.Stop()
	deadline := time.Now().Add(patience)
	for {
		amiss := ask()
		if amiss == "" {
			return
		}
		if time.Now().After(deadline) {
			require.FailNow(t, "waited in vain for "+what, amiss)
		}
		<-pause.C
	}
}
