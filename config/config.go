// Package config owns the directives of slotcast: which there are, what each
// accepts, what it is set to, and how it is read and changed. It reads a
// redis.conf and a command line as redis-server takes them and holds the logic
// of CONFIG GET, CONFIG SET and CONFIG REWRITE.
//
// It promises Redis's names, value formats and error texts, and that no
// directive is dropped in silence: what has no effect here is reported as a
// Warning, and what would leave data, memory or access less protected than the
// operator asked for stops the start (see the status of each table row).
//
// It touches nothing but files: it reads the configuration, looks whether
// `dir` exists, and rewrites the configuration when told to. It starts no
// goroutine and writes no log. Applying a change (opening a port, say) is the
// server's work, between Prepare and Commit.
//
// All methods of Config are safe for concurrent use. Values are immutable and
// read without a lock.
package config

import (
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
)

// Action is what the command line asks the program to do.
type Action int

const (
	Serve       Action = iota // run the server
	ShowVersion               // -v, --version: print the version and stop
	ShowHelp                  // -h, --help: print Help() and stop
)

// Config is the configuration of one process.
type Config struct {
	action Action
	file   string // absolute path of the configuration file, "" without one

	localCluster int
	given        map[string]bool // the directives that were set at the start

	// mu makes commits and rewrites one at a time. Readers never take it.
	mu  sync.Mutex
	now atomic.Pointer[state]
}

// state is one immutable configuration. texts[i] is the value of table[i] in
// the form in which CONFIG GET prints it, with one exception: the text of
// cluster-enabled is empty unless it was set, see clusterEnabled.
type state struct {
	texts  []string
	values *Values
}

func newState(texts []string) *state {
	return &state{texts: texts, values: newValues(texts)}
}

// Default is the configuration of a start without file and arguments.
func Default() *Config {
	c, _, err := Load(nil, nil)
	if err != nil {
		// Only a working directory that has been removed can do this.
		panic("config: defaults do not load: " + err.Error())
	}
	return c
}

// Action tells what the command line asks for. With another answer than Serve
// the remaining arguments were not read and all values are defaults.
func (c *Config) Action() Action { return c.action }

// File is the absolute path of the configuration file, empty if there is none.
func (c *Config) File() string { return c.file }

// Values returns the current values. They never change: who wants to see later
// changes calls Values again.
func (c *Config) Values() *Values { return c.now.Load().values }

// Path resolves a file name from the configuration against `dir`, which stands
// in for the working directory that redis-server changes to.
func (v *Values) Path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(v.Dir, name)
}

// withTexts returns the state in which the texts of the given rows differ.
func (s *state) withTexts(changed map[int]string) *state {
	texts := slices.Clone(s.texts)
	for i, text := range changed {
		texts[i] = text
	}
	return newState(texts)
}
