package server

import (
	"fmt"
	"time"
	"unsafe"

	"slotcast/channels"
	"slotcast/config"
)

// clientType is how CLIENT LIST and CLIENT KILL sort connections.
type clientType uint8

const (
	typeNormal clientType = iota
	typeMaster
	typeReplica
	typePubSub
)

// clientTypeNamed takes the names that Redis takes.
func clientTypeNamed(name []byte) (clientType, bool) {
	switch {
	case is(name, "normal"):
		return typeNormal, true
	case is(name, "master"):
		return typeMaster, true
	case is(name, "replica"), is(name, "slave"):
		return typeReplica, true
	case is(name, "pubsub"):
		return typePubSub, true
	}
	return 0, false
}

func (c *conn) clientType() clientType {
	if c.class() == config.ClassPubSub {
		return typePubSub
	}
	return typeNormal
}

// infoFlags are the letters of a connection's state.
func (c *conn) infoFlags(id *identity, reason string, state outboxState) []byte {
	var f []byte
	add := func(yes bool, letter byte) {
		if yes {
			f = append(f, letter)
		}
	}
	add(id.monitoring, 'O')
	add(c.subscribing(), 'P')
	add(c.queued.Load() >= 0, 'x')
	add(c.isWaiting(), 'b')
	m := c.tracking()
	add(m != nil, 't')
	add(m != nil && m.broken.Load(), 'R')
	add(m != nil && m.broadcast, 'B')
	add(reason != "" && state != outboxDead, 'c')
	add(reason != "" && state == outboxDead, 'A')
	add(c.socket.onUnix(), 'U')
	add(id.readonly, 'r')
	add(id.noEvict, 'e')
	add(id.noTouch, 'T')
	if len(f) == 0 {
		f = append(f, 'N')
	}
	return f
}

// appendInfo appends the connection's line of CLIENT LIST, without its end.
// cl is the command that asks, and the connection may be its own: then what is
// being run counts too.
func (c *conn) appendInfo(b []byte, cl *call) []byte {
	id := c.identity.Load()
	waiting, slices := c.outbox.waiting()
	in, room := int(c.unread.Load()), int(c.readCap.Load())
	args, replies, proto := 0, 0, 2
	if id.resp3 {
		proto = 3
	}
	if c == cl.conn {
		args, replies = total(c.work.call.args), len(c.reply.buf) // of EXEC, in one
		proto = c.protocol()
	}
	name := "NULL"
	if cmd := c.lastCmd.Load(); cmd != nil {
		name = cmd.fullName
	}
	events := "r"
	if waiting > 0 {
		events = "rw"
	}
	payload := "row"
	if c.form()&channels.JSON != 0 {
		payload = "json"
	}
	reason, state, overSoft := c.outbox.fate()
	multi, queuedBytes := c.queued.Load(), int(c.queuedSize.Load())
	buffer := int(c.replyCap.Load())
	listBytes := waiting + slices*int(unsafe.Sizeof([]byte(nil)))
	memory := int(unsafe.Sizeof(*c)) + int(unsafe.Sizeof(*id)) + len(id.name) + len(id.libName) + len(id.libVersion) +
		max(in, room) + args + queuedBytes + buffer + listBytes
	now := time.Now()
	b = fmt.Appendf(b, "id=%d addr=%s laddr=%s fd=%d name=%s age=%d idle=%d flags=%s db=0"+
		" sub=%d psub=%d ssub=%d multi=%d qbuf=%d qbuf-free=%d argv-mem=%d multi-mem=%d rbs=%d rbp=%d"+
		" obl=%d oll=%d omem=%d tot-mem=%d events=%s cmd=%s user=%s redir=%d resp=%d lib-name=%s lib-ver=%s cluster-slots-payload=%s",
		c.id, c.remoteAddr(), c.localAddr(), c.socket.fd, id.name,
		int((c.server.clock.now() - c.created).Seconds()), (now.UnixMilli()-c.lastActive.Load())/1000, c.infoFlags(id, reason, state),
		c.numSub.Load(), c.numPsub.Load(), c.numSsub.Load(), multi,
		in, max(room-in, 0), args, queuedBytes, buffer, c.replyPeak.Load(),
		replies, slices, listBytes, memory, events, name, defaultUser, c.tracking().redirection(), proto, id.libName, id.libVersion, payload)
	if overSoft > 0 {
		b = fmt.Appendf(b, " over-soft-limit=%d", int(overSoft.Seconds()))
	}
	if reason != "" {
		b = fmt.Appendf(b, " closing=%s", asWord(reason))
	}
	return b
}
