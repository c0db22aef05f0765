//go:build !linux

package server

import (
	"errors"
	"net"
	"syscall"
)

// socket is the server's end of a connection. Only read waits.
type socket struct {
	net.Conn
	raw syscall.RawConn
	fd  int // for people to read
}

func (s *socket) open(nc net.Conn) (err error) {
	s.Conn = nc
	if s.raw, err = nc.(syscall.Conn).SyscallConn(); err != nil {
		return err
	}
	return s.raw.Control(func(fd uintptr) { s.fd = int(fd) })
}

// read waits until there is something to read, appends it to buf, and returns
// the longer buf. At the end of the stream it returns n == 0 and no error.
func (c *conn) read(buf []byte) (out []byte, n int, err error) {
	if buf == nil {
		buf = getReadBuffer()
	}
	n, err = c.socket.Read(buf[len(buf):cap(buf)])
	if n > 0 {
		err = nil
	}
	return buf[:len(buf)+n], n, err
}

func (s *socket) tryWrite(b []byte) (n int, err error) {
	var failed error
	err = s.raw.Write(func(fd uintptr) bool {
		for n < len(b) {
			m, err := syscall.Write(int(fd), b[n:])
			switch {
			case m > 0:
				n += m
			case errors.Is(err, syscall.EINTR):
			case errors.Is(err, syscall.EAGAIN):
				return true
			default:
				failed = err
				return true
			}
		}
		return true
	})
	if failed != nil {
		err = failed
	}
	return n, err
}

func (s *socket) scheduledWrite(b []byte) (int, error) { return s.tryWrite(b) }

func (s *socket) shutdown() { s.Conn.Close() }
func (s *socket) close()    { s.Conn.Close() }

// local reports a client of this host.
func (s *socket) local() bool { return isLocal(s.Conn) }

func (s *socket) addr(unixPath string) string      { return spell(s.RemoteAddr(), unixPath) }
func (s *socket) localAddr(unixPath string) string { return spell(s.LocalAddr(), unixPath) }

// spell spells an address as CLIENT LIST does: a unix socket by its path and
// port zero.
func spell(a net.Addr, unixPath string) string {
	if _, ok := a.(*net.UnixAddr); ok {
		return unixPath + ":0"
	}
	return a.String()
}

func (s *socket) onUnix() bool {
	_, ok := s.LocalAddr().(*net.UnixAddr)
	return ok
}
