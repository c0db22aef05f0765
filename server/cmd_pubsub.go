package server

import (
	"slotcast/channels"
)

func pubsubCommands() []command {
	const sub = pubsub | noScript | loading | stale | subscribes | allowedSubscribed
	channel := []keySpec{{flags: keyNotKey, begin: 1, last: -1, step: 1}}
	return []command{
		{name: "subscribe", arity: -2, flags: sub, group: "pubsub", since: "2.0.0", handler: subscribe},
		{name: "unsubscribe", arity: -1, flags: sub, group: "pubsub", since: "2.0.0", handler: unsubscribe},
		{name: "psubscribe", arity: -2, flags: sub, group: "pubsub", since: "2.0.0", handler: psubscribe},
		{name: "punsubscribe", arity: -1, flags: sub, group: "pubsub", since: "2.0.0", handler: punsubscribe},
		{name: "ssubscribe", arity: -2, flags: sub, keys: channel, group: "pubsub", since: "7.0.0", handler: ssubscribe},
		{name: "sunsubscribe", arity: -1, flags: sub, keys: channel, group: "pubsub", since: "7.0.0", handler: sunsubscribe},
		{name: "publish", arity: 3, flags: pubsub | loading | stale | fast | mayReplicate, group: "pubsub", since: "2.0.0", handler: publish},
		{name: "spublish", arity: 3, flags: pubsub | loading | stale | fast | mayReplicate,
			keys: []keySpec{{flags: keyNotKey, begin: 1, step: 1}}, group: "pubsub", since: "7.0.0", handler: spublish},
		{name: "pubsub", arity: -2, group: "pubsub", since: "2.8.0", subcommands: []*command{
			{name: "channels", arity: -2, flags: pubsub | loading | stale, since: "2.8.0", handler: pubsubChannels},
			{name: "help", arity: 2, flags: loading | stale, since: "6.2.0", handler: help(pubsubHelp)},
			{name: "numpat", arity: 2, flags: pubsub | loading | stale, since: "2.8.0", handler: pubsubNumPat},
			{name: "numsub", arity: -2, flags: pubsub | loading | stale, since: "2.8.0", handler: pubsubNumSub},
			{name: "shardchannels", arity: -2, flags: pubsub | loading | stale, since: "7.0.0", handler: pubsubShardChannels},
			{name: "shardnumsub", arity: -2, flags: pubsub | loading | stale, since: "7.0.0", handler: pubsubShardNumSub},
		}},
	}
}

var pubsubHelp = []string{
	"PUBSUB <subcommand> [argument ...], where <subcommand> is one of:",
	"CHANNELS [pattern]",
	"    List the channels that have subscribers, all or those that match the pattern.",
	"NUMPAT",
	"    Count the different patterns subscribed to.",
	"NUMSUB [channel ...]",
	"    Count the subscribers of each channel, patterns left out.",
	"SHARDCHANNELS [pattern]",
	"    List the shard channels that have subscribers.",
	"SHARDNUMSUB [channel ...]",
	"    Count the subscribers of each shard channel.",
	"HELP",
	"    Print this text.",
}

// confirm writes one confirmation: a push in RESP3, where it is not a reply.
func (cl *call) confirm(kind string, name []byte, count int) {
	cl.reply.Push(3)
	cl.reply.BulkString(kind)
	if name == nil {
		cl.reply.Null()
	} else {
		cl.reply.Bulk(name)
	}
	cl.reply.Int(int64(count))
}

// subscribe registers all channels and, if one of them is a snapshot channel,
// takes the snapshot in one hold of the commit lock: the map and the rows that
// follow it join without gap or overlap.
func subscribe(cl *call) {
	c := cl.conn
	names := cl.args[1:]
	reserved := false
	for _, name := range names {
		if !channels.Reserved(name) {
			continue
		}
		reserved = true
		if !channels.Known(string(name)) {
			cl.fail(errUnknownReserved(name))
			return
		}
	}
	if reserved {
		if err := cl.server.familyRefusal(); err != nil {
			cl.fail(err)
			return
		}
	}
	var snapshots []string
	for _, name := range names {
		c.subscribe(string(name), cl.exec)
		cl.confirm("subscribe", name, c.subCount())
		if s := string(name); s == channels.Snapshot || s == channels.SnapshotJSON {
			snapshots = append(snapshots, s)
		}
	}
	cl.joined()
	if cl.exec != nil {
		cl.exec.snapshots = append(cl.exec.snapshots, snapshots...)
		return
	}
	cl.snapshot = c.snapshots(snapshots)
}

// joined ends a command that has subscribed. No message came between the
// registration and the confirmation: the bracket is open.
func (cl *call) joined() {
	cl.conn.refile()
	if cl.exec != nil {
		cl.exec.subscribed = true
	}
}

// left is called by a command that has left something: what was delivered before
// comes before its reply. (An EXEC that has also subscribed leaves it behind,
// since no message may precede its own confirmation.)
func (cl *call) left() {
	if cl.exec == nil || !cl.exec.subscribed {
		cl.conn.outbox.separate()
	}
	cl.conn.refile()
}

