package config

// status says what slotcast makes of a directive.
type status int

const (
	// works: the value is acted upon.
	works status = iota

	// accepted: the value is kept and printed but changes nothing. Another
	// value than the default is worth one warning.
	accepted

	// protects: another value than the default asks for a protection of data,
	// memory or access that this server does not give. It stops the start,
	// and CONFIG SET refuses it, unless ignore-unsupported names it.
	protects
)

// flags are a directive's properties besides type and status.
type flags int

const (
	immutable flags = 1 << iota // set at the start only
	guarded                     // CONFIG SET needs enable-protected-configs
	hidden                      // printed by CONFIG GET only when named in full
	sensitive                   // the value does not belong in logs
	multi                       // takes several words
)

// directive is one row of the table.
type directive struct {
	name   string
	alias  string // the older name, a directive of its own to CONFIG GET
	kind   kind
	def    string // default, as CONFIG GET prints it
	flags  flags
	status status

	// why tells the operator the consequence; required unless the row works.
	why string

	// unsafe narrows a row that protects: it is true for the values that
	// must stop the start. nil is every value but the default.
	unsafe func(text string) bool
}

func (d *directive) has(f flags) bool { return d.flags&f != 0 }

// isUnsafe tells whether the value asks for a protection that is not there.
func (d *directive) isUnsafe(text string) bool {
	if d.status != protects || text == d.def {
		return false
	}
	return d.unsafe == nil || d.unsafe(text)
}

// table holds every directive, sorted as CONFIG GET prints them: first by
// area, within an area as listed. rows finds a row by name or alias.
var table = concat(networkTable, processTable, limitsTable, clusterTable,
	diskTable, replicationTable, tlsTable, memoryTable, encodingTable)

var rows = indexRows()

func concat(parts ...[]directive) []directive {
	var all []directive
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

func indexRows() map[string]int {
	byName := make(map[string]int, 2*len(table))
	for i := range table {
		byName[table[i].name] = i
		if alias := table[i].alias; alias != "" {
			byName[alias] = i
		}
	}
	return byName
}

// fileOnly are directives that are lines of a configuration and not settings:
// CONFIG GET and SET do not know them. Each protects; the text is the reason.
var fileOnly = map[string]string{
	"user": "there are no ACL users here but the default one, so this user's limits would not be kept",
	"rename-command": "commands cannot be renamed or disabled here, so a command hidden by this line " +
		"would be open to every client",
	"loadmodule": "there are no modules here, so the commands and data types of this one would be missing",
	"sentinel":   "slotcast is a cluster node and no sentinel",
}

// outgrown are directives that Redis itself reads and forgets.
var outgrown = map[string]bool{
	"list-max-ziplist-entries": true,
	"list-max-ziplist-value":   true,
	"lua-replicate-commands":   true,
}

func defaultTexts() []string {
	texts := make([]string, len(table))
	for i := range table {
		texts[i] = table[i].def
	}
	return texts
}

// Known tells whether there is a directive of this name, which is given in
// lower case.
func Known(name string) bool {
	_, ok := rows[name]
	return ok
}

// Sensitive tells whether the value of the directive must not be shown in
// MONITOR, SLOWLOG and logs. The name is taken in any case.
func Sensitive(name string) bool {
	i, ok := lookup(name)
	return ok && table[i].has(sensitive)
}
