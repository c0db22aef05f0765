package server

import "slotcast/keyspace"

func mget(cl *call) {
	cl.reply.Array(len(cl.args) - 1)
	for _, key := range cl.args[1:] {
		var s *keyspace.String
		if e := cl.lookup(key, 0); e != nil {
			s, _ = e.Value().(*keyspace.String)
		}
		if s == nil { // also for a key of another type
			cl.reply.Null()
			continue
		}
		var scratch [20]byte
		cl.reply.Bulk(s.Bytes(scratch[:0]))
	}
}

func mset(cl *call) {
	if len(cl.args)%2 == 0 {
		cl.fail(errArity(cl.cmd.fullName))
		return
	}
	setAll(cl)
	cl.reply.OK()
}

func msetnx(cl *call) {
	if len(cl.args)%2 == 0 {
		cl.fail(errArity(cl.cmd.fullName))
		return
	}
	for i := 1; i < len(cl.args); i += 2 {
		if cl.lookup(cl.args[i], keyspace.ForWrite) != nil {
			cl.reply.Int(0)
			return
		}
	}
	setAll(cl)
	cl.reply.Int(1)
}

// setAll sets every key. The whole command is written down once, with the
// first key, so that a copy of the data takes it as one step too.
func setAll(cl *call) {
	as := keyspace.Verbatim
	for i := 1; i < len(cl.args); i += 2 {
		cl.slot.Set(cl.args[i], keyspace.NewString(cl.args[i+1]), 0, cl.now,
			keyspace.Cause{Class: keyspace.Strings, Event: "set", As: as, Args: cl.args})
		as = keyspace.Covered
	}
}
