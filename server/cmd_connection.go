package server

import (
	"crypto/sha256"
	"crypto/subtle"

	"slotcast/keyspace"
)

func connectionCommands() []command {
	const early = noScript | loading | stale | fast | noAuth | allowBusy
	return []command{
		{name: "auth", arity: -2, flags: early, categories: catConnection, group: "connection", since: "1.0.0", handler: auth},
		{name: "echo", arity: 2, flags: loading | stale | fast, categories: catConnection, group: "connection", since: "1.0.0", handler: echo},
		{name: "hello", arity: -1, flags: early, categories: catConnection, group: "connection", since: "6.0.0", handler: hello},
		{name: "ping", arity: -1, flags: fast | allowedSubscribed, categories: catConnection, group: "connection", since: "1.0.0",
			tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"}, handler: ping},
		{name: "quit", arity: -1, flags: early | allowedSubscribed | notQueued, categories: catConnection, group: "connection", since: "1.0.0", handler: quit},
		{name: "reset", arity: 1, flags: early | allowedSubscribed | notQueued, categories: catConnection, group: "connection", since: "6.2.0", handler: reset},
		{name: "select", arity: 2, flags: loading | stale | fast, categories: catConnection, group: "connection", since: "1.0.0", handler: selectDB},
	}
}

func ping(cl *call) {
	switch {
	case len(cl.args) > 2:
		cl.fail(errArity(cl.cmd.fullName))
	case cl.conn.inSubscriberMode():
		cl.reply.Array(2)
		cl.reply.BulkString("pong")
		if len(cl.args) == 2 {
			cl.reply.Bulk(cl.args[1])
		} else {
			cl.reply.BulkString("")
		}
	case len(cl.args) == 2:
		cl.reply.Bulk(cl.args[1])
	default:
		cl.reply.Status("PONG")
	}
}

func echo(cl *call) { cl.reply.Bulk(cl.args[1]) }

func quit(cl *call) {
	cl.conn.closeAfter = true
	cl.reply.OK()
}

// selectDB knows one database, as every node of a cluster.
func selectDB(cl *call) {
	switch n, ok := parseInt(cl.args[1]); {
	case !ok:
		cl.fail(errNotInteger)
	case n != 0:
		cl.fail(errSelectCluster)
	default:
		cl.reply.OK()
	}
}

// defaultUser is the one user there is.
const defaultUser = "default"

func auth(cl *call) {
	if len(cl.args) > 3 {
		cl.fail(errSyntax)
		return
	}
	user, password := []byte(defaultUser), cl.args[1]
	cl.redact(1)
	switch {
	case len(cl.args) == 3:
		user, password = cl.args[1], cl.args[2]
		cl.redact(2)
	case cl.server.config.Values().RequirePass == "":
		cl.fail(errNoPassword)
		return
	}
	if !cl.conn.authenticate(user, password) {
		cl.fail(errWrongPass)
		return
	}
	cl.reply.OK()
}

// authenticate checks a password, and lets the connection in if it is right.
// One that was let in before stays so.
func (c *conn) authenticate(user, password []byte) bool {
	if string(user) != defaultUser {
		return false
	}
	if required := c.server.config.Values().RequirePass; required != "" {
		// Digests have one length, so the time taken tells nothing of the
		// password's.
		want, got := sha256.Sum256([]byte(required)), sha256.Sum256(password)
		if subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
			return false
		}
	}
	c.setAuthenticated(true)
	return true
}

func (c *conn) setAuthenticated(yes bool) {
	c.authenticated = yes
	c.alter(func(id *identity) { id.authenticated = yes })
}

// helloOptions are the arguments of HELLO.
type helloOptions struct {
	version int64 // zero when not given
	setName bool
	name    []byte
}

// helloOptions reads the arguments, and authenticates on its way: an error
// after AUTH comes second, and a password that was right stays given.
func (cl *call) helloOptions() (o helloOptions, err error) {
	args := cl.args
	if len(args) > 1 {
		n, ok := parseInt(args[1])
		switch {
		case !ok:
			return o, errProtocolInteger
		case n < 2 || n > 3:
			return o, errProtocolVersion
		}
		o.version = n
	}
	for i := 2; i < len(args); {
		left := len(args) - i - 1
		switch {
		case is(args[i], "auth") && left >= 2:
			cl.redact(i + 1)
			cl.redact(i + 2)
			if !cl.conn.authenticate(args[i+1], args[i+2]) {
				return o, errWrongPass
			}
			i += 3
		case is(args[i], "setname") && left >= 1:
			o.setName, o.name = true, args[i+1]
			i += 2
		default:
			return o, errHelloOption(args[i])
		}
	}
	return o, nil
}

// hello changes the protocol. Whatever was queued before keeps the old form,
// the reply and all that follows have the new one.
func hello(cl *call) {
	c := cl.conn
	o, err := cl.helloOptions()
	switch {
	case err != nil:
	case !c.authenticated:
		err = errHelloNoAuth
	case o.setName && !printable(o.name):
		err = errClientName
	}
	if err != nil {
		cl.fail(err)
		return
	}
	if o.setName {
		c.rename(func(id *identity) { id.name = string(o.name) })
	}
	switch o.version {
	case 2:
		c.leaveBare()
		c.wantMoves(false)
		c.setProtocol(false)
	case 3:
		c.setProtocol(true)
	}
	r := cl.reply
	r.Map(7)
	r.BulkString("server")
	r.BulkString("redis")
	r.BulkString("version")
	r.BulkString(RedisVersion)
	r.BulkString("proto")
	r.Int(int64(c.protocol()))
	r.BulkString("id")
	r.Int(c.id)
	r.BulkString("mode")
	r.BulkString("cluster")
	r.BulkString("role")
	r.BulkString("master")
	r.BulkString("modules")
	r.Array(0)
}

func (c *conn) protocol() int {
	if c.resp3 {
		return 3
	}
	return 2
}

// setProtocol changes the form of this command's reply. When the reply leaves,
// messages of others follow.
func (c *conn) setProtocol(resp3 bool) { c.resp3, c.reply.resp3 = resp3, resp3 }

// adoptProtocol makes the protocol of the replies that of everything else.
func (c *conn) adoptProtocol() {
	c.alter(func(id *identity) { id.resp3 = c.resp3 })
}

// RedisVersion is the release of Redis whose commands are there.
const RedisVersion = "7.2.4"

// reset makes the connection as new, but for its id, for the library that it
// named itself as, and for NO-EVICT. What others sent it before leaves before
// the reply.
func reset(cl *call) {
	c := cl.conn
	c.stopMonitoring()
	c.dropTransaction(keyspace.TakeLocks)
	c.leaveAll()
	cl.server.caches.disable(c)
	c.outbox.separate()
	c.asking, c.readonly = false, false
	if c.replyMode != replySkip {
		c.replyMode = replyOn
	}
	c.authenticated = cl.server.config.Values().RequirePass == ""
	c.rename(func(id *identity) {
		*id = identity{resp3: id.resp3, libName: id.libName, libVersion: id.libVersion, noEvict: id.noEvict, authenticated: c.authenticated}
	})
	c.setProtocol(false)
	cl.reply.Status("RESET")
}
