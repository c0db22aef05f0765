package server

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	changes     = "nondeterministic_output"
	onAllShards = "request_policy:all_shards"
	onAllNodes  = "request_policy:all_nodes"
	special     = "response_policy:special"
	allSucceed  = "response_policy:all_succeeded"
)

func serverCommands() []command {
	const refusedFlags = admin | noScript | noAsyncLoading
	refused := func(name string, arity int, f flags, since string, err respError) command {
		return command{name: name, arity: arity, flags: f, group: "server", since: since, handler: refuse(err)}
	}
	list := []command{
		{name: "time", arity: 1, flags: loading | stale | fast, group: "server", since: "2.6.0", handler: tellTime, tips: []string{changes}},
		{name: "lolwut", arity: -1, flags: readonly | fast, group: "server", since: "5.0.0", handler: lolwut},
		{name: "shutdown", arity: -1, flags: admin | noScript | loading | stale | noMulti | allowBusy | waits, group: "server", since: "1.0.0", handler: shutdown},
		{name: "role", arity: 1, flags: noScript | loading | stale | fast, categories: catAdmin | catDangerous, group: "server", since: "2.8.12", handler: role},
		{name: "lastsave", arity: 1, flags: loading | stale | fast, categories: catAdmin | catDangerous, group: "server", since: "1.0.0",
			handler: lastSave, tips: []string{changes}},
		refused("save", 1, refusedFlags|noMulti, "1.0.0", errNothingSaved),
		refused("bgsave", -1, refusedFlags, "1.0.0", errNothingSaved),
		refused("bgrewriteaof", 1, refusedFlags, "1.0.0", errNothingSaved),
		refused("swapdb", 3, write|fast, "4.0.0", errSwapDB),
		refused("replicaof", 3, admin|noScript|stale|noAsyncLoading, "5.0.0", errReplicaOf),
		refused("slaveof", 3, admin|noScript|stale|noAsyncLoading, "1.0.0", errReplicaOf),
		refused("failover", -1, admin|noScript|stale, "6.2.0", errFailover),
		refused("sync", 1, refusedFlags|noMulti, "1.0.0", errNoReplication),
		refused("psync", -3, refusedFlags|noMulti, "2.8.0", errNoReplication),
		refused("replconf", -1, admin|noScript|loading|stale|allowBusy, "3.0.0", errNoReplication),
		{name: "module", arity: -2, group: "server", since: "4.0.0", subcommands: []*command{
			{name: "help", arity: 2, flags: loading | stale, since: "5.0.0", handler: help(moduleHelp)},
			{name: "list", arity: 2, flags: admin | noScript, since: "4.0.0", handler: moduleList, tips: []string{"nondeterministic_output_order"}},
		}},
	}
	for i := range list {
		if list[i].name == "swapdb" {
			list[i].categories = catKeyspace | catDangerous
		}
	}
	return append(append(append(list, aclCommands()...), diagnosticCommands()...), debugCommands()...)
}

func (s *Server) debugAllowed(c *conn) bool {
	return s.config.Values().DebugCommand.Permits(c.socket.local())
}

func tellTime(cl *call) {
	now := time.Now()
	cl.reply.Array(2)
	cl.reply.BulkString(strconv.FormatInt(now.Unix(), 10))
	cl.reply.BulkString(strconv.Itoa(now.Nanosecond() / 1000))
}

// role tells a primary that has no replicas.
func role(cl *call) {
	cl.reply.Array(3)
	cl.reply.BulkString("master")
	cl.reply.Int(0)
	cl.reply.Array(0)
}

// lastSave answers as a Redis that has not saved since its start.
func lastSave(cl *call) { cl.reply.Int(cl.server.started.Unix()) }

var moduleHelp = []string{
	"MODULE <subcommand>, where <subcommand> is one of:",
	"LIST",
	"    List the loaded modules, of which there are none.",
	"HELP",
	"    Print this text.",
}

func moduleList(cl *call) { cl.reply.Array(0) }

// lolwut draws the map: a square for 256 slots each, full where this node owns
// all of them, hatched where another node has a part.
func lolwut(cl *call) {
	if len(cl.args) > 1 && is(cl.args[1], "version") {
		for _, a := range cl.args[min(2, len(cl.args)):] {
			if _, ok := parseInt(a); !ok {
				cl.fail(errNotInteger)
				return
			}
		}
	}
	v := cl.server.topology.current()
	var b strings.Builder
	for cell := range 64 {
		mine, others := 0, 0
		for slot := cell * 256; slot < (cell+1)*256; slot++ {
			switch v.Owner(uint16(slot)) {
			case nil:
			case v.Myself():
				mine++
			default:
				others++
			}
		}
		switch {
		case mine == 256:
			b.WriteString("█")
		case others == 256:
			b.WriteString("▒")
		case mine+others > 0:
			b.WriteString("▞")
		default:
			b.WriteString("·")
		}
		if cell%16 == 15 {
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, "\nslotcast ver. %s\nRedis ver. %s\n", cl.server.version, RedisVersion)
	cl.reply.Verbatim("txt", b.String())
}

// shutdown ends the process. There is nobody to answer then: the client sees
// its connection end, as with Redis.
func shutdown(cl *call) {
	var req ShutdownRequest
	save, noSave, abort := false, false, false
	for _, a := range cl.args[1:] {
		switch {
		case is(a, "save"):
			save = true
		case is(a, "nosave"):
			noSave = true
		case is(a, "now"):
			req.Now = true
		case is(a, "force"):
			req.Force = true
		case is(a, "abort"):
			abort = true
		default:
			cl.fail(errSyntax)
			return
		}
	}
	switch {
	case save && noSave, abort && len(cl.args) > 2:
		cl.fail(errSyntax)
	case abort:
		cl.fail(errNoShutdown)
	case save && !req.Force:
		cl.server.log.Warn("SHUTDOWN SAVE refused: keys live in memory alone")
		cl.fail(errShutdownFailed)
	default:
		select {
		case cl.server.shutdown <- req:
		default: // one is on its way
		}
		cl.conn.closeAfter = true
	}
}
