package server

func connectionCommands() []command {
	return []command{
		{name: "ping", arity: -1, flags: fast | allowedSubscribed, categories: catConnection, group: "connection", since: "1.0.0", handler: ping,
			tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"}},
		{name: "hello", arity: -1, flags: noScript | loading | stale | fast | noAuth | allowBusy, categories: catConnection, group: "connection", since: "6.0.0", handler: hello},
		{name: "quit", arity: -1, flags: noScript | loading | stale | fast | noAuth | allowBusy | allowedSubscribed | notQueued, categories: catConnection, group: "connection", since: "1.0.0", handler: quit},
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

func quit(cl *call) {
	cl.conn.closeAfter = true
	cl.reply.OK()
}

// hello changes the protocol. Whatever was queued before keeps the old form,
// the reply and all that follows have the new one.
func hello(cl *call) {
	c := cl.conn
	if len(cl.args) > 1 {
		n, ok := parseInt(cl.args[1])
		if !ok || n < 2 || n > 3 {
			cl.fail(errProtocolVersion)
			return
		}
		c.setProtocol(n == 3)
	}
	cl.reply.Map(7)
	cl.reply.BulkString("server")
	cl.reply.BulkString("redis")
	cl.reply.BulkString("version")
	cl.reply.BulkString(RedisVersion)
	cl.reply.BulkString("proto")
	if c.reply.resp3 {
		cl.reply.Int(3)
	} else {
		cl.reply.Int(2)
	}
	cl.reply.BulkString("id")
	cl.reply.Int(c.id)
	cl.reply.BulkString("mode")
	cl.reply.BulkString("cluster")
	cl.reply.BulkString("role")
	cl.reply.BulkString("master")
	cl.reply.BulkString("modules")
	cl.reply.Array(0)
}

// setProtocol changes the form of this command's reply. When the reply leaves,
// messages of others follow.
func (c *conn) setProtocol(resp3 bool) { c.reply.resp3 = resp3 }

// adoptProtocol makes the protocol of the replies that of everything else.
func (c *conn) adoptProtocol() {
	c.alter(func(id *identity) { id.resp3 = c.reply.resp3 })
}

// RedisVersion is the release of Redis whose commands are there.
const RedisVersion = "7.2.4"
