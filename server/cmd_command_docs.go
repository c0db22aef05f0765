package server

// commandDocs answers COMMAND DOCS, which redis-cli reads for its hints.
func commandDocs(cl *call) {
	if len(cl.args) == 2 {
		all := cl.server.commands.all
		cl.reply.Map(len(all))
		for _, cmd := range all {
			appendDocs(cl.reply, cmd)
		}
		return
	}
	var found []*command
	for _, name := range cl.args[2:] {
		if cmd := cl.server.commands.named(string(name)); cmd != nil {
			found = append(found, cmd)
		}
	}
	cl.reply.Map(len(found))
	for _, cmd := range found {
		appendDocs(cl.reply, cmd)
	}
}

// appendDocs writes a command's name and its documentation, a map whose
// entries stand in Redis's order.
func appendDocs(r *Reply, cmd *command) {
	r.BulkString(cmd.fullName)
	fields := 2
	if cmd.subcommands != nil {
		fields++
	}
	r.Map(fields)
	r.BulkString("since")
	r.BulkString(cmd.since)
	r.BulkString("group")
	r.BulkString(cmd.group)
	if cmd.subcommands != nil {
		r.BulkString("subcommands")
		r.Map(len(cmd.subcommands))
		for _, sub := range cmd.subcommands {
			appendDocs(r, sub)
		}
	}
}
