package nodesfile

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var _, _ Storage = (*File)(nil), (*Memory)(nil)

func TestFileOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nodes-7000.conf")
	f, err := Open(path)
	require.NoError(t, err)
	text, err := f.Load()
	require.NoError(t, err)
	require.Nil(t, text)

	require.NoError(t, f.Save([]byte("a longer content\n"), true))
	require.NoError(t, f.Save([]byte("short\n"), false))
	text, err = f.Load()
	require.NoError(t, err)
	require.Equal(t, "short\n", string(text))
	names, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, names, 2, "the file and its lock, nothing temporary")

	_, err = Open(path)
	require.ErrorIs(t, err, ErrLocked)
	require.ErrorContains(t, err, path)
	require.NoError(t, f.Close())
	f, err = Open(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func TestFaultsOfTheFileSystem(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "no", "such", "nodes.conf"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(t.TempDir() + "/")
	require.ErrorContains(t, err, "expected the name of a file")

	dir := t.TempDir()
	f, err := Open(filepath.Join(dir, "nodes.conf"))
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, f.Save([]byte("kept\n"), true))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "nodes.conf.tmp"), 0o755))
	require.Error(t, f.Save([]byte("lost\n"), true))
	text, err := f.Load()
	require.NoError(t, err)
	require.Equal(t, "kept\n", string(text))
	require.NoError(t, os.Remove(filepath.Join(dir, "nodes.conf")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "nodes.conf"), 0o755))
	_, err = f.Load()
	require.Error(t, err)
}

// TestTheLockHoldsAgainstAnotherProcess runs this test once more as the other
// process.
func TestTheLockHoldsAgainstAnotherProcess(t *testing.T) {
	if path := os.Getenv("NODESFILE_TEST_OPEN"); path != "" {
		_, err := Open(path)
		require.ErrorIs(t, err, ErrLocked)
		return
	}
	path := filepath.Join(t.TempDir(), "nodes.conf")
	f, err := Open(path)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, f.Save([]byte("x"), true)) // the rename must not lose the lock
	other := exec.Command(os.Args[0], "-test.run=^TestTheLockHoldsAgainstAnotherProcess$", "-test.v")
	other.Env = append(os.Environ(), "NODESFILE_TEST_OPEN="+path)
	out, err := other.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS")
}

// TestNoCrashTearsTheFile stops the machine after every step of a save, with
// both kinds of memory: what is found is an old or the new content, whole, and
// never one older than the last that was synced.
func TestNoCrashTearsTheFile(t *testing.T) {
	for _, early := range []bool{false, true} {
		for _, sync := range []bool{false, true} {
			for steps := range StepsOfSave + 1 {
				t.Run(fmt.Sprintf("early=%v sync=%v steps=%d", early, sync, steps), func(t *testing.T) {
					m := NewMemory()
					require.NoError(t, m.Save([]byte("synced"), true))
					require.NoError(t, m.Save([]byte("saved"), false))
					m.CrashAfter(steps)
					err := m.Save([]byte("new"), sync)
					whole := steps == StepsOfSave || !sync && steps == StepsOfSave-1
					require.Equal(t, !whole, errors.Is(err, ErrCrashed), "%v", err)
					m.Crash()
					_, loadErr := m.Load()
					require.ErrorIs(t, loadErr, ErrCrashed)
					m.Restart(early)
					text, loadErr := m.Load()
					require.NoError(t, loadErr)
					require.Contains(t, []string{"synced", "saved", "new"}, string(text))
					if err == nil && sync {
						require.Equal(t, "new", string(text))
					}
				})
			}
		}
	}
}

// TestMemoryForgets shows that the memory does forget: without it the tests
// that rely on it would pass for nothing.
func TestMemoryForgets(t *testing.T) {
	m := NewMemory()
	require.NoError(t, m.Save([]byte("synced"), true))
	require.NoError(t, m.Save([]byte("saved"), false))
	m.Crash()
	m.Restart(false)
	text, err := m.Load()
	require.NoError(t, err)
	require.Equal(t, "synced", string(text))

	require.NoError(t, m.disk.write("nodes.conf.tmp", []byte("not synced")))
	require.NoError(t, m.disk.rename("nodes.conf.tmp", "nodes.conf"))
	m.Crash()
	m.Restart(true)
	text, err = m.Load()
	require.NoError(t, err)
	require.Empty(t, text)
}
