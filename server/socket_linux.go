package server

import (
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"
)

// socket is the server's end of a connection. None of its calls but read waits.
type socket struct {
	fd   int
	peer netip.Addr // zero on a unix socket
	port uint16     // the peer's
	unix bool

	closed bool
	mu     sync.Mutex // guards closed and reader
	reader *reader    // nil unless a read has waited, or shall not
}

// reader is what a read that waits has to know.
type reader struct {
	deadline time.Time     // when it gives up, zero for never
	again    chan struct{} // tells it to look again
}

// open takes over a connection that was accepted: what package net keeps
// for each is most of what an idle one would cost.
func (s *socket) open(nc net.Conn) error {
	raw, err := nc.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	var dupErr error
	err = raw.Control(func(fd uintptr) {
		// The copy shares O_NONBLOCK with the original.
		s.fd, dupErr = dupCloseOnExec(int(fd))
	})
	if err == nil {
		err = dupErr
	}
	if err != nil {
		return err
	}
	if a, ok := nc.RemoteAddr().(*net.TCPAddr); ok {
		peer := a.AddrPort()
		s.peer, s.port = peer.Addr().Unmap(), peer.Port()
	} else {
		s.unix = true
	}
	return nc.Close()
}

func dupCloseOnExec(fd int) (int, error) {
	n, _, e := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 0)
	if e != 0 {
		return -1, os.NewSyscallError("fcntl", e)
	}
	return int(n), nil
}

// readNow appends what there is to read to buf, and returns the longer buf. A
// nil buf is taken from the pool. At the end of the stream it returns n == 0 and
// no error; when there is nothing, errNothingYet.
func (s *socket) readNow(buf []byte) (out []byte, n int, err error) {
	fresh := buf == nil
	if fresh {
		buf = getReadBuffer()
	}
	for {
		n, err = readNow(s.fd, buf[len(buf):cap(buf)])
		if err != syscall.EINTR {
			break
		}
	}
	if err == nil {
		return buf[:len(buf)+n], n, nil
	}
	if fresh {
		putReadBuffer(buf)
		buf = nil
	}
	if err == syscall.EAGAIN {
		err = errNothingYet
	}
	return buf, 0, err
}

// read is readNow that waits, until the deadline.
func (c *conn) read(buf []byte) (out []byte, n int, err error) {
	s := &c.socket
	for {
		buf, n, err = s.readNow(buf)
		if err != errNothingYet {
			return buf, n, err
		}
		if err := s.await(c); err != nil {
			return buf, 0, err
		}
	}
}

// await returns when there may be something to read, or with an error when the
// deadline has passed.
func (s *socket) await(c *conn) error {
	s.mu.Lock()
	r := s.theReader()
	again, deadline := r.again, r.deadline
	s.mu.Unlock()
	var timeout <-chan time.Time
	if !deadline.IsZero() {
		left := time.Until(deadline)
		if left <= 0 {
			return os.ErrDeadlineExceeded
		}
		timer := time.NewTimer(left)
		defer timer.Stop()
		timeout = timer.C
	}
	if err := c.loop.watch(c, toReadOnce); err != nil {
		return err
	}
	select {
	case <-again:
	case <-timeout:
	}
	return nil
}

// theReader is called with mu held.
func (s *socket) theReader() *reader {
	if s.reader == nil {
		s.reader = &reader{again: make(chan struct{}, 1)}
	}
	return s.reader
}

// poke makes a read that waits look again.
func (s *socket) poke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader != nil {
		s.reader.poke()
	}
}

func (r *reader) poke() {
	select {
	case r.again <- struct{}{}:
	default: // it has been told already
	}
}

// SetReadDeadline ends a read that waits at the given time, zero for never.
func (s *socket) SetReadDeadline(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader == nil && t.IsZero() {
		return
	}
	r := s.theReader()
	r.deadline = t
	r.poke()
}

// tryWrite writes as much as the socket takes without waiting.
func (s *socket) tryWrite(b []byte) (int, error) { return s.writeWith(writeNow, b) }

// scheduledWrite is for a worker of the flusher, which writes one socket after
// the other for long: it makes system calls that the scheduler knows of, else
// the publishers would hardly get to run.
func (s *socket) scheduledWrite(b []byte) (int, error) { return s.writeWith(syscall.Write, b) }

func (s *socket) writeWith(write func(int, []byte) (int, error), b []byte) (n int, err error) {
	for n < len(b) {
		m, err := write(s.fd, b[n:])
		switch {
		case m > 0:
			n += m
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return n, nil
		default:
			return n, err
		}
	}
	return n, nil
}

// shutdown ends the connection for both sides, whoever may be using it.
func (s *socket) shutdown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		syscall.Shutdown(s.fd, syscall.SHUT_RDWR)
	}
}

// close gives the descriptor back. Nobody reads or writes any more.
func (s *socket) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		syscall.Close(s.fd)
	}
}

// local reports a client of this host.
func (s *socket) local() bool { return s.unix || s.peer.IsLoopback() }

func (s *socket) onUnix() bool { return s.unix }

// addr and localAddr are how CLIENT LIST spells the two ends, a unix socket's as
// its path and port zero.
func (s *socket) addr(unixPath string) string {
	if s.unix {
		return unixPath + ":0"
	}
	return netip.AddrPortFrom(s.peer, s.port).String()
}

func (s *socket) localAddr(unixPath string) string {
	if s.unix {
		return unixPath + ":0"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ""
	}
	sa, err := syscall.Getsockname(s.fd)
	if err != nil {
		return ""
	}
	switch sa := sa.(type) {
	case *syscall.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port)).String()
	case *syscall.SockaddrInet6:
		a := netip.AddrFrom16(sa.Addr).Unmap()
		if sa.ZoneId != 0 {
			if i, err := net.InterfaceByIndex(int(sa.ZoneId)); err == nil {
				a = a.WithZone(i.Name)
			}
		}
		return netip.AddrPortFrom(a, uint16(sa.Port)).String()
	}
	return ""
}
