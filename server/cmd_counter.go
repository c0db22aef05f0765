package server

import (
	"math"

	"slotcast/keyspace"
)

func incr(cl *call) { count(cl, 1) }
func decr(cl *call) { count(cl, -1) }

func incrby(cl *call) {
	n, ok := parseInt(cl.args[2])
	if !ok {
		cl.fail(errNotInteger)
		return
	}
	count(cl, n)
}

func decrby(cl *call) {
	n, ok := parseInt(cl.args[2])
	switch {
	case !ok:
		cl.fail(errNotInteger)
	case n == math.MinInt64: // has no negative
		cl.fail(errDecrementOverflow)
	default:
		count(cl, -n)
	}
}

// count adds n to the number at the command's key.
func count(cl *call, n int64) {
	key := cl.args[1]
	e, s, ok := cl.stringAt(key, keyspace.ForWrite)
	if !ok {
		return
	}
	old := int64(0)
	if s != nil {
		if old, ok = s.Int(); !ok {
			cl.fail(errNotInteger)
			return
		}
	}
	sum := old + n
	if n > 0 && sum < old || n < 0 && sum > old {
		cl.fail(errCountOverflow)
		return
	}
	cause := keyspace.Cause{Class: keyspace.Strings, Event: "incrby", Args: cl.args}
	if e == nil {
		cl.slot.Set(key, keyspace.NewInt(sum), 0, cl.now, cause)
	} else {
		cl.slot.Replace(e, keyspace.NewInt(sum), cause)
	}
	cl.reply.Int(sum)
}

// incrbyfloat is written down as the SET of its result, because a copy of the
// data must not depend on how another machine rounds.
func incrbyfloat(cl *call) {
	key := cl.args[1]
	e, s, ok := cl.stringAt(key, keyspace.ForWrite)
	if !ok {
		return
	}
	sum := new(longDouble)
	if s != nil {
		var scratch [20]byte
		if sum, ok = parseLongDouble(s.Bytes(scratch[:0])); !ok {
			cl.fail(errNotFloat)
			return
		}
	}
	n, ok := parseLongDouble(cl.args[2])
	if !ok {
		cl.fail(errNotFloat)
		return
	}
	if !sum.add(n) {
		cl.fail(errNaNOrInfinity)
		return
	}
	text := sum.appendTo(nil)
	value := keyspace.NewText(text)
	cause := keyspace.Cause{Class: keyspace.Strings, Event: "incrbyfloat", As: keyspace.SetKeepTTL}
	if e == nil {
		cl.slot.Set(key, value, 0, cl.now, cause)
	} else {
		cl.slot.Replace(e, value, cause)
	}
	cl.reply.Bulk(text)
}
