package server

import (
	"strings"

	"slotcast/glob"
)

func introspectionCommands() []command {
	const read = loading | stale
	sub := func(name string, arity int, since string, handler func(*call), tips ...string) *command {
		return &command{name: name, arity: arity, flags: read, categories: catConnection, since: since, handler: handler, tips: tips}
	}
	const unordered = "nondeterministic_output_order"
	return []command{
		{name: "command", arity: -1, flags: read, categories: catConnection, group: "server", since: "2.8.13",
			handler: describeAll, tips: []string{unordered}, subcommands: []*command{
				sub("count", 2, "2.8.13", countCommands),
				sub("docs", -2, "7.0.0", commandDocs, unordered),
				sub("getkeys", -4, "2.8.13", commandGetKeys),
				sub("getkeysandflags", -4, "7.0.0", commandGetKeysAndFlags),
				sub("help", 2, "5.0.0", help(commandHelp)),
				sub("info", -2, "2.8.13", describeCommands, unordered),
				sub("list", -2, "7.0.0", listCommands, unordered),
			}},
		{name: "info", arity: -1, flags: read, categories: catDangerous, group: "server", since: "1.0.0", handler: info,
			tips: []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"}},
	}
}

var commandHelp = []string{
	"COMMAND [<subcommand> [argument ...]], where <subcommand> is one of:",
	"(none)",
	"    Describe every command.",
	"COUNT",
	"    Count the commands, subcommands left out.",
	"DOCS [command-name ...]",
	"    Print summaries and arguments, of all commands or of those named.",
	"GETKEYS <command with its arguments>",
	"    Print which of the arguments are keys.",
	"GETKEYSANDFLAGS <command with its arguments>",
	"    The same, with what the command does to each key.",
	"INFO [command-name ...]",
	"    Describe all commands, or those named.",
	"LIST [FILTERBY (MODULE <name>|ACLCAT <category>|PATTERN <pattern>)]",
	"    List the names of commands, subcommands among them.",
	"HELP",
	"    Print this text.",
}

// named finds a command by the name that COMMAND gives it, such as
// "cluster|slots", in any case; nil if there is none.
func (t *table) named(name string) *command {
	container, sub, has := strings.Cut(strings.ToLower(name), "|")
	cmd := t.byName[container]
	if cmd == nil || !has {
		return cmd
	}
	return cmd.byName[sub]
}

func countCommands(cl *call) { cl.reply.Int(int64(len(cl.server.commands.all))) }

func describeAll(cl *call) {
	all := cl.server.commands.all
	cl.reply.Array(len(all))
	for _, cmd := range all {
		appendDescription(cl.reply, cmd)
	}
}

func describeCommands(cl *call) {
	if len(cl.args) == 2 {
		describeAll(cl)
		return
	}
	cl.reply.Array(len(cl.args) - 2)
	for _, name := range cl.args[2:] {
		if cmd := cl.server.commands.named(string(name)); cmd != nil {
			appendDescription(cl.reply, cmd)
		} else {
			cl.reply.Null()
		}
	}
}

// appendDescription writes a command's entry in COMMAND and COMMAND INFO.
func appendDescription(r *Reply, cmd *command) {
	first, last, step := cmd.legacyRange()
	r.Array(10)
	r.BulkString(cmd.fullName)
	r.Int(int64(cmd.arity))
	appendNames(r, cmd.flagNames())
	r.Int(int64(first))
	r.Int(int64(last))
	r.Int(int64(step))
	appendNames(r, cmd.categoryNames())
	r.Set(len(cmd.tips))
	for _, tip := range cmd.tips {
		r.BulkString(tip)
	}
	r.Set(len(cmd.keys))
	for i := range cmd.keys {
		appendKeySpec(r, &cmd.keys[i])
	}
	if cmd.subcommands == nil {
		r.Set(0)
		return
	}
	r.Array(len(cmd.subcommands))
	for _, sub := range cmd.subcommands {
		appendDescription(r, sub)
	}
}

// appendNames writes a set of simple strings.
func appendNames(r *Reply, names []string) {
	r.Set(len(names))
	for _, name := range names {
		r.Status(name)
	}
}

func (cmd *command) flagNames() (names []string) {
	for _, f := range flagNames {
		if cmd.flags&f.flag != 0 {
			names = append(names, f.name)
		}
	}
	return names
}

func (cmd *command) categoryNames() (names []string) {
	all := cmd.allCategories()
	for _, c := range categoryNames {
		if all&c.category != 0 {
			names = append(names, c.name)
		}
	}
	return names
}

func (f keyFlags) names() (names []string) {
	for _, k := range keyFlagNames {
		if f&k.flag != 0 {
			names = append(names, k.name)
		}
	}
	return names
}

// legacyRange is what older clients know of the places of keys: the first key,
// the last one (negative from the end) and the step between. It covers the
// specs at fixed places as far as they join up.
func (cmd *command) legacyRange() (first, last, step int) {
	for i := range cmd.keys {
		k := &cmd.keys[i]
		if k.keyword != "" || k.count || k.unknown {
			continue
		}
		end := k.last
		if k.last >= 0 {
			end += k.begin
		}
		switch {
		case first == 0:
			first, last, step = k.begin, end, max(k.step, 1)
		case step == 1 && k.step <= 1 && last == k.begin-1:
			last = end
		}
	}
	return first, last, step
}

func appendKeySpec(r *Reply, k *keySpec) {
	if k.notes != "" {
		r.Map(4)
		r.BulkString("notes")
		r.BulkString(k.notes)
	} else {
		r.Map(3)
	}
	r.BulkString("flags")
	appendNames(r, k.flags.names())
	r.BulkString("begin_search")
	switch {
	case k.unknown:
		appendSearch(r, "unknown")
	case k.keyword != "":
		appendSearch(r, "keyword", "keyword", k.keyword, "startfrom", k.begin)
	default:
		appendSearch(r, "index", "index", k.begin)
	}
	r.BulkString("find_keys")
	switch {
	case k.unknown:
		appendSearch(r, "unknown")
	case k.count:
		appendSearch(r, "keynum", "keynumidx", 0, "firstkey", 1, "keystep", max(k.step, 1))
	default:
		appendSearch(r, "range", "lastkey", k.last, "keystep", max(k.step, 1), "limit", k.limit)
	}
}

// appendSearch writes one half of a key spec: its type, and then names and
// values in turn.
func appendSearch(r *Reply, kind string, pairs ...any) {
	r.Map(2)
	r.BulkString("type")
	r.BulkString(kind)
	r.BulkString("spec")
	r.Map(len(pairs) / 2)
	for _, p := range pairs {
		switch v := p.(type) {
		case int:
			r.Int(int64(v))
		case string:
			r.BulkString(v)
		}
	}
}

func listCommands(cl *call) {
	keep := func(*command) bool { return true }
	switch {
	case len(cl.args) == 2:
	case len(cl.args) != 5 || !is(cl.args[2], "filterby"):
		cl.fail(errSyntax)
		return
	case is(cl.args[3], "module"):
		keep = func(*command) bool { return false } // there are none
	case is(cl.args[3], "aclcat"):
		name := "@" + strings.ToLower(cl.str(4))
		keep = func(cmd *command) bool { return cmd.inCategory(name) }
	case is(cl.args[3], "pattern"):
		keep = func(cmd *command) bool { return glob.Match(cl.args[4], []byte(cmd.fullName), true) }
	default:
		cl.fail(errSyntax)
		return
	}
	var names []string
	for _, cmd := range cl.server.commands.all {
		if keep(cmd) {
			names = append(names, cmd.fullName)
		}
		for _, sub := range cmd.subcommands {
			if keep(sub) {
				names = append(names, sub.fullName)
			}
		}
	}
	cl.reply.Strings(names)
}

func (cmd *command) inCategory(name string) bool {
	for _, c := range cmd.categoryNames() {
		if c == name {
			return true
		}
	}
	return false
}