// leaving unsubscribes from every name with leave and then confirms: after the
// last confirmation a RESP2 client expects nothing but replies.
func (cl *call) leaving(kind string, names [][]byte, leave func(name string), count func() int) {
	counts := make([]int, len(names))
	for i, name := range names {
		leave(string(name))
		counts[i] = count()
	}
	cl.left()
	for i, name := range names {
		cl.confirm(kind, name, counts[i])
	}
	if len(names) == 0 {
		cl.confirm(kind, nil, count())
	}
}

// snapshots encodes the messages that answer subscriptions to snapshot
// channels. The commit lock is held.
func (c *conn) snapshots(names []string) [][]byte {
	var out [][]byte
	for _, name := range names {
		f := c.replyForm()
		if name == channels.SnapshotJSON {
			f |= channels.JSON
		}
		out = append(out,
			channels.AppendHeader(nil, f, "message", "", name),
			c.server.topology.published().snapshot(f))
	}
	return out
}

func unsubscribe(cl *call) {
	c := cl.conn
	names := cl.args[1:]
	if len(names) == 0 {
		names = byteNames(c.subscriptions.channels.names())
	}
	cl.leaving("unsubscribe", names, c.unsubscribe, c.subCount)
}

func psubscribe(cl *call) {
	c := cl.conn
	for _, pattern := range cl.args[1:] {
		if channels.MatchesFamily(string(pattern)) {
			if err := cl.server.familyRefusal(); err != nil {
				cl.fail(err)
				return
			}
		}
	}
	for _, pattern := range cl.args[1:] {
		c.psubscribe(string(pattern), cl.exec)
		cl.confirm("psubscribe", pattern, c.subCount())
	}
	cl.joined()
}

func punsubscribe(cl *call) {
	c := cl.conn
	patterns := cl.args[1:]
	if len(patterns) == 0 {
		patterns = byteNames(c.subscriptions.patterns.names())
	}
	cl.leaving("punsubscribe", patterns, c.punsubscribe, c.subCount)
}

func ssubscribe(cl *call) {
	c := cl.conn
	if cl.exec != nil {
		cl.fail(errSubscribeShardInExec)
		return
	}
	for _, name := range cl.args[1:] {
		if channels.Reserved(name) {
			cl.fail(errNotShardChannel(name))
			return
		}
	}
	for _, name := range cl.args[1:] {
		c.ssubscribe(string(name))
		cl.confirm("ssubscribe", name, c.shardCount())
	}
	cl.joined()
}

func sunsubscribe(cl *call) {
	c := cl.conn
	names := cl.args[1:]
	if len(names) == 0 {
		names = byteNames(c.shardNames())
	}
	cl.leaving("sunsubscribe", names, c.sunsubscribe, c.shardCount)
}

func byteNames(names []string) [][]byte {
	out := make([][]byte, len(names))
	for i, s := range names {
		out[i] = []byte(s)
	}
	return out
}

// publish delivers to this node's subscribers, whom alone it counts, and has
// the other nodes tell theirs. Nobody but the node itself
// speaks on a reserved channel.
func publish(cl *call) {
	if channels.Reserved(cl.args[1]) {
		cl.fail(errReserved(cl.args[1]))
		return
	}
	n := cl.publish(cl.args[2], func() int { return cl.server.channels.Publish(cl.args[1], cl.args[2]) })
	cl.tellPeers(false)
	cl.reply.Int(int64(n))
}

func spublish(cl *call) {
	if channels.Reserved(cl.args[1]) {
		cl.fail(errReserved(cl.args[1]))
		return
	}
	n := cl.publish(cl.args[2], func() int { return cl.server.channels.PublishShard(cl.args[1], cl.args[2]) })
	cl.tellPeers(true)
	cl.reply.Int(int64(n))
}

func pubsubChannels(cl *call)      { cl.listNames(cl.server.channels.Channels) }
func pubsubShardChannels(cl *call) { cl.listNames(cl.server.channels.ShardChannels) }

func (cl *call) listNames(list func(pattern []byte) []string) {
	switch len(cl.args) {
	case 2:
		cl.reply.Strings(list(nil))
	case 3:
		cl.reply.Strings(list(cl.args[2]))
	default:
		cl.fail(errSubcommandSyntax(cl.cmd.parent.name, cl.str(1)))
	}
}

func pubsubNumPat(cl *call)      { cl.reply.Int(int64(cl.server.channels.Patterns())) }
func pubsubNumSub(cl *call)      { cl.countNames(cl.server.channels.Subscribers) }
func pubsubShardNumSub(cl *call) { cl.countNames(cl.server.channels.ShardSubscribers) }

func (cl *call) countNames(count func(string) int) {
	names := cl.args[2:]
	cl.reply.Array(2 * len(names))
	for _, name := range names {
		cl.reply.Bulk(name)
		cl.reply.Int(int64(count(string(name))))
	}
}
