package nodesfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// ErrLocked is in the error of Open if another process has the file.
var ErrLocked = errors.New("in use by another process")

// File is a nodes.conf on disk that this process has to itself.
type File struct {
	file
	lock *os.File
	dir  *os.File
}

// Open takes the cluster file for this process, for as long as the File is
// open. The file itself need not exist; its directory must.
func Open(path string) (*File, error) {
	dirName, name := filepath.Split(path)
	if dirName == "" {
		dirName = "."
	}
	if name == "" {
		return nil, fmt.Errorf("cluster file %q: expected the name of a file", path)
	}
	dir, err := os.Open(dirName)
	if err != nil {
		return nil, fmt.Errorf("cluster file: %w", err)
	}
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		dir.Close()
		return nil, fmt.Errorf("cluster file: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		dir.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrLocked
		}
		return nil, fmt.Errorf("cluster file %s: %w", path, err)
	}
	return &File{
		file: file{disk: osDisk{dir}, name: name},
		lock: lock, dir: dir,
	}, nil
}

// Close lets go of the file. The companion file stays: were it removed, two
// processes could hold locks on two files of that name.
func (f *File) Close() error { return errors.Join(f.lock.Close(), f.dir.Close()) }

// osDisk is a directory of the file system.
type osDisk struct{ dir *os.File }

func (d osDisk) path(name string) string { return filepath.Join(d.dir.Name(), name) }

func (d osDisk) read(name string) ([]byte, error) { return os.ReadFile(d.path(name)) }

func (d osDisk) write(name string, text []byte) error {
	return os.WriteFile(d.path(name), text, 0o644)
}

// syncFile opens the file anew: fsync is about the file, not the descriptor.
func (d osDisk) syncFile(name string) error {
	f, err := os.OpenFile(d.path(name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d osDisk) rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }

func (d osDisk) syncDir() error { return d.dir.Sync() }
