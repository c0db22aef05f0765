package server

import (
	"slices"
	"strconv"

	"slotcast/dump"
	"slotcast/keyspace"
)

func dumpCommands() []command {
	restoring := func(name, since, group string, implied flags) command {
		return command{name: name, arity: -4, flags: write | denyOOM | implied, categories: catKeyspace | catDangerous, group: group, since: since,
			keys: oneKey(keyOW | keyUpdate), handler: restore}
	}
	return []command{
		{name: "dump", arity: 2, flags: readonly, categories: catKeyspace, group: "generic", since: "2.6.0",
			keys: oneKey(keyRO | keyAccess), tips: []string{"nondeterministic_output"}, handler: dumpKey},
		restoring("restore", "2.6.0", "generic", 0),
		restoring("restore-asking", "3.0.0", "server", asking),
	}
}

func dumpKey(cl *call) {
	e := cl.lookup(cl.args[1], 0)
	if e == nil {
		cl.reply.Null()
		return
	}
	cl.reply.Bulk(appendPayload(nil, e.Value()))
}

// appendPayload appends what DUMP makes of a value.
func appendPayload(dst []byte, v keyspace.Value) []byte {
	s := v.(*keyspace.String) // the one type there is
	var scratch [20]byte
	return dump.AppendString(dst, s.Bytes(scratch[:0]))
}

// readPayload makes the value of a payload.
func (s *Server) readPayload(payload []byte) (keyspace.Value, error) {
	body, err := dump.Open(payload)
	if err != nil {
		return nil, err
	}
	v, err := dump.Decode(body, s.config.Values().ProtoMaxBulkLen)
	if err != nil {
		return nil, err
	}
	if v.Owned && len(v.Text) >= ownFrom {
		return keyspace.OwnRaw(v.Text), nil
	}
	return keyspace.NewString(v.Text), nil
}

// ownFrom is the length from which a decompressed text becomes the value as it
// is. Shorter ones are copied into a form that suits them better.
const ownFrom = 64

// restoreOptions are what follows the payload.
type restoreOptions struct {
	replace, absTTL bool
	idle            int64 // seconds, -1 if not given
}

// parseRestoreOptions reads them. FREQ is checked and alters nothing: the one
// maxmemory-policy there is counts no accesses.
func parseRestoreOptions(args [][]byte) (o restoreOptions, err error) {
	o.idle = -1
	frequency := int64(-1)
	for i := 0; i < len(args); i++ {
		var ok bool
		switch more := i+1 < len(args); {
		case is(args[i], "replace"):
			o.replace = true
		case is(args[i], "absttl"):
			o.absTTL = true
		case is(args[i], "idletime") && more && frequency == -1:
			i++
			if o.idle, ok = parseInt(args[i]); !ok {
				return o, errNotInteger
			}
			if o.idle < 0 {
				return o, errIdleTime
			}
		case is(args[i], "freq") && more && o.idle == -1:
			i++
			if frequency, ok = parseInt(args[i]); !ok {
				return o, errNotInteger
			}
			if frequency < 0 || frequency > 255 {
				return o, errFrequency
			}
		default:
			return o, errSyntax
		}
	}
	return o, nil
}

// restore is RESTORE and RESTORE-ASKING.
func restore(cl *call) {
	o, err := parseRestoreOptions(cl.args[4:])
	if err != nil {
		cl.fail(err)
		return
	}
	key := cl.args[1]
	if !o.replace && cl.lookup(key, keyspace.ForWrite) != nil {
		cl.fail(errBusyKey)
		return
	}
	ttl, ok := parseInt(cl.args[2])
	if !ok {
		cl.fail(errNotInteger)
		return
	}
	if ttl < 0 {
		cl.fail(errNegativeTTL)
		return
	}
	v, err := cl.server.readPayload(cl.args[3])
	if err != nil {
		cl.fail(err)
		return
	}
	var old *keyspace.Entry
	if o.replace {
		// What has expired is replaced like anything else, without an event of
		// its own: at time zero it is still there.
		old = cl.slot.Lookup(key, 0, keyspace.ForWrite|keyspace.NoTouch)
	}
	at := ttl
	if ttl != 0 && !o.absTTL {
		at += cl.now // the largest wrap around, and then count as past
	}
	if ttl != 0 && at <= cl.now {
		if old != nil {
			cl.slot.Delete(old, keyspace.Cause{Class: keyspace.Generic, Event: "del", As: keyspace.DelForm})
		}
		cl.reply.OK()
		return
	}
	if old != nil {
		cl.slot.Delete(old, keyspace.Cause{As: keyspace.Covered})
	}
	e := cl.slot.Set(key, v, at, cl.now,
		keyspace.Cause{Class: keyspace.Generic, Event: "restore", Args: absolute(cl.args, ttl, at)})
	if o.idle >= 0 {
		cl.slot.SetIdle(e, o.idle, cl.now)
	}
	cl.reply.OK()
}

// absolute is the command as a copy of the data has to follow it: with the time
// at which the key expires in place of how long it still lives.
func absolute(args [][]byte, ttl, at int64) [][]byte {
	if ttl == at {
		return args
	}
	args = append(slices.Clone(args), []byte("ABSTTL"))
	args[2] = strconv.AppendInt(nil, at, 10)
	return args
}
