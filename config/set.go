package config

import (
	"slices"
	"strings"
)

// Change is a CONFIG SET that was checked and has not happened yet. The server
// applies its effects (listens on the new port, say) and then commits it, or
// drops it, which leaves everything as it was.
type Change struct {
	Old, New *Values

	// Warnings are the directives that were set without effect.
	Warnings []Warning

	config *Config
	base   *state
	texts  map[int]string // the rows named, with their new text
}

// Prepare checks a CONFIG SET of several directives: all or none. It never
// alters anything. mayProtected is whether this client may set protected
// directives, see Values.ProtectedAllow. The error is the whole error reply.
//
// Two changes may be prepared at once, but each New knows only its own: whoever
// applies effects prepares, applies and commits one change at a time.
func (c *Config) Prepare(pairs [][2]string, mayProtected bool) (*Change, error) {
	indices, err := checkNames(pairs, mayProtected)
	if err != nil {
		return nil, err
	}
	base := c.now.Load()
	ch := &Change{config: c, base: base, texts: make(map[int]string)}
	for n, i := range indices {
		if err := ch.set(i, pairs[n]); err != nil {
			return nil, err
		}
	}
	ch.Old = base.values
	ch.New = base.withTexts(ch.texts).values
	return ch, nil
}

// checkNames finds the rows of the names. Of several faults the first counts,
// and a fault of a name comes before any of a value.
func checkNames(pairs [][2]string, mayProtected bool) ([]int, error) {
	indices := make([]int, len(pairs))
	given := make(map[string]bool)
	for n, pair := range pairs {
		name := strings.ToLower(pair[0])
		i, ok := rows[name]
		if !ok {
			return nil, unknownOption(pair[0])
		}
		if table[i].has(immutable) {
			return nil, SetFailed(pair[0], "can't set immutable config")
		}
		if table[i].has(guarded) && !mayProtected {
			return nil, SetFailed(pair[0], "can't set protected config")
		}
		// An alias is a name of its own: both may be given, and the later wins.
		if given[name] {
			return nil, SetFailed(pair[0], "duplicate parameter")
		}
		given[name] = true
		indices[n] = i
	}
	return indices, nil
}

func (ch *Change) set(i int, pair [2]string) error {
	d := &table[i]
	old, again := ch.texts[i]
	if !again {
		old = ch.base.texts[i]
	}
	words := []string{pair[1]}
	if d.has(multi) {
		words = strings.Split(pair[1], " ")
	}
	name := strings.ToLower(pair[0])
	text, err := d.kind.parse(words, setting{old: old, dir: ch.base.values.Dir})
	if err != nil {
		return SetFailed(name, err.Error())
	}
	if text != ch.base.texts[i] && text != d.def {
		// The stock save points are overlooked in a file that nobody edited,
		// not in a command that somebody typed.
		if d.status == protects && !ch.base.ignores(d.name) {
			if d.isUnsafe(text) || d.name == "save" {
				return SetFailed(name, d.why)
			}
		}
		if d.status != works {
			ch.Warnings = append(ch.Warnings, Warning{Directive: d.name, Why: d.why})
		}
	}
	ch.texts[i] = text
	return nil
}

func (s *state) ignores(name string) bool {
	return slices.Contains(strings.Fields(s.texts[rows["ignore-unsupported"]]), name)
}

// Changed tells whether the value of a directive differs after the change.
// The name may be an alias.
func (ch *Change) Changed(name string) bool {
	i, ok := lookup(name)
	if !ok {
		return false
	}
	text, named := ch.texts[i]
	return named && text != ch.base.texts[i]
}

// Named tells whether the command names the directive, changed or not.
func (ch *Change) Named(name string) bool {
	i, ok := lookup(name)
	if !ok {
		return false
	}
	_, named := ch.texts[i]
	return named
}

// Commit makes the change happen, for all readers at once.
func (ch *Change) Commit() {
	c := ch.config
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.Store(c.now.Load().withTexts(ch.texts))
}

// Set is Prepare and Commit in one, for directives without further effects.
func (c *Config) Set(pairs [][2]string, mayProtected bool) (*Change, error) {
	ch, err := c.Prepare(pairs, mayProtected)
	if err != nil {
		return nil, err
	}
	ch.Commit()
	return ch, nil
}
