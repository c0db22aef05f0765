package server

import (
	"slices"
	"strings"

	"slotcast/clusterstate"
)

// table is the command table of a server: the entries and the counters that
// INFO commandstats shows.
type table struct {
	byName map[string]*command
	all    []*command // by name
}

// newTable lists every command. The families are defined beside their
// handlers, in the files cmd_*.go.
func newTable(families ...[]command) *table {
	t := &table{byName: make(map[string]*command)}
	for _, family := range families {
		for i := range family {
			cmd := &family[i] // made anew for every table
			cmd.adopt(nil)
			t.byName[cmd.name] = cmd
			t.all = append(t.all, cmd)
		}
	}
	slices.SortFunc(t.all, func(a, b *command) int { return strings.Compare(a.name, b.name) })
	return t
}

func (cmd *command) adopt(parent *command) {
	cmd.parent, cmd.fullName = parent, cmd.name
	if parent != nil {
		cmd.fullName = parent.fullName + "|" + cmd.name
		cmd.group = parent.group
	}
	if cmd.subcommands == nil {
		return
	}
	cmd.byName = make(map[string]*command)
	for _, sub := range cmd.subcommands {
		sub.adopt(cmd)
		cmd.byName[sub.name] = sub
	}
}

// accepts reports whether a command with n arguments has the right number.
func (cmd *command) accepts(n int) bool {
	if cmd.arity < 0 {
		return n >= -cmd.arity
	}
	return n == cmd.arity
}

// lookup finds the command, or the subcommand, that arguments name.
func (t *table) lookup(args [][]byte) (*command, error) {
	cmd := t.find(args[0])
	if cmd == nil {
		return nil, errUnknownCommand(args)
	}
	if cmd.subcommands == nil || len(args) < 2 {
		return cmd, nil
	}
	var small [32]byte
	sub := cmd.byName[string(lower(small[:0], args[1]))]
	if sub == nil {
		return nil, errUnknownSubcommand(cmd.name, string(args[1]))
	}
	return sub, nil
}

// find returns a command by its name in any case, nil if there is none.
func (t *table) find(name []byte) *command {
	var small [32]byte
	return t.byName[string(lower(small[:0], name))]
}

// lower appends name in lower case, or nothing when it is longer than any name
// in the table.
func lower(dst, name []byte) []byte {
	if len(name) > cap(dst) {
		return dst
	}
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// slot returns the slot of the first key among the arguments.
func (cmd *command) slot(args [][]byte) (n uint16, keyed bool) {
	if len(cmd.keys) == 0 {
		return 0, false
	}
	if k := &cmd.keys[0]; cmd.flags&movableKeys == 0 && k.keyword == "" && !k.count {
		if k.begin >= len(args) {
			return 0, false // SUNSUBSCRIBE from all
		}
		return clusterstate.KeySlot(args[k.begin]), true
	}
	for i := range cmd.keyIndexes(args) {
		return clusterstate.KeySlot(args[i]), true
	}
	return 0, false
}

// keyIndexes yields the places of all keys among the arguments.
func (cmd *command) keyIndexes(args [][]byte) func(func(int) bool) {
	return func(yield func(int) bool) {
		if cmd.flags&movableKeys != 0 {
			// Beyond what specs can say.
			keys, _ := cmd.findKeys(args)
			for _, k := range keys {
				if !yield(k.index) {
					return
				}
			}
			return
		}
		for i := range cmd.keys {
			first, last, step, ok := cmd.keys[i].find(args)
			if !ok {
				continue
			}
			for k := first; k <= last; k += step {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// find returns the places that the spec gives for these arguments. It is not
// ok when the keyword is missing, a count makes no sense or the places are unknown; the handler then
// answers the error.
func (k *keySpec) find(args [][]byte) (first, last, step int, ok bool) {
	if k.unknown {
		return 0, 0, 0, false
	}
	first, step = k.begin, max(k.step, 1)
	if k.keyword != "" {
		if first = k.findKeyword(args); first < 0 {
			return 0, 0, 0, false
		}
	}
	if k.count {
		if first >= len(args) {
			return 0, 0, 0, false
		}
		n, valid := parseInt(args[first])
		if !valid || n < 1 || n > int64(len(args)-first-1) {
			return 0, 0, 0, false
		}
		return first + 1, first + int(n)*step, step, true
	}
	last = first + k.last
	if k.last < 0 {
		last = len(args) + k.last
		if k.limit > 1 {
			last = first + (last-first+1)/k.limit - 1
		}
	}
	return first, min(last, len(args)-1), step, first < len(args)
}

func (k *keySpec) findKeyword(args [][]byte) int {
	if k.begin >= 0 {
		for i := k.begin; i < len(args)-1; i++ {
			if strings.EqualFold(string(args[i]), k.keyword) {
				return i + 1
			}
		}
		return -1
	}
	for i := len(args) + k.begin; i > 0; i-- {
		if strings.EqualFold(string(args[i]), k.keyword) {
			return i + 1
		}
	}
	return -1
}
