//go:build !linux

package server

import "net"

type drains struct{}

func (d *drains) open(*flusher) error { return nil }
func (d *drains) close()              {}
func (d *drains) forget(*conn)        {}

// block writes, in a goroutine of its own, what a socket did not take at once.
// The outbox's flushing flag is set, and given back at the end.
func (f *flusher) block(o *outbox) {
	o.mu.Lock()
	o.blocked = true
	o.mu.Unlock()
	f.running.Add(1)
	go func() { // ends when all is written, or the connection is over
		defer f.running.Done()
		for {
			q := o.take()
			if q == nil {
				return
			}
			buffers := net.Buffers(append([][]byte(nil), q...))
			n, err := buffers.WriteTo(o.conn.socket)
			o.putBack(q, nil, int(n), err)
		}
	}()
}
