package server

import (
	"fmt"
	"strconv"
	"syscall"

	"slotcast/config"
	"slotcast/gossip"
)

func configCommands() []command {
	const f = admin | noScript | loading | stale
	return []command{
		{name: "config", arity: -2, group: "server", since: "2.0.0", subcommands: []*command{
			{name: "get", arity: -3, flags: f, since: "2.0.0", handler: configGet},
			{name: "help", arity: 2, flags: loading | stale, since: "5.0.0", handler: help(configHelp)},
			{name: "resetstat", arity: 2, flags: f, since: "2.0.0", handler: configResetStat},
			{name: "rewrite", arity: 2, flags: f | waits, since: "2.8.0", handler: configRewrite},
			{name: "set", arity: -4, flags: f | onOwner, since: "2.0.0", handler: configSet,
				tips: []string{"request_policy:all_nodes", "response_policy:all_succeeded"}},
		}},
	}
}

var configHelp = []string{
	"CONFIG <subcommand> [argument ...], where <subcommand> is one of:",
	"GET <pattern> [pattern ...]",
	"    Print the directives whose names match one of the patterns.",
	"SET <directive> <value> [directive value ...]",
	"    Change directives, all of them or none.",
	"RESETSTAT",
	"    Set the counters of INFO to zero.",
	"REWRITE",
	"    Write what is in force to the configuration file.",
	"HELP",
	"    Print this text.",
}

func configGet(cl *call) {
	patterns := make([]string, 0, len(cl.args)-2)
	for _, p := range cl.args[2:] {
		patterns = append(patterns, string(p))
	}
	found := cl.server.config.Get(patterns...)
	cl.reply.Map(len(found))
	for _, pair := range found {
		cl.reply.BulkString(pair[0])
		cl.reply.BulkString(pair[1])
	}
}

// configSet changes directives on the owner, since some of them alter rows and
// redirects: those go through the state machine like any other cause.
func configSet(cl *call) {
	if len(cl.args)%2 != 0 {
		cl.fail(errSyntax)
		return
	}
	s := cl.server
	var pairs [][2]string
	for i := 2; i < len(cl.args); i += 2 {
		pairs = append(pairs, [2]string{cl.str(i), cl.str(i + 1)})
	}
	for i, pair := range pairs {
		if config.Sensitive(pair[0]) {
			cl.redact(2*i + 3)
		}
	}
	ch, err := s.config.Prepare(pairs, s.config.Values().ProtectedAllow.Permits(cl.conn.socket.local()))
	if err == nil {
		err = cl.applyChange(ch)
	}
	if err != nil {
		cl.fail(respError(err.Error()))
		return
	}
	cl.reply.OK()
}

// applyChange gives a change its effects and puts it in force. What can fail
// comes first, so that a change happens whole or not at all.
func (cl *call) applyChange(ch *config.Change) error {
	s, v := cl.server, ch.New
	if ch.Changed("maxclients") {
		if most := mostClients(); v.MaxClients > most {
			return config.SetFailed("maxclients", errTooManyClients(most))
		}
	}
	var settle func()
	if ch.Changed("port") || ch.Changed("bind") {
		done, err := s.rebind(v)
		if err != nil {
			s.log.Warn("cannot listen as CONFIG SET asks", "error", err)
			if ch.Changed("bind") {
				return config.SetFailed("bind", "Failed to bind to specified addresses.")
			}
			return config.SetFailed("port", "Unable to listen on this port. Check server logs.")
		}
		settle = done
	}
	if cfg := gossipConfig(v); cfg != gossipConfig(ch.Old) {
		if _, err := cl.step(gossip.Configure{Config: cfg}, cl.slotsHeld()); err != nil {
			return err
		}
	}
	if ip := concreteBind(v); ip != "" && ip != concreteBind(ch.Old) {
		if _, err := cl.step(gossip.LearnAddress{IP: ip}, cl.slotsHeld()); err != nil {
			return err
		}
	}
	s.commitConfig(cl.conn, ch)
	if settle != nil {
		settle()
	}
	for _, w := range ch.Warnings {
		s.log.Warn(w.String())
	}
	return nil
}

// slotsHeld are the slot locks that a command without keys holds: in an EXEC
// on the owner all of them.
func (cl *call) slotsHeld() slotLocks {
	return slotLocks{all: cl.exec != nil, slot: -1}
}

// commitConfig puts a change in force. The commit lock is held from before the
// new values can be seen until every connection is filed by them, so that no
// row is queued meanwhile, and so that a subscription, which looks at
// cluster-slots-push under the same lock, is either refused or closed.
func (s *Server) commitConfig(cause *conn, ch *config.Change) {
	s.topology.mu.Lock()
	defer s.topology.mu.Unlock()
	ch.Commit()
	v := ch.New
	s.applyNotify(v)
	if ch.Changed("cluster-slots-payload") {
		for _, c := range s.conns.all() {
			c.refile()
		}
	}
	if ch.Changed("cluster-slots-push") && !v.SlotsPush {
		s.family.closeAll(cause, "cluster-slots-push was turned off")
	}
}

// reservedFiles are the descriptors that are not for clients: listeners, logs,
// the cluster file and its bus.
const reservedFiles = 32

// mostClients is how many clients the limit of open files allows.
func mostClients() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1 << 30
	}
	return int(min(limit.Max, 1<<30)) - reservedFiles
}

// fitClients lowers maxclients to what the limit of open files allows. Clients
// must not be able to take the descriptors with which the cluster file is saved.
func (s *Server) fitClients() error {
	asked, most := s.config.Values().MaxClients, mostClients()
	if asked <= most {
		return nil
	}
	if most < 1 {
		return fmt.Errorf("the limit of open files must be above %d", reservedFiles)
	}
	ch, err := s.config.Prepare([][2]string{{"maxclients", strconv.Itoa(most)}}, true)
	if err != nil {
		return fmt.Errorf("maxclients: %w", err)
	}
	ch.Commit()
	s.log.Warn("maxclients is lowered to what the limit of open files allows", "asked", asked, "maxclients", most)
	return nil
}

// configRewrite writes the configuration file. It waits for the disk, which
// nothing may do that holds slots locked, as an EXEC does.
func configRewrite(cl *call) {
	if cl.exec != nil {
		cl.fail(errRewriteInExec)
		return
	}
	if err := cl.server.config.Rewrite(); err != nil {
		cl.fail(respError(err.Error()))
		return
	}
	cl.reply.OK()
}

func configResetStat(cl *call) {
	s := cl.server
	s.stats.reset()
	s.keys.ResetStats()
	for _, cmd := range s.commands.all {
		cmd.stats.reset()
		for _, sub := range cmd.subcommands {
			sub.stats.reset()
		}
	}
	cl.reply.OK()
}
