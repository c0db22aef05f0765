package server

import "slotcast/keyspace"

func stringCommands() []command {
	return []command{
		{name: "get", arity: 2, flags: readonly | fast, categories: catString, keys: oneKey(keyRO | keyAccess), group: "string", since: "1.0.0", handler: get},
		{name: "set", arity: -3, flags: write | denyOOM, categories: catString, group: "string", since: "1.0.0", handler: set, findKeys: setKeys,
			keys: []keySpec{{flags: keyRW | keyAccess | keyUpdate | keyVariable, begin: 1, step: 1, notes: "with GET the key is read as well"}}},
	}
}

func get(cl *call) {
	e := cl.slot.Lookup(cl.args[1], cl.now, 0)
	if e == nil {
		cl.reply.Null()
		return
	}
	s, ok := e.Value().(*keyspace.String)
	if !ok {
		cl.fail(errWrongType)
		return
	}
	var scratch [20]byte
	cl.reply.Bulk(s.Bytes(scratch[:0]))
}

func set(cl *call) {
	if len(cl.args) != 3 {
		cl.fail(errSyntax)
		return
	}
	cl.slot.Set(cl.args[1], keyspace.NewString(cl.args[2]), 0, cl.now, keyspace.Cause{Class: keyspace.Strings, Event: "set", Args: cl.args})
	cl.reply.OK()
}
