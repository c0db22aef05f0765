package server

import "slotcast/keyspace"

// genericCommands are the commands on keys of whatever type.
func genericCommands() []command {
	const group = "generic"
	agg := []string{"request_policy:multi_shard", "response_policy:agg_sum"}
	list := []command{
		{name: "del", arity: -2, flags: write, categories: catKeyspace, group: group, since: "1.0.0",
			keys: keyRange(keyRM|keyDelete, 1, -1, 1), tips: agg, handler: del},
		{name: "unlink", arity: -2, flags: write | fast, categories: catKeyspace, group: group, since: "4.0.0",
			keys: keyRange(keyRM|keyDelete, 1, -1, 1), tips: agg, handler: del},
		{name: "exists", arity: -2, flags: readonly | fast, categories: catKeyspace, group: group, since: "1.0.0",
			keys: keyRange(keyRO, 1, -1, 1), tips: agg, handler: exists},
		{name: "touch", arity: -2, flags: readonly | fast, categories: catKeyspace, group: group, since: "3.2.1",
			keys: keyRange(keyRO, 1, -1, 1), tips: agg, handler: touch},
		{name: "type", arity: 2, flags: readonly | fast, categories: catKeyspace, group: group, since: "1.0.0",
			keys: oneKey(keyRO), handler: typeOf},
		{name: "rename", arity: 3, flags: write, categories: catKeyspace, group: group, since: "1.0.0",
			keys: []keySpec{{flags: keyRW | keyAccess | keyDelete, begin: 1, step: 1}, {flags: keyOW | keyUpdate, begin: 2, step: 1}}, handler: rename},
		{name: "renamenx", arity: 3, flags: write | fast, categories: catKeyspace, group: group, since: "1.0.0",
			keys: []keySpec{{flags: keyRW | keyAccess | keyDelete, begin: 1, step: 1}, {flags: keyOW | keyInsert, begin: 2, step: 1}}, handler: renameNX},
		{name: "copy", arity: -3, flags: write | denyOOM, categories: catKeyspace, group: group, since: "6.2.0",
			keys: []keySpec{{flags: keyRO | keyAccess, begin: 1, step: 1}, {flags: keyOW | keyUpdate, begin: 2, step: 1}}, handler: copyKey},
		{name: "move", arity: 3, flags: write | fast, categories: catKeyspace, group: group, since: "1.0.0",
			keys: oneKey(keyRW | keyAccess | keyUpdate), handler: refuse(errMoveCluster)},
		{name: "swapdb", arity: 3, flags: write | fast, categories: catKeyspace | catDangerous, group: "server", since: "4.0.0",
			handler: refuse(errSwapDBCluster)},
	}
	list = append(list, expireCommands()...)
	list = append(list, scanCommands()...)
	list = append(list, flushCommands()...)
	return append(list, objectCommands()...)
}

// refuse is the handler of a command that a node of a cluster never runs.
func refuse(err error) func(*call) {
	return func(cl *call) { cl.fail(err) }
}

// del is DEL and UNLINK. Both only take the key out of its table: the memory is
// the garbage collector's, which frees no lock waits for.
func del(cl *call) {
	cause := keyspace.Cause{Class: keyspace.Generic, Event: "del", Args: cl.args}
	n := int64(0)
	for _, key := range cl.args[1:] {
		if e := cl.lookup(key, keyspace.ForWrite); e != nil {
			cl.slot.Delete(e, cause)
			// The first effect has carried the whole command.
			cause.As, cause.Args = keyspace.Covered, nil
			n++
		}
	}
	cl.reply.Int(n)
}

// exists counts a key as often as it is named.
func exists(cl *call) {
	n := int64(0)
	for _, key := range cl.args[1:] {
		if cl.lookup(key, keyspace.NoTouch) != nil {
			n++
		}
	}
	cl.reply.Int(n)
}

func touch(cl *call) {
	n := int64(0)
	for _, key := range cl.args[1:] {
		if cl.slot.Lookup(key, cl.now, 0) != nil {
			n++
		}
	}
	cl.reply.Int(n)
}

func typeOf(cl *call) {
	if e := cl.lookup(cl.args[1], keyspace.NoTouch); e != nil {
		cl.reply.Status(e.Value().Kind().String())
		return
	}
	cl.reply.Status("none")
}

func rename(cl *call)   { cl.rename(false) }
func renameNX(cl *call) { cl.rename(true) }

// rename moves the value with its expiry time. What stood at the new name goes
// without an event of its own, and the value counts as a new key there.
func (cl *call) rename(ifFree bool) {
	from, to := cl.args[1], cl.args[2]
	e := cl.lookup(from, keyspace.ForWrite)
	if e == nil {
		cl.fail(errNoSuchKey)
		return
	}
	same := string(from) == string(to)
	old := e
	if !same {
		old = cl.lookup(to, keyspace.ForWrite)
	}
	if ifFree && old != nil {
		cl.reply.Int(0)
		return
	}
	if !same {
		cl.server.caches.invalidateAhead(cl.slot.Number(), e.Key())
		if old != nil {
			cl.slot.Delete(old, keyspace.Cause{As: keyspace.Covered})
		}
		moved := cl.slot.Set(to, e.Value(), e.ExpireAt(), cl.now, keyspace.Cause{As: keyspace.Covered})
		cl.slot.Delete(e, keyspace.Cause{Class: keyspace.Generic, Event: "rename_from", Args: cl.args})
		cl.slot.Notify(moved, keyspace.Generic, "rename_to")
	}
	if ifFree {
		cl.reply.Int(1)
	} else {
		cl.reply.OK()
	}
}

// copyKey is COPY. Both keys hold one value until a write to either.
func copyKey(cl *call) {
	replace, err := cl.copyOptions()
	if err != nil {
		cl.fail(err)
		return
	}
	from, to := cl.args[1], cl.args[2]
	if string(from) == string(to) {
		cl.fail(errSameObject)
		return
	}
	e := cl.lookup(from, 0)
	if e == nil {
		cl.reply.Int(0)
		return
	}
	if old := cl.lookup(to, keyspace.ForWrite); old != nil {
		if !replace {
			cl.reply.Int(0)
			return
		}
		cl.slot.Delete(old, keyspace.Cause{As: keyspace.Covered})
	}
	cl.slot.Set(to, e.Share(), e.ExpireAt(), cl.now,
		keyspace.Cause{Class: keyspace.Generic, Event: "copy_to", Args: cl.args})
	cl.reply.Int(1)
}

// copyOptions reads REPLACE and DB, which may name the one database there is.
func (cl *call) copyOptions() (replace bool, err error) {
	db := int64(0)
	for i := 3; i < len(cl.args); i++ {
		switch {
		case is(cl.args[i], "replace"):
			replace = true
		case is(cl.args[i], "db") && i+1 < len(cl.args):
			i++
			var ok bool
			if db, ok = parseInt(cl.args[i]); !ok {
				return false, errNotInteger
			}
			if db != int64(int32(db)) {
				return false, errNotInt32
			}
			if db < 0 || db >= int64(cl.server.config.Values().Databases) {
				return false, errInvalidDB
			}
		default:
			return false, errSyntax
		}
	}
	if db != 0 {
		return false, errCopyCluster
	}
	return replace, nil
}
