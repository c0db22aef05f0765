package server

// commandDocs answers COMMAND DOCS, which redis-cli reads for its hints.
func commandDocs(cl *call) {
	found := cl.server.commands.all
	if len(cl.args) > 2 {
		found = nil
		for _, name := range cl.args[2:] {
			if cmd := cl.server.commands.named(string(name)); cmd != nil {
				found = append(found, cmd)
			}
		}
	}
	cl.reply.Map(len(found))
	for _, cmd := range found {
		appendDocs(cl.reply, cmd)
	}
}

// mapOf collects pairs whose number is not known before the last of them.
type mapOf struct {
	pairs int
	body  Reply
}

// key begins a pair, whose value is then written to body.
func (m *mapOf) key(name string) *Reply {
	m.pairs++
	m.body.BulkString(name)
	return &m.body
}

// text is a pair of strings, left out if the value is empty.
func (m *mapOf) text(name, value string) {
	if value != "" {
		m.key(name).BulkString(value)
	}
}

func (m *mapOf) appendTo(r *Reply) {
	r.Map(m.pairs)
	r.Raw(m.body.buf)
}

// appendDocs writes a command's name and its documentation, a map whose
// entries stand in Redis's order.
func appendDocs(r *Reply, cmd *command) {
	d := commandDocumentation()[cmd.fullName]
	m := mapOf{body: Reply{resp3: r.resp3}}
	m.text("summary", d.summary)
	m.text("since", cmd.since)
	m.text("group", cmd.group)
	m.text("complexity", d.complexity)
	switch {
	case d.syscmd:
		appendNames(m.key("doc_flags"), []string{"syscmd"})
	case d.deprecated != "":
		appendNames(m.key("doc_flags"), []string{"deprecated"})
		m.text("deprecated_since", d.deprecated)
		m.text("replaced_by", d.instead)
	}
	if len(d.arguments) > 0 {
		appendArguments(m.key("arguments"), d.arguments)
	}
	if cmd.subcommands != nil {
		body := m.key("subcommands")
		body.Map(len(cmd.subcommands))
		for _, sub := range cmd.subcommands {
			appendDocs(body, sub)
		}
	}
	r.BulkString(cmd.fullName)
	m.appendTo(r)
}

func appendArguments(r *Reply, list []docArgument) {
	r.Array(len(list))
	for i := range list {
		appendArgument(r, &list[i])
	}
}

func appendArgument(r *Reply, a *docArgument) {
	m := mapOf{body: Reply{resp3: r.resp3}}
	m.text("name", a.name)
	m.text("type", a.kind)
	if a.keySpec != "" {
		index, _ := parseInt([]byte(a.keySpec))
		m.key("key_spec_index").Int(index)
	}
	if a.hasToken {
		m.key("token").BulkString(a.token)
	}
	m.text("since", a.since)
	m.text("deprecated_since", a.deprecated)
	var flags []string
	for _, f := range []struct {
		set  bool
		name string
	}{{a.optional, "optional"}, {a.multiple, "multiple"}, {a.multiWord, "multiple_token"}} {
		if f.set {
			flags = append(flags, f.name)
		}
	}
	if flags != nil {
		appendNames(m.key("flags"), flags)
	}
	if len(a.arguments) > 0 {
		appendArguments(m.key("arguments"), a.arguments)
	}
	m.appendTo(r)
}
