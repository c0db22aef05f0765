package nodesfile

import (
	"errors"
	"fmt"
	"io/fs"
)

// Storage keeps the content of nodes.conf.
type Storage interface {
	// Load returns the content, nil if there is none yet.
	Load() ([]byte, error)

	// Save replaces the content. With sync the new content survives a crash
	// once Save has returned; without, a crash may bring back an older one,
	// but a whole one.
	Save(text []byte, sync bool) error

	// Close lets go of the storage, for another process to use.
	Close() error
}

// disk is what replacing a file takes. Names are relative to one directory.
type disk interface {
	read(name string) ([]byte, error)
	write(name string, text []byte) error // creates or truncates
	syncFile(name string) error
	rename(from, to string) error
	syncDir() error
}

// file is one file that is replaced as a whole.
type file struct {
	disk disk
	name string
}

func (f *file) Load() ([]byte, error) {
	text, err := f.disk.read(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the cluster file: %w", err)
	}
	return text, nil
}

func (f *file) Save(text []byte, sync bool) error {
	temporary := f.name + ".tmp"
	if err := f.disk.write(temporary, text); err != nil {
		return err
	}
	if err := f.disk.syncFile(temporary); err != nil {
		return err
	}
	if err := f.disk.rename(temporary, f.name); err != nil {
		return err
	}
	if !sync {
		return nil
	}
	return f.disk.syncDir()
}
