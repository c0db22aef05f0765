package server

import "slotcast/quirks"

func clientCommands() []command {
	const f = noScript | loading | stale
	const adm = admin | f
	sub := func(name string, arity int, f flags, since string, handler func(*call), tips ...string) *command {
		return &command{name: name, arity: arity, flags: f | keepsCaching, categories: catConnection, since: since, handler: handler, tips: tips}
	}
	const varies = "nondeterministic_output"
	return []command{{name: "client", arity: -2, group: "connection", since: "2.4.0", subcommands: []*command{
		sub("caching", 3, f, "6.0.0", clientCaching),
		sub("getname", 2, f, "2.6.9", clientGetName),
		sub("getredir", 2, f, "6.0.0", clientGetRedir),
		sub("help", 2, loading|stale, "5.0.0", help(clientHelp)),
		sub("id", 2, f, "5.0.0", clientID),
		sub("info", 2, f, "6.2.0", clientInfo, varies),
		sub("kill", -3, adm, "2.4.0", clientKill),
		sub("list", -2, adm, "2.4.0", clientList, varies),
		sub("maint_notifications", -3, f|subscribes, ownSince, clientMaintNotifications),
		sub("no-evict", 3, adm, "7.0.0", clientNoEvict),
		sub("no-touch", 3, f, "7.2.0", clientNoTouch),
		sub("pause", -3, adm, "2.9.50", clientPause),
		sub("reply", 3, f, "3.2.0", clientReply),
		sub("setinfo", 4, f, "7.2.0", clientSetInfo),
		sub("setname", 3, f, "2.6.9", clientSetName),
		sub("tracking", -3, f|tracks, "6.0.0", clientTracking),
		sub("trackinginfo", 2, f, "6.2.0", clientTrackingInfo),
		sub("unblock", -3, adm, "5.0.0", clientUnblock),
		sub("unpause", 2, adm, "6.2.0", clientUnpause),
	}}}
}

var clientHelp = []string{
	"CLIENT <subcommand> [argument ...], where <subcommand> is one of:",
	"CACHING (YES|NO)",
	"    Track the keys of the next command, or not, where tracking asks each time.",
	"GETNAME",
	"    Print the name that this connection was given.",
	"GETREDIR",
	"    Print the connection that gets this one's invalidations, -1 without tracking.",
	"ID",
	"    Print the number of this connection.",
	"INFO",
	"    Describe this connection in one line.",
	"KILL <ip:port>",
	"    End the connection that comes from an address, this one included.",
	"KILL <filter> <value> [<filter> <value> ...]",
	"    End the connections that pass every filter and count them. Filters are:",
	"    ID <client-id>, TYPE (NORMAL|MASTER|REPLICA|PUBSUB), USER <name>,",
	"    ADDR <ip:port> for their end, LADDR <ip:port> for the server's end,",
	"    SKIPME (YES|NO): whether to spare this connection, YES if not given.",
	"LIST [TYPE (NORMAL|MASTER|REPLICA|PUBSUB)] [ID <client-id> [client-id ...]]",
	"    Describe connections, one in each line: all, those of a type, or those named.",
	"MAINT_NOTIFICATIONS (ON [MOVING-ENDPOINT-TYPE <type>]|OFF)",
	"    Push SMIGRATED to this RESP3 connection when slots move to another primary.",
	"NO-EVICT (ON|OFF)",
	"    Keep this connection when clients are ended to save memory.",
	"NO-TOUCH (ON|OFF)",
	"    Leave the time of a key's last access as it is when this connection reads it.",
	"PAUSE <milliseconds> [WRITE|ALL]",
	"    Let the commands of all clients wait, or only those that may write.",
	"REPLY (ON|OFF|SKIP)",
	"    Send replies to this connection, send none, or leave out the next one.",
	"SETINFO (LIB-NAME|LIB-VER) <text>",
	"    Tell which client library this connection belongs to.",
	"SETNAME <name>",
	"    Give this connection a name; an empty one takes it away.",
	"TRACKING (ON|OFF) [REDIRECT <client-id>] [BCAST] [PREFIX <prefix> ...] [OPTIN] [OPTOUT] [NOLOOP]",
	"    Tell this connection when keys change that it has read, or another one with",
	"    REDIRECT. BCAST: of all keys, or those that begin with a prefix, read or not.",
	"    OPTIN, OPTOUT: as CACHING says. NOLOOP: not of its own changes.",
	"TRACKINGINFO",
	"    Print how tracking is set for this connection.",
	"UNBLOCK <client-id> [TIMEOUT|ERROR]",
	"    End another connection's wait as if its time were over, or with an error.",
	"UNPAUSE",
	"    End the pause of clients.",
	"HELP",
	"    Print this text.",
}

func clientID(cl *call) { cl.reply.Int(cl.conn.id) }

func clientGetName(cl *call) {
	if name := cl.conn.identity.Load().name; name != "" {
		cl.reply.BulkString(name)
	} else {
		cl.reply.Null()
	}
}

// printable reports whether every byte is a visible ASCII character: what a
// client calls itself stands between spaces in CLIENT LIST.
func printable(b []byte) bool {
	for _, c := range b {
		if c < '!' || c > '~' {
			return false
		}
	}
	return true
}

// rename changes what the client calls itself, and with it the form in which it
// may want messages.
func (c *conn) rename(change func(*identity)) {
	c.alter(func(id *identity) {
		change(id)
		id.readsText = quirks.ReadsText(id.client())
	})
	c.refile()
}

// client is what the client has said of itself.
func (id *identity) client() quirks.Client {
	return quirks.Client{LibName: id.libName, LibVersion: id.libVersion, Name: id.name}
}

func clientSetName(cl *call) {
	if !printable(cl.args[2]) {
		cl.fail(errClientName)
		return
	}
	cl.conn.rename(func(id *identity) { id.name = cl.str(2) })
	cl.reply.OK()
}

func clientSetInfo(cl *call) {
	var change func(*identity)
	switch {
	case is(cl.args[2], "lib-name"):
		change = func(id *identity) { id.libName = cl.str(3) }
	case is(cl.args[2], "lib-ver"):
		change = func(id *identity) { id.libVersion = cl.str(3) }
	default:
		cl.fail(errClientInfoOption(cl.args[2]))
		return
	}
	if !printable(cl.args[3]) {
		cl.fail(errClientInfoText(cl.args[2]))
		return
	}
	cl.conn.rename(change)
	cl.reply.OK()
}

func clientInfo(cl *call) {
	cl.reply.Verbatim("txt", string(append(cl.conn.appendInfo(nil, cl), '\n')))
}

func clientList(cl *call) {
	var text []byte
	add := func(c *conn) { text = append(c.appendInfo(text, cl), '\n') }
	switch {
	case len(cl.args) == 2:
		for _, c := range cl.server.conns.listed() {
			add(c)
		}
	case len(cl.args) == 4 && is(cl.args[2], "type"):
		kind, ok := clientTypeNamed(cl.args[3])
		if !ok {
			cl.fail(errClientType(cl.args[3]))
			return
		}
		for _, c := range cl.server.conns.listed() {
			if c.clientType() == kind {
				add(c)
			}
		}
	case len(cl.args) > 3 && is(cl.args[2], "id"):
		for _, arg := range cl.args[3:] {
			id, ok := parseInt(arg)
			if !ok {
				cl.fail(errClientID)
				return
			}
			if c := cl.server.conns.get(id); c != nil && c.listed() {
				add(c)
			}
		}
	default:
		cl.fail(errSyntax)
		return
	}
	cl.reply.Verbatim("txt", string(text))
}
