package server

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"slotcast/clusterstate"
	"slotcast/dump"
	"slotcast/keyspace"
	"slotcast/resp2"
	"slotcast/resp3"
)

// debugCommands is DEBUG, as far as tools and the tests of client libraries
// call it. What depends on Redis's insides is unknown here.
func debugCommands() []command {
	return []command{{name: "debug", arity: -2, flags: admin | noScript | loading | stale | protected | eachSlot | waits,
		group: "server", since: "1.0.0", handler: runDebug}}
}

var debugHelp = []string{
	"DEBUG <subcommand> [argument ...], where <subcommand> is one of:",
	"CHANGE-REPL-ID",
	"    Take a new random replication id.",
	"DIGEST",
	"    Print a hash of all keys and values.",
	"DIGEST-VALUE <key> [key ...]",
	"    Print a hash of each value and its expiry, zeros for a missing key.",
	"ERROR <text>",
	"    Answer the text as an error.",
	"LOG <text>",
	"    Write the text to the log.",
	"OBJECT <key>",
	"    Describe a value in one line.",
	"PROTOCOL <type>",
	"    Answer an example of a reply type.",
	"SET-ACTIVE-EXPIRE <0|1>",
	"    Stop or go on deleting expired keys that nobody asks for.",
	"SLEEP <seconds>",
	"    Answer later. Only this connection waits.",
	"HELP",
	"    Print this text.",
}

// debugSubcommands have their number of arguments, DEBUG and their own name
// included; negative is at least that many.
var debugSubcommands = map[string]struct {
	arity int
	run   func(*call)
}{
	"change-repl-id":    {2, debugChangeReplID},
	"digest":            {2, debugDigest},
	"digest-value":      {-2, debugDigestValue},
	"error":             {3, debugError},
	"help":              {2, help(debugHelp)},
	"log":               {3, debugLog},
	"object":            {3, debugObject},
	"protocol":          {3, debugProtocol},
	"set-active-expire": {3, debugSetActiveExpire},
	"sleep":             {3, debugSleep},
}

func runDebug(cl *call) {
	sub, ok := debugSubcommands[strings.ToLower(cl.str(1))]
	if !ok || sub.arity > 0 && len(cl.args) != sub.arity {
		cl.fail(errSubcommandSyntax("debug", cl.str(1)))
		return
	}
	sub.run(cl)
}

func debugChangeReplID(cl *call) {
	cl.server.replicationID.Store(randomHex(20))
	cl.reply.OK()
}

func debugError(cl *call) {
	cl.fail(respError(cl.args[2]))
}

func debugLog(cl *call) {
	cl.server.log.Warn("DEBUG LOG: " + cl.str(2))
	cl.reply.OK()
}

// debugSetActiveExpire leaves expired keys to those who ask for them.
func debugSetActiveExpire(cl *call) {
	n, _ := strconv.Atoi(leadingInt.FindString(cl.str(2)))
	cl.server.keepExpired.Store(n == 0)
	cl.reply.OK()
}

// leadingInt and leadingFloat are what C's atoi and strtod read of a text.
var (
	leadingInt   = regexp.MustCompile(`^\s*[-+]?\d+`)
	leadingFloat = regexp.MustCompile(`^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?`)
)

// debugSleep keeps this connection's client waiting, whose earlier replies
// leave first. Redis as a whole would wait; here others are served.
func debugSleep(cl *call) {
	if cl.exec != nil {
		cl.fail(errSleepInExec)
		return
	}
	seconds, _ := strconv.ParseFloat(strings.TrimSpace(leadingFloat.FindString(cl.str(2))), 64)
	if d := time.Duration(min(max(seconds, 0), 1e9) * float64(time.Second)); d > 0 {
		c := cl.conn
		cl.announce()
		cl.letGo()
		until := time.Now().Add(d)
		c.arm(waitsForTime)
		out := c.await(until)
		c.disarm()
		if out != outcomeTime {
			return
		}
	}
	cl.reply.OK()
}

// withKey runs f with the key's slot locked, on an entry that may be nil. Like
// Redis's, DEBUG looks at what is here and redirects nobody.
func (cl *call) withKey(key []byte, f func(*keyspace.Entry)) {
	cl.withSlot(clusterstate.KeySlot(key), func(s *keyspace.Slot) { f(s.Lookup(key, cl.now, keyspace.Peek)) })
}

// debugObject prints one line in which tools look for a field. There is no
// address to tell, and the serialized length is that of an uncompressed dump.
func debugObject(cl *call) {
	cl.withKey(cl.args[2], func(e *keyspace.Entry) {
		if e == nil {
			cl.fail(errNoSuchKey)
			return
		}
		idle := e.IdleSeconds(cl.now)
		lru := (cl.now/1000 - idle) & (1<<24 - 1)
		cl.reply.Status(fmt.Sprintf("Value at:0x0 refcount:%d encoding:%s serializedlength:%d lru:%d lru_seconds_idle:%d",
			references(e), e.Value().Encoding(), serializedLength(e.Value()), lru, idle))
	})
}

func serializedLength(v keyspace.Value) int {
	s, ok := v.(*keyspace.String)
	if !ok {
		return int(v.Size())
	}
	var scratch [20]byte
	return dump.StringSize(s.Bytes(scratch[:0]))
}

// debugProtocol answers one example of a type, with which client libraries
// test their parsers.
func debugProtocol(cl *call) {
	r := cl.reply
	example := func(n int) {
		for i := range n {
			r.Int(int64(i))
		}
	}
	switch strings.ToLower(cl.str(2)) {
	case "string":
		r.BulkString("Hello World")
	case "integer":
		r.Int(12345)
	case "double":
		r.Double(3.141)
	case "null":
		r.Null()
	case "array":
		r.Array(3)
		example(3)
	case "set":
		r.Set(3)
		example(3)
	case "map":
		r.Map(3)
		for i := range 3 {
			r.Int(int64(i))
			r.Bool(i == 1)
		}
	case "attrib":
		if r.resp3 {
			r.buf = resp3.AppendAttribute(r.buf, 1)
			r.BulkString("key-popularity")
			r.Array(2)
			r.BulkString("key:123")
			r.Int(90)
		}
		r.BulkString("Some real reply following the attribute")
	case "push":
		if !r.resp3 {
			cl.fail(errNotRESP2)
			return
		}
		r.Push(2)
		r.BulkString("server-cpu-usage")
		r.Int(42)
		r.BulkString("Some real reply following the push reply")
	case "verbatim":
		r.Verbatim("txt", "This is a verbatim\nstring")
	case "true":
		r.Bool(true)
	case "false":
		r.Bool(false)
	case "bignum":
		const big = "1234567999999999999999999999999999999"
		if r.resp3 {
			r.buf = resp3.AppendBigNumber(r.buf, big)
		} else {
			r.buf = resp2.AppendBulkString(r.buf, big)
		}
	default:
		cl.fail(errProtocolType)
	}
}
