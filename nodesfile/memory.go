package nodesfile

import (
	"errors"
	"io/fs"
	"maps"
)

// ErrCrashed is the error of every step of a Memory from its crash to its
// restart.
var ErrCrashed = errors.New("the machine has crashed")

// Memory is a Storage for clusters that are not kept, and for tests: a directory that forgets in a crash whatever
// was not synced, contents and names apart, and that can crash at any step of
// a save.
type Memory struct {
	file
	disk memoryDisk
}

// NewMemory returns an empty directory.
func NewMemory() *Memory {
	m := &Memory{disk: memoryDisk{names: map[string]*inode{}, synced: map[string]*inode{}, left: -1}}
	m.file = file{disk: &m.disk, name: "nodes.conf"}
	return m
}

// Close does nothing: what a Memory remembers, it remembers for the next node
// that is started from it.
func (m *Memory) Close() error { return nil }

// StepsOfSave is the number of steps that a synced Save takes.
const StepsOfSave = 5

// CrashAfter lets the machine crash once that many further steps are done;
// what a step was about to do after that does not happen.
func (m *Memory) CrashAfter(steps int) { m.disk.left = steps }

// Crash stops the machine now.
func (m *Memory) Crash() { m.disk.left = 0 }

// Restart brings the machine back up with what it remembers. A file system
// may have written names before their time; earlyNames says that it did, so
// that unsynced renames survive while unsynced contents do not.
func (m *Memory) Restart(earlyNames bool) {
	d := &m.disk
	if !earlyNames {
		d.names = maps.Clone(d.synced)
	}
	d.synced = maps.Clone(d.names)
	for _, i := range d.names {
		i.text = i.synced
	}
	d.left = -1
}

// memoryDisk counts its steps: writing creates a name and then its content,
// and everything else is one step.
type memoryDisk struct {
	names, synced map[string]*inode
	left          int // steps until the crash, -1 if none is to come
}

// inode is the content of a file as written and as it would survive.
type inode struct{ text, synced []byte }

func (d *memoryDisk) step() error {
	if d.left == 0 {
		return ErrCrashed
	}
	if d.left > 0 {
		d.left--
	}
	return nil
}

func (d *memoryDisk) read(name string) ([]byte, error) {
	if d.left == 0 {
		return nil, ErrCrashed
	}
	i := d.names[name]
	if i == nil {
		return nil, fs.ErrNotExist
	}
	return append([]byte{}, i.text...), nil
}

func (d *memoryDisk) write(name string, text []byte) error {
	if err := d.step(); err != nil {
		return err
	}
	i := d.names[name]
	if i == nil {
		i = new(inode)
		d.names[name] = i
	}
	i.text = nil // truncated, and that may reach the disk at once
	i.synced = nil
	if err := d.step(); err != nil {
		return err
	}
	i.text = append([]byte{}, text...)
	return nil
}

func (d *memoryDisk) syncFile(name string) error {
	if err := d.step(); err != nil {
		return err
	}
	d.names[name].synced = d.names[name].text
	return nil
}

func (d *memoryDisk) rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	d.names[to] = d.names[from]
	delete(d.names, from)
	return nil
}

func (d *memoryDisk) syncDir() error {
	if err := d.step(); err != nil {
		return err
	}
	d.synced = maps.Clone(d.names)
	return nil
}
