package config

import (
	"strings"

	"slotcast/glob"
)

// Get answers CONFIG GET: the names that match one of the patterns, each once,
// with their values. The order is that of the patterns, within a pattern that
// of the table.
//
// A pattern without wildcards is the name of one directive, hidden or not, and
// is printed as it was typed; with wildcards it is matched without regard to
// case and finds no hidden directive. Both are Redis's habits.
func (c *Config) Get(patterns ...string) [][2]string {
	texts := c.now.Load().texts
	var found [][2]string
	seen := make(map[string]bool)
	add := func(name string, i int) {
		if key := strings.ToLower(name); !seen[key] {
			seen[key] = true
			found = append(found, [2]string{name, shown(texts, i)})
		}
	}
	for _, pattern := range patterns {
		if !strings.ContainsAny(pattern, "*?[") {
			if i, ok := lookup(pattern); ok {
				add(pattern, i)
			}
			continue
		}
		for i := range table {
			d := &table[i]
			if d.has(hidden) {
				continue
			}
			for _, name := range []string{d.name, d.alias} {
				if name != "" && glob.Match([]byte(pattern), []byte(name), true) {
					add(name, i)
				}
			}
		}
	}
	return found
}

// lookup finds a directive by its name or alias in any case.
func lookup(name string) (int, bool) {
	i, ok := rows[strings.ToLower(name)]
	return i, ok
}

// shown is the value as CONFIG GET prints it.
func shown(texts []string, i int) string {
	switch table[i].name {
	case "cluster-enabled":
		return "yes"
	case "notify-keyspace-events":
		return notifyShown(texts[i])
	}
	return texts[i]
}
