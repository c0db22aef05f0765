package server

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"slotcast/channels"
	"slotcast/splitargs"
)

// monitors are the connections that sent MONITOR.
type monitors struct {
	count atomic.Int32
	mu    sync.Mutex // guards set, and orders the lines
	set   map[*conn]struct{}
}

func (m *monitors) any() bool { return m.count.Load() > 0 }

func (m *monitors) add(c *conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.set == nil {
		m.set = make(map[*conn]struct{})
	}
	m.set[c] = struct{}{}
	m.count.Store(int32(len(m.set)))
}

func (m *monitors) remove(c *conn) {
	if !m.any() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.set, c)
	m.count.Store(int32(len(m.set)))
}

// feed tells every monitor of a command.
func (m *monitors) feed(cl *call) {
	now := time.Now()
	line := fmt.Appendf(nil, "+%d.%06d [0 %s]", now.Unix(), now.Nanosecond()/1000, cl.conn.monitorAddr())
	for _, a := range cl.shownArgs() {
		line = append(line, ' ')
		line = splitargs.AppendQuoted(line, a)
	}
	line = append(line, "\r\n"...)
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.set {
		if c.identity.Load().replyOff {
			continue // to Redis these lines are replies
		}
		if c == cl.conn && c.closeAfter {
			continue // after its reply to QUIT a connection hears nothing
		}
		c.outbox.Deliver(encoded{line})
	}
}

// monitorAddr spells a client's address as MONITOR does.
func (c *conn) monitorAddr() string {
	if c.socket.onUnix() {
		return "unix:" + c.server.config.Values().UnixSocket
	}
	return c.remoteAddr()
}

// encoded is a batch that looks the same in every form.
type encoded [][]byte

func (e encoded) Slices(channels.Form) [][]byte { return e }
