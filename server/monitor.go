package server

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"slotcast/channels"
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
		line = appendQuoted(line, a)
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
	if c.unixSocket() {
		return "unix:" + c.server.config.Values().UnixSocket
	}
	return c.remoteAddr()
}

// encoded is a batch that looks the same in every form.
type encoded [][]byte

func (e encoded) Slices(channels.Form) [][]byte { return e }

// appendQuoted writes bytes as Redis prints them for people: in quotes, with
// what is not printable escaped.
func appendQuoted(b, s []byte) []byte {
	b = append(b, '"')
	for _, c := range s {
		switch c {
		case '\\', '"':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '\a':
			b = append(b, `\a`...)
		case '\b':
			b = append(b, `\b`...)
		default:
			if c >= 0x20 && c < 0x7f {
				b = append(b, c)
			} else {
				b = append(b, '\\', 'x')
				if c < 0x10 {
					b = append(b, '0')
				}
				b = strconv.AppendUint(b, uint64(c), 16)
			}
		}
	}
	return append(b, '"')
}
