package server

import (
	"math"

	"slotcast/keyspace"
)

func stringCommands() []command {
	return []command{
		{name: "get", arity: 2, flags: readonly | fast, categories: catString, keys: oneKey(keyRO | keyAccess), group: "string", since: "1.0.0", handler: get},
		{name: "set", arity: -3, flags: write | denyOOM, categories: catString, findKeys: setKeys, keys: withNotes(oneKey(keyRW|keyAccess|keyUpdate|keyVariable), "with GET the key is read as well"), group: "string", since: "1.0.0", handler: set},
		{name: "setex", arity: 4, flags: write | denyOOM, categories: catString, keys: oneKey(keyOW | keyUpdate), group: "string", since: "2.0.0", handler: setex},
		{name: "psetex", arity: 4, flags: write | denyOOM, categories: catString, keys: oneKey(keyOW | keyUpdate), group: "string", since: "2.6.0", handler: psetex},
		{name: "setnx", arity: 3, flags: write | denyOOM | fast, categories: catString, keys: oneKey(keyOW | keyInsert), group: "string", since: "1.0.0", handler: setnx},
		{name: "getset", arity: 3, flags: write | denyOOM | fast, categories: catString, keys: oneKey(keyRW | keyAccess | keyUpdate), group: "string", since: "1.0.0", handler: getset},
		{name: "getdel", arity: 2, flags: write | fast, categories: catString, keys: oneKey(keyRW | keyAccess | keyDelete), group: "string", since: "6.2.0", handler: getdel},
		{name: "getex", arity: -2, flags: write | fast, categories: catString, keys: withNotes(oneKey(keyRW|keyAccess|keyUpdate), "an option changes when the key expires"), group: "string", since: "6.2.0", handler: getex},
		{name: "mget", arity: -2, flags: readonly | fast, categories: catString, keys: keyRange(keyRO|keyAccess, 1, -1, 1), group: "string", since: "1.0.0", handler: mget, tips: []string{"request_policy:multi_shard"}},
		{name: "mset", arity: -3, flags: write | denyOOM, categories: catString, keys: keyRange(keyOW|keyUpdate, 1, -1, 2), group: "string", since: "1.0.1", handler: mset, tips: []string{"request_policy:multi_shard", "response_policy:all_succeeded"}},
		{name: "msetnx", arity: -3, flags: write | denyOOM, categories: catString, keys: keyRange(keyOW|keyInsert, 1, -1, 2), group: "string", since: "1.0.1", handler: msetnx, tips: []string{"request_policy:multi_shard", "response_policy:agg_min"}},
		{name: "append", arity: 3, flags: write | denyOOM | fast, categories: catString, keys: oneKey(keyRW | keyInsert), group: "string", since: "2.0.0", handler: appendTo},
		{name: "strlen", arity: 2, flags: readonly | fast, categories: catString, keys: oneKey(keyRO), group: "string", since: "2.2.0", handler: strlen},
		{name: "getrange", arity: 4, flags: readonly, categories: catString, keys: oneKey(keyRO | keyAccess), group: "string", since: "2.4.0", handler: getrange},
		{name: "substr", arity: 4, flags: readonly, categories: catString, keys: oneKey(keyRO | keyAccess), group: "string", since: "1.0.0", handler: getrange},
		{name: "setrange", arity: 4, flags: write | denyOOM, categories: catString, keys: oneKey(keyRW | keyUpdate), group: "string", since: "2.2.0", handler: setrange},
		{name: "incr", arity: 2, flags: write | denyOOM | fast, categories: catString, keys: oneKey(keyRW | keyAccess | keyUpdate), group: "string", since: "1.0.0", handler: incr},
		{name: "decr", arity: 2, flags: write | denyOOM | fast, categories: catString, keys: oneKey(keyRW | keyAccess | keyUpdate), group: "string", since: "1.0.0", handler: decr},
		{name: "incrby", arity: 3, flags: write | denyOOM | fast, categories: catString, keys: oneKey(keyRW | keyAccess | keyUpdate), group: "string", since: "1.0.0", handler: incrby},
		{name: "decrby", arity: 3, flags: write | denyOOM | fast, categories: catString, keys: oneKey(keyRW | keyAccess | keyUpdate), group: "string", since: "1.0.0", handler: decrby},
		{name: "incrbyfloat", arity: 3, flags: write | denyOOM | fast, categories: catString, keys: oneKey(keyRW | keyAccess | keyUpdate), group: "string", since: "2.6.0", handler: incrbyfloat},
	}
}

// withNotes adds the remark that COMMAND INFO shows with the command's key.
func withNotes(keys []keySpec, notes string) []keySpec {
	keys[0].notes = notes
	return keys
}

// stringAt finds the string that a key holds. s is nil if there is no such key.
// If the key holds something else the error is answered and ok is false.
func (cl *call) stringAt(key []byte, how keyspace.Access) (e *keyspace.Entry, s *keyspace.String, ok bool) {
	if e = cl.lookup(key, how); e == nil {
		return nil, nil, true
	}
	if s, ok = e.Value().(*keyspace.String); !ok {
		cl.fail(errWrongType)
	}
	return e, s, ok
}

