package server

import (
	"math"

	"slotcast/keyspace"
)

func objectCommands() []command {
	sub := func(name, since string, handler func(*call, *keyspace.Entry)) *command {
		return &command{name: name, arity: 3, flags: readonly, categories: catKeyspace, since: since,
			keys: []keySpec{{flags: keyRO, begin: 2, step: 1}}, tips: []string{"nondeterministic_output"},
			handler: func(cl *call) { cl.inspect(handler) }}
	}
	return []command{{name: "object", arity: -2, group: "generic", since: "2.2.3", subcommands: []*command{
		sub("encoding", "2.2.3", objectEncoding),
		sub("freq", "4.0.0", objectFreq),
		{name: "help", arity: 2, flags: loading | stale, categories: catKeyspace, since: "6.2.0", handler: help(objectHelp)},
		sub("idletime", "2.2.3", objectIdleTime),
		sub("refcount", "2.2.3", objectRefCount),
	}}}
}

var objectHelp = []string{
	"OBJECT <subcommand> [argument ...], where <subcommand> is one of:",
	"ENCODING <key>",
	"    Name the form in which the value is kept.",
	"FREQ <key>",
	"    Tell how often the key is used; only under an LFU maxmemory-policy.",
	"IDLETIME <key>",
	"    Count the seconds since the key was last used.",
	"REFCOUNT <key>",
	"    Count the references to the value.",
	"HELP",
	"    Print this text.",
}

// inspect looks at a key without leaving a trace that OBJECT would show.
func (cl *call) inspect(show func(*call, *keyspace.Entry)) {
	e := cl.lookup(cl.args[2], keyspace.NoTouch|keyspace.NoNotify)
	if e == nil {
		cl.reply.Null()
		return
	}
	show(cl, e)
}

func objectEncoding(cl *call, e *keyspace.Entry) { cl.reply.BulkString(e.Value().Encoding()) }
func objectIdleTime(cl *call, e *keyspace.Entry) { cl.reply.Int(e.IdleSeconds(cl.now)) }

// objectFreq has nothing to tell: the one maxmemory-policy there is counts no
// accesses.
func objectFreq(cl *call, _ *keyspace.Entry) { cl.fail(errNotLFU) }

// sharedIntegers is below which number Redis keeps one object for all keys that
// hold it, and gives the greatest int as the count of its references.
const sharedIntegers = 10000

func objectRefCount(cl *call, e *keyspace.Entry) { cl.reply.Int(references(e)) }

func references(e *keyspace.Entry) int64 {
	if s, ok := e.Value().(*keyspace.String); ok && s.Encoding() == "int" {
		if n, _ := s.Int(); n >= 0 && n < sharedIntegers {
			return math.MaxInt32
		}
	}
	return 1
}
