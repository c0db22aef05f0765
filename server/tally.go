package server

import "time"

// tally is what a connection has to add to the counters of a command, which
// all connections share: pipelined commands are counted together.
type tally struct {
	cmd                  *command
	calls, nanos, failed int64
}

// count notes one call. A command that shows counters finds those of all
// before it: it is another command than they, so they are settled by now.
func (c *conn) count(cmd *command, took time.Duration, failed bool) {
	t := &c.work.tally
	if t.cmd != cmd {
		c.settle()
		t.cmd = cmd
	}
	t.calls++
	t.nanos += int64(took)
	if failed {
		t.failed++
	}
}

// settle adds up what was counted. It is called when the command changes and
// at the end of each batch.
func (c *conn) settle() {
	t := &c.work.tally
	if t.calls == 0 {
		return
	}
	t.cmd.stats.add(t.calls, t.nanos, t.failed)
	c.server.stats.commands.Add(t.calls)
	*t = tally{}
}
