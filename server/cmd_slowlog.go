package server

var slowlogHelp = []string{
	"SLOWLOG <subcommand> [argument ...], where <subcommand> is one of:",
	"GET [count]",
	"    List the latest slow commands, ten of them or as many as told; -1 lists all.",
	"    Each has a number, when it began, microseconds, arguments, address and name.",
	"LEN",
	"    Count the commands in the log.",
	"RESET",
	"    Empty the log.",
	"HELP",
	"    Print this text.",
}

// slowlogDefault is how many entries GET lists unless told otherwise.
const slowlogDefault = 10

func slowlogGet(cl *call) {
	count := int64(slowlogDefault)
	switch {
	case len(cl.args) > 3:
		cl.fail(errSubcommandSyntax("slowlog", cl.str(1)))
		return
	case len(cl.args) == 3:
		n, ok := parseInt(cl.args[2])
		if !ok || n < -1 {
			cl.fail(errSlowlogCount)
			return
		}
		count = n
	}
	entries := cl.server.slowlog.latest(count)
	cl.reply.Array(len(entries))
	for _, e := range entries {
		cl.reply.Array(6)
		cl.reply.Int(e.id)
		cl.reply.Int(e.at.Unix())
		cl.reply.Int(e.took.Microseconds())
		cl.reply.Array(len(e.args))
		for _, a := range e.args {
			cl.reply.Bulk(a)
		}
		cl.reply.BulkString(e.addr)
		cl.reply.BulkString(e.name)
	}
}

func slowlogLen(cl *call) { cl.reply.Int(int64(cl.server.slowlog.len())) }

func slowlogReset(cl *call) {
	cl.server.slowlog.reset()
	cl.reply.OK()
}