// answerString is GET's answer for the command's first key, the part of it in
// which GETSET, GETDEL and SET … GET share.
func (cl *call) answerString() (e *keyspace.Entry, ok bool) {
	e, s, ok := cl.stringAt(cl.args[1], 0)
	switch {
	case !ok:
	case s == nil:
		cl.reply.Null()
	default:
		var scratch [20]byte
		cl.reply.Bulk(s.Bytes(scratch[:0]))
	}
	return e, ok
}

func get(cl *call) { cl.answerString() }

func strlen(cl *call) {
	_, s, ok := cl.stringAt(cl.args[1], 0)
	switch {
	case !ok:
	case s == nil:
		cl.reply.Int(0)
	default:
		cl.reply.Int(int64(s.Len()))
	}
}

// write gives the command's first key a value and raises set.
func (cl *call) write(value []byte, expireAt int64, as keyspace.Form) *keyspace.Entry {
	return cl.slot.Set(cl.args[1], keyspace.NewString(value), expireAt, cl.now,
		keyspace.Cause{Class: keyspace.Strings, Event: "set", As: as, Args: cl.args})
}

// writeUntil is write for a key that expires.
func (cl *call) writeUntil(value []byte, expireAt int64) {
	e := cl.write(value, expireAt, keyspace.SetForm)
	cl.slot.Notify(e, keyspace.Generic, "expire")
}

func set(cl *call) {
	value := cl.args[2]
	if len(cl.args) == 3 {
		cl.write(value, 0, keyspace.Verbatim)
		cl.reply.OK()
		return
	}
	o, ok := parseStringOptions(cl.args[3:], optionsOfSet)
	if !ok {
		cl.fail(errSyntax)
		return
	}
	expireAt := int64(0)
	if o.expires() {
		var err error
		if expireAt, err = o.expireAt(cl); err != nil {
			cl.fail(err)
			return
		}
	}
	if o.get {
		if _, ok := cl.answerString(); !ok {
			return
		}
	}
	if o.nx || o.xx {
		if found := cl.lookup(cl.args[1], keyspace.ForWrite) != nil; found == o.nx {
			if !o.get {
				cl.reply.Null()
			}
			return
		}
	}
	switch {
	case o.expires():
		cl.writeUntil(value, expireAt)
	case o.keepTTL:
		cl.write(value, keyspace.KeepTTL, keyspace.SetKeepTTL)
	default:
		cl.write(value, 0, keyspace.SetForm)
	}
	if !o.get {
		cl.reply.OK()
	}
}

func setex(cl *call)  { setFor(cl, seconds) }
func psetex(cl *call) { setFor(cl, milliseconds) }

func setFor(cl *call, unit timeUnit) {
	o := stringOptions{unit: unit, time: cl.args[2]}
	expireAt, err := o.expireAt(cl)
	if err != nil {
		cl.fail(err)
		return
	}
	cl.writeUntil(cl.args[3], expireAt)
	cl.reply.OK()
}

func setnx(cl *call) {
	if cl.lookup(cl.args[1], keyspace.ForWrite) != nil {
		cl.reply.Int(0)
		return
	}
	cl.write(cl.args[2], 0, keyspace.Verbatim)
	cl.reply.Int(1)
}

func getset(cl *call) {
	if _, ok := cl.answerString(); ok {
		cl.write(cl.args[2], 0, keyspace.SetForm)
	}
}

func getdel(cl *call) {
	if e, ok := cl.answerString(); ok && e != nil {
		cl.slot.Delete(e, keyspace.Cause{Class: keyspace.Generic, Event: "del", As: keyspace.DelForm})
	}
}

func getex(cl *call) {
	o, ok := parseStringOptions(cl.args[2:], optionsOfGetex)
	if !ok {
		cl.fail(errSyntax)
		return
	}
	e, s, ok := cl.stringAt(cl.args[1], 0)
	if !ok {
		return
	}
	if s == nil {
		cl.reply.Null()
		return
	}
	// A time that makes no sense is an error only where there is a key.
	expireAt := int64(math.MaxInt64)
	if o.expires() {
		var err error
		if expireAt, err = o.expireAt(cl); err != nil {
			cl.fail(err)
			return
		}
	}
	var scratch [20]byte
	cl.reply.Bulk(s.Bytes(scratch[:0]))
	switch {
	case expireAt <= cl.now:
		cl.slot.Delete(e, keyspace.Cause{Class: keyspace.Generic, Event: "del", As: keyspace.DelForm})
	case o.expires():
		cl.slot.SetExpiry(e, expireAt, keyspace.Cause{Class: keyspace.Generic, Event: "expire", As: keyspace.RetimeForm})
	case o.persist && e.ExpireAt() != 0:
		cl.slot.SetExpiry(e, 0, keyspace.Cause{Class: keyspace.Generic, Event: "persist", As: keyspace.RetimeForm})
	}
}
