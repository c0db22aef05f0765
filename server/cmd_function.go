package server

import (
	"slotcast/dump"
)

// functionCommands are FUNCTION, as far as a node answers it that runs no
// functions: redis-cli hands the functions of a cluster to each node that it
// adds, and must be told that there are none.
func functionCommands() []command {
	sub := func(name string, arity int, f flags, handler func(*call), tips ...string) *command {
		return &command{name: name, arity: arity, flags: f, categories: catScripting, since: "7.0.0", handler: handler, tips: tips}
	}
	const change = write | noScript
	everywhere := []string{"request_policy:all_shards", "response_policy:all_succeeded"}
	return []command{{name: "function", arity: -2, group: "scripting", since: "7.0.0", subcommands: []*command{
		sub("delete", 3, change, refuse(errNoLibrary), everywhere...),
		sub("dump", 2, noScript, functionDump),
		sub("flush", -2, change, functionFlush, everywhere...),
		sub("help", 2, loading|stale, help(functionHelp)),
		sub("kill", 2, noScript|allowBusy, refuse(errNoScriptRunning), "request_policy:all_shards", "response_policy:one_succeeded"),
		sub("list", -2, noScript, functionList, "nondeterministic_output_order"),
		sub("restore", -3, change|denyOOM, functionRestore, everywhere...),
		sub("stats", 2, noScript|allowBusy, functionStats, "nondeterministic_output", "request_policy:all_shards", "response_policy:special"),
	}}}
}

var functionHelp = []string{
	"FUNCTION <subcommand> [argument ...], where <subcommand> is one of:",
	"DELETE <library>",
	"    Delete a library; there is none.",
	"DUMP",
	"    Print the libraries in the form that RESTORE takes.",
	"FLUSH [ASYNC|SYNC]",
	"    Delete all libraries.",
	"KILL",
	"    End the function that is running; there is none.",
	"LIST [LIBRARYNAME <pattern>] [WITHCODE]",
	"    List the libraries.",
	"RESTORE <payload> [FLUSH|APPEND|REPLACE]",
	"    Take the libraries that DUMP printed, which must be none.",
	"STATS",
	"    Tell which function is running, and which engines there are.",
	"HELP",
	"    Print this text.",
}

func functionDump(cl *call) { cl.reply.Bulk(dump.Seal(nil)) }

func functionFlush(cl *call) {
	switch {
	case len(cl.args) > 3:
		cl.fail(errSubcommandSyntax("function", cl.str(1)))
	case len(cl.args) == 3 && !is(cl.args[2], "sync") && !is(cl.args[2], "async"):
		cl.fail(errFunctionFlush)
	default:
		cl.reply.OK()
	}
}

func functionList(cl *call) {
	withCode, named := false, false
	for i := 2; i < len(cl.args); i++ {
		switch arg := cl.args[i]; {
		case is(arg, "withcode") && !withCode:
			withCode = true
		case is(arg, "libraryname") && !named:
			if named = true; i+1 == len(cl.args) {
				cl.fail(errNoLibraryName)
				return
			}
			i++
		default:
			cl.fail(errUnknownArgument(arg))
			return
		}
	}
	cl.reply.Array(0)
}

// functionRestore takes the payload of a server without functions. Any other
// it refuses: to forget them silently would break who relies on them.
func functionRestore(cl *call) {
	if len(cl.args) > 4 {
		cl.fail(errSubcommandSyntax("function", cl.str(1)))
		return
	}
	if len(cl.args) == 4 && !is(cl.args[3], "flush") && !is(cl.args[3], "append") && !is(cl.args[3], "replace") {
		cl.fail(errRestorePolicy)
		return
	}
	body, err := dump.Open(cl.args[2])
	if err != nil {
		cl.fail(err)
		return
	}
	libraries, err := dump.Libraries(body, cl.server.config.Values().ProtoMaxBulkLen)
	switch {
	case len(libraries) > 0:
		cl.fail(errFunctions)
	case err != nil:
		cl.fail(err)
	default:
		cl.reply.OK()
	}
}

// functionStats names no engine, Redis's one being Lua.
func functionStats(cl *call) {
	cl.reply.Map(2)
	cl.reply.BulkString("running_script")
	cl.reply.Null()
	cl.reply.BulkString("engines")
	cl.reply.Map(0)
}
