package server

import "slotcast/keyspace"

func transactionCommands() []command {
	const f = noScript | loading | stale | fast | notQueued
	return []command{
		{name: "multi", arity: 1, flags: f | allowBusy, categories: catTransaction, group: "transactions", since: "1.2.0", handler: multi},
		{name: "exec", arity: 1, flags: noScript | loading | stale | skipSlowlog | notQueued | runsExec, categories: catTransaction, group: "transactions", since: "1.2.0", handler: runQueue},
		{name: "discard", arity: 1, flags: f | allowBusy, categories: catTransaction, group: "transactions", since: "2.0.0", handler: discard},
		{name: "watch", arity: -2, flags: f | allowBusy, categories: catTransaction, group: "transactions", since: "2.2.0",
			keys: keyRange(keyRO, 1, -1, 1), handler: watch},
		{name: "unwatch", arity: 1, flags: noScript | loading | stale | fast | allowBusy, categories: catTransaction, group: "transactions", since: "2.2.0", handler: unwatch},
	}
}

func multi(cl *call) {
	if cl.conn.inMulti() {
		cl.fail(errNestedMulti)
		return
	}
	cl.conn.transaction().open = true
	cl.conn.queued.Store(0)
	cl.reply.OK()
}

func discard(cl *call) {
	if !cl.conn.inMulti() {
		cl.fail(errDiscardNoMulti)
		return
	}
	cl.conn.dropTransaction(keyspace.TakeLocks)
	cl.reply.OK()
}

func watch(cl *call) {
	if cl.conn.inMulti() {
		cl.fail(errWatchInMulti)
		return
	}
	tx := cl.conn.transaction()
	for _, key := range cl.args[1:] {
		cl.slot.Watch(&tx.watcher, key, cl.now)
	}
	cl.conn.watching.Store(int32(tx.watcher.Len()))
	cl.reply.OK()
}

// unwatch forgets the watched keys. Inside EXEC they are forgotten already.
func unwatch(cl *call) {
	if tx := cl.conn.tx; tx != nil {
		cl.server.keys.Unwatch(&tx.watcher, keyspace.TakeLocks)
		cl.conn.watching.Store(0)
	}
	cl.reply.OK()
}
