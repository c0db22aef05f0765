package server

// killFilter says which connections CLIENT KILL ends: those that pass every
// filter that was given.
type killFilter struct {
	id          int64 // zero when not given
	addr, laddr []byte
	kind        clientType
	hasKind     bool
	skipMe      bool
}

func parseKillFilter(args [][]byte) (f killFilter, err error) {
	f.skipMe = true
	for i := 0; i < len(args); i += 2 {
		if i+1 == len(args) {
			return f, errSyntax
		}
		switch value := args[i+1]; {
		case is(args[i], "id"):
			n, ok := parseInt(value)
			if !ok || n < 1 {
				return f, errKillID
			}
			f.id = n
		case is(args[i], "type"):
			if f.kind, f.hasKind = clientTypeNamed(value); !f.hasKind {
				return f, errClientType(value)
			}
		case is(args[i], "addr"):
			f.addr = value
		case is(args[i], "laddr"):
			f.laddr = value
		case is(args[i], "user"):
			// Every connection belongs to the one user there is.
			if string(value) != defaultUser {
				return f, errNoSuchUser(value)
			}
		case is(args[i], "skipme") && is(value, "yes"):
			f.skipMe = true
		case is(args[i], "skipme") && is(value, "no"):
			f.skipMe = false
		default:
			return f, errSyntax
		}
	}
	return f, nil
}

func (f *killFilter) passes(c *conn) bool {
	return (f.id == 0 || c.id == f.id) &&
		(f.addr == nil || c.remoteAddr() == string(f.addr)) &&
		(f.laddr == nil || c.localAddr() == string(f.laddr)) &&
		(!f.hasKind || c.clientType() == f.kind)
}

// clientKill ends connections at once, without writing what they still have to
// receive; only its own gets the reply first.
func clientKill(cl *call) {
	old := len(cl.args) == 3
	f := killFilter{addr: cl.args[2]}
	if !old {
		var err error
		if f, err = parseKillFilter(cl.args[2:]); err != nil {
			cl.fail(err)
			return
		}
	}
	killed, me := 0, false
	for _, c := range cl.server.conns.living() {
		switch {
		case !f.passes(c), c == cl.conn && f.skipMe:
			continue
		case c == cl.conn:
			me = true
		default:
			c.outbox.kill(endedByKill)
		}
		killed++
	}
	switch {
	case !old:
		cl.reply.Int(int64(killed))
	case killed == 0:
		cl.fail(errNoSuchClient)
	default:
		cl.reply.OK()
	}
	cl.conn.closeAfter = cl.conn.closeAfter || me
}
