package server

func monitorCommands() []command {
	return []command{
		{name: "monitor", arity: 1, flags: admin | noScript | loading | stale, group: "server", since: "1.0.0", handler: monitor},
	}
}

// monitor shows the connection what every client asks for from now on. Who
// monitors already gets no reply: Redis gives none.
func monitor(cl *call) {
	c := cl.conn
	if cl.exec != nil {
		cl.fail(errMonitorInExec)
		return
	}
	if c.monitoring {
		return
	}
	cl.hold() // no line may precede the reply
	c.startMonitoring()
	cl.reply.OK()
}

func (c *conn) startMonitoring() {
	c.monitoring = true
	c.alter(func(id *identity) { id.monitoring = true })
	c.server.monitors.add(c)
}

func (c *conn) stopMonitoring() {
	if !c.monitoring {
		return
	}
	c.server.monitors.remove(c)
	c.monitoring = false
	c.alter(func(id *identity) { id.monitoring = false })
}
