package server

import (
	"math"

	"slotcast/keyspace"
)

func expireCommands() []command {
	const group = "generic"
	set := func(name, since string, handler func(*call)) command {
		return command{name: name, arity: -3, flags: write | fast, categories: catKeyspace, group: group, since: since,
			keys: oneKey(keyRW | keyUpdate), handler: handler}
	}
	show := func(name, since string, tips []string, handler func(*call)) command {
		return command{name: name, arity: 2, flags: readonly | fast, categories: catKeyspace, group: group, since: since,
			keys: oneKey(keyRO | keyAccess), tips: tips, handler: handler}
	}
	vague := []string{"nondeterministic_output"}
	return []command{
		set("expire", "1.0.0", func(cl *call) { cl.expire(1000, cl.now) }),
		set("pexpire", "2.6.0", func(cl *call) { cl.expire(1, cl.now) }),
		set("expireat", "1.2.0", func(cl *call) { cl.expire(1000, 0) }),
		set("pexpireat", "2.6.0", func(cl *call) { cl.expire(1, 0) }),
		show("ttl", "1.0.0", vague, func(cl *call) { cl.expiry(1000, cl.now) }),
		show("pttl", "2.6.0", vague, func(cl *call) { cl.expiry(1, cl.now) }),
		show("expiretime", "7.0.0", nil, func(cl *call) { cl.expiry(1000, 0) }),
		show("pexpiretime", "7.0.0", nil, func(cl *call) { cl.expiry(1, 0) }),
		{name: "persist", arity: 2, flags: write | fast, categories: catKeyspace, group: group, since: "2.2.0",
			keys: oneKey(keyRW | keyUpdate), handler: persist},
	}
}

// expireIf are the conditions under which an expiry time is set.
type expireIf struct{ nx, xx, gt, lt bool }

func parseExpireIf(args [][]byte) (c expireIf, err error) {
	for _, a := range args {
		switch {
		case is(a, "nx"):
			c.nx = true
		case is(a, "xx"):
			c.xx = true
		case is(a, "gt"):
			c.gt = true
		case is(a, "lt"):
			c.lt = true
		default:
			return c, errUnsupportedOption(a)
		}
	}
	switch {
	case c.nx && (c.xx || c.gt || c.lt):
		return c, errExpireNX
	case c.gt && c.lt:
		return c, errExpireGTLT
	}
	return c, nil
}

// allow compares the new time with the one the key has, 0 for none, which
// counts as later than any other.
func (c expireIf) allow(current, at int64) bool {
	switch {
	case c.nx && current != 0,
		c.xx && current == 0,
		c.gt && (current == 0 || at <= current),
		c.lt && current != 0 && at >= current:
		return false
	}
	return true
}

// expire is the EXPIRE family: the argument counts units of so many
// milliseconds, from the time base on. A time that has passed deletes the key.
func (cl *call) expire(unit, base int64) {
	condition, err := parseExpireIf(cl.args[3:])
	if err != nil {
		cl.fail(err)
		return
	}
	at, ok := parseInt(cl.args[2])
	if !ok {
		cl.fail(errNotInteger)
		return
	}
	if at > math.MaxInt64/unit || at < math.MinInt64/unit || at*unit > math.MaxInt64-base {
		cl.fail(errExpireTime(cl.cmd.name))
		return
	}
	at = at*unit + base
	e := cl.lookup(cl.args[1], keyspace.ForWrite)
	if e == nil || !condition.allow(e.ExpireAt(), at) {
		cl.reply.Int(0)
		return
	}
	if at <= cl.now {
		cl.slot.Delete(e, keyspace.Cause{Class: keyspace.Generic, Event: "del", As: keyspace.DelForm})
	} else {
		cl.slot.SetExpiry(e, at, keyspace.Cause{Class: keyspace.Generic, Event: "expire", As: keyspace.RetimeForm})
	}
	cl.reply.Int(1)
}

// expiry is the TTL family: the expiry time, as counted from base, in units of
// so many milliseconds, rounded to the nearest.
func (cl *call) expiry(unit, base int64) {
	e := cl.lookup(cl.args[1], keyspace.NoTouch)
	switch {
	case e == nil:
		cl.reply.Int(-2)
	case e.ExpireAt() == 0:
		cl.reply.Int(-1)
	default:
		// The greatest time rounds up beyond an int64 before it is divided.
		left := uint64(max(0, e.ExpireAt()-base))
		cl.reply.Int(int64((left + uint64(unit)/2) / uint64(unit)))
	}
}

func persist(cl *call) {
	e := cl.lookup(cl.args[1], keyspace.ForWrite)
	if e == nil || e.ExpireAt() == 0 {
		cl.reply.Int(0)
		return
	}
	cl.slot.SetExpiry(e, 0, keyspace.Cause{Class: keyspace.Generic, Event: "persist", As: keyspace.RetimeForm})
	cl.reply.Int(1)
}
