package server

import "slotcast/keyspace"

func flushCommands() []command {
	flush := func(name string) command {
		return command{name: name, arity: -1, flags: write | allSlots, categories: catKeyspace | catDangerous, group: "server", since: "1.0.0",
			tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"}, handler: flushAll}
	}
	return []command{flush("flushall"), flush("flushdb")}
}

// flushAll is FLUSHALL and FLUSHDB, which are one in a cluster with its one
// database. SYNC and ASYNC are one as well: letting the tables go takes the same
// short time however much they hold.
func flushAll(cl *call) {
	if len(cl.args) > 2 || len(cl.args) == 2 && !is(cl.args[1], "sync") && !is(cl.args[1], "async") {
		cl.fail(errSyntax)
		return
	}
	cl.server.keys.FlushAll(keyspace.Cause{Args: cl.args})
	cl.reply.OK()
}
