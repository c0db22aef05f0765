package server

import "time"

// clientReply changes which replies are sent. The switch to silence is silent
// itself.
func clientReply(cl *call) {
	c := cl.conn
	switch arg := cl.args[2]; {
	case is(arg, "on"):
		c.setReply(replyOn)
		cl.reply.OK()
	case is(arg, "off"):
		c.setReply(replyOff)
	case is(arg, "skip"):
		if c.replyMode != replyOff {
			c.replyMode = replySkipNext
		}
	default:
		cl.fail(errSyntax)
	}
}

func (c *conn) setReply(m replyMode) {
	c.replyMode = m
	c.alter(func(id *identity) { id.replyOff = m == replyOff })
}

// onOff reads an argument that is either, and answers when it is neither.
func (cl *call) onOff(arg []byte) (on, ok bool) {
	switch {
	case is(arg, "on"):
		return true, true
	case is(arg, "off"):
		return false, true
	}
	cl.fail(errSyntax)
	return false, false
}

// clientNoEvict keeps a mark that CLIENT LIST shows. No client is ended here to
// save memory, so nothing else depends on it.
func clientNoEvict(cl *call) {
	if on, ok := cl.onOff(cl.args[2]); ok {
		cl.conn.alter(func(id *identity) { id.noEvict = on })
		cl.reply.OK()
	}
}

func clientNoTouch(cl *call) {
	if on, ok := cl.onOff(cl.args[2]); ok {
		cl.conn.alter(func(id *identity) { id.noTouch = on })
		cl.reply.OK()
	}
}

func clientPause(cl *call) {
	if len(cl.args) > 4 {
		cl.fail(errSubcommandSyntax(cl.cmd.parent.name, cl.str(1)))
		return
	}
	writes := false
	if len(cl.args) == 4 {
		switch {
		case is(cl.args[3], "write"):
			writes = true
		case !is(cl.args[3], "all"):
			cl.fail(errPauseMode)
			return
		}
	}
	length, err := parseMillis(cl.args[2])
	if err != nil {
		cl.fail(err)
		return
	}
	now := time.Now()
	cl.server.pause.set(now, now.Add(length), writes)
	cl.reply.OK()
}

func clientUnpause(cl *call) {
	cl.server.pause.clear()
	cl.reply.OK()
}

// clientUnblock ends the wait of another connection. One that CLIENT PAUSE
// holds is not waiting for anything that could be cut short.
func clientUnblock(cl *call) {
	out := outcomeTime
	switch {
	case len(cl.args) > 4:
		cl.fail(errSubcommandSyntax(cl.cmd.parent.name, cl.str(1)))
		return
	case len(cl.args) == 4 && is(cl.args[3], "error"):
		out = outcomeError
	case len(cl.args) == 4 && !is(cl.args[3], "timeout"):
		cl.fail(errUnblockReason)
		return
	}
	id, ok := parseInt(cl.args[2])
	if !ok {
		cl.fail(errNotInteger)
		return
	}
	n := int64(0)
	if c := cl.server.conns.find(id); c != nil && c.release(waitsForReplicas, out) {
		n = 1
	}
	cl.reply.Int(n)
}
