package server

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"slotcast/glob"
	"slotcast/keyspace"
)

// scanCommands are those that look at the keys of all slots.
func scanCommands() []command {
	return []command{
		{name: "scan", arity: -2, flags: readonly | eachSlot, categories: catKeyspace, group: "generic", since: "2.8.0",
			tips: []string{"nondeterministic_output", "request_policy:special"}, handler: scan},
		{name: "keys", arity: 2, flags: readonly | eachSlot, categories: catKeyspace | catDangerous, group: "generic", since: "1.0.0",
			tips: []string{"request_policy:all_shards", "nondeterministic_output_order"}, handler: keys},
		{name: "randomkey", arity: 1, flags: readonly | eachSlot, categories: catKeyspace, group: "generic", since: "1.0.0",
			tips: []string{"request_policy:all_shards", "nondeterministic_output"}, handler: randomKey},
		{name: "dbsize", arity: 1, flags: readonly | fast | eachSlot, categories: catKeyspace, group: "server", since: "1.0.0",
			tips: []string{"request_policy:all_shards", "response_policy:agg_sum"}, handler: dbSize},
	}
}

// walkStep is how many keys a walk visits before it lets others go first.
const walkStep = 128

// walk visits about count keys from the cursor on, and returns the cursor to go
// on with. Between its steps it holds no lock, and gives way: a mutex that is
// taken again at once goes to those who wait for it only after a millisecond.
// In an EXEC they wait for its end anyhow. A client that has gone gets no more.
func (cl *call) walk(cursor uint64, count int, visit func(*keyspace.Entry)) (next uint64) {
	for {
		step := min(count, walkStep)
		cursor = cl.server.keys.Scan(cursor, step, cl.now, cl.slotLocks(), visit)
		if count -= step; cursor == 0 || count <= 0 || cl.conn.ended() {
			return cursor
		}
		if cl.exec == nil {
			cl.server.giveWay()
		}
	}
}

// list adds the keys that the filter lets through to the reply, and counts them.
func (cl *call) list(cursor uint64, count int, f keyFilter) (next uint64, n int) {
	next = cl.walk(cursor, count, func(e *keyspace.Entry) {
		if f.passes(e) {
			cl.reply.BulkString(e.Key())
			n++
		}
	})
	return next, n
}

// keyFilter is what SCAN and KEYS select by. The zero value lets all keys pass.
type keyFilter struct {
	pattern []byte
	kind    []byte
	byName  bool
	byKind  bool
}

// match selects by a pattern. "*" is every key, the empty one too, which as a
// pattern it would not match.
func (f *keyFilter) match(pattern []byte) {
	f.pattern, f.byName = pattern, string(pattern) != "*"
}

func (f *keyFilter) passes(e *keyspace.Entry) bool {
	return (!f.byName || glob.Match(f.pattern, []byte(e.Key()), false)) &&
		(!f.byKind || strings.EqualFold(e.Value().Kind().String(), string(f.kind)))
}

func scan(cl *call) {
	cursor, ok := parseCursor(cl.args[1])
	if !ok {
		cl.fail(errInvalidCursor)
		return
	}
	count, f := int64(10), keyFilter{}
	for i := 2; i < len(cl.args); i += 2 {
		option := cl.args[i]
		if i+1 == len(cl.args) {
			cl.fail(errSyntax)
			return
		}
		value := cl.args[i+1]
		switch {
		case is(option, "count"):
			if count, ok = parseInt(value); !ok {
				cl.fail(errNotInteger)
				return
			}
			if count < 1 {
				cl.fail(errSyntax)
				return
			}
		case is(option, "match"):
			f.match(value)
		case is(option, "type"):
			f.kind, f.byKind = value, true
		default:
			cl.fail(errSyntax)
			return
		}
	}
	start := len(cl.reply.buf)
	next, n := cl.list(cursor, int(count), f)
	head := Reply{resp3: cl.reply.resp3}
	head.Array(2)
	head.BulkString(strconv.FormatUint(next, 10))
	head.Array(n)
	cl.reply.Insert(start, head.buf)
}

// parseCursor reads a cursor as the C library's strtoul does, which is what
// clients have come to rely on: nothing at all is 0, a sign is taken, and the
// text ends at a zero byte.
func parseCursor(b []byte) (uint64, bool) {
	b, _, _ = bytes.Cut(b, []byte{0})
	if len(b) == 0 {
		return 0, true
	}
	digits, negative := b, b[0] == '-'
	if negative || b[0] == '+' {
		digits = b[1:]
	}
	if len(digits) == 0 {
		return 0, false
	}
	n := uint64(0)
	for _, c := range digits {
		d := uint64(c - '0')
		if d > 9 || n > (math.MaxUint64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	if negative {
		n = -n
	}
	return n, true
}

// keys lists all keys of the pattern. It is as patient as SCAN: keys that come
// and go while it walks may be in the list or not.
func keys(cl *call) {
	var f keyFilter
	f.match(cl.args[1])
	start := len(cl.reply.buf)
	_, n := cl.list(0, math.MaxInt, f)
	var head Reply
	head.Array(n)
	cl.reply.Insert(start, head.buf)
}

func randomKey(cl *call) {
	key, ok := cl.server.keys.RandomKey(rand.Uint64, cl.now, cl.slotLocks())
	if !ok {
		cl.reply.Null()
		return
	}
	cl.reply.BulkString(key)
}

// dbSize counts with expired keys that are not yet deleted, as Redis does.
func dbSize(cl *call) { cl.reply.Int(cl.server.keys.Len()) }
