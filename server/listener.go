package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"slotcast/config"
)

// Listen adds a listener whose connections the server will serve. It returns
// at once; the accept loop ends with Close.
func (s *Server) Listen(l net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		l.Close()
		return
	}
	s.listeners = append(s.listeners, l)
	s.running.Add(1)
	go func() { // ends when Close closes the listener
		defer s.running.Done()
		s.accept(l)
	}()
}

// maxAcceptDelay bounds the pause after a failed accept: without one, a process
// that is out of file descriptors would spin.
const maxAcceptDelay = time.Second

func (s *Server) accept(l net.Listener) {
	delay := time.Duration(0)
	for {
		nc, err := l.Accept()
		if err == nil {
			delay = 0
			s.welcome(nc)
			continue
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
		delay = min(max(2*delay, 5*time.Millisecond), maxAcceptDelay)
		s.log.Error("accept failed", "addr", l.Addr().String(), "error", err, "retry", delay)
		select {
		case <-time.After(delay):
		case <-s.stop:
			return
		}
	}
}

// welcome starts the goroutine of a new connection, or turns it away.
func (s *Server) welcome(nc net.Conn) {
	v := s.config.Values()
	s.stats.connections.Add(1)
	if refusal := s.refuse(nc); refusal != "" {
		s.stats.rejectedConnections.Add(1)
		nc.SetWriteDeadline(time.Now().Add(time.Second))
		nc.Write([]byte("-" + string(refusal) + "\r\n"))
		nc.Close()
		return
	}
	if tc, ok := nc.(*net.TCPConn); ok {
		tc.SetNoDelay(true)
		tc.SetKeepAliveConfig(net.KeepAliveConfig{
			Enable:   v.KeepAliveSeconds > 0,
			Idle:     time.Duration(v.KeepAliveSeconds) * time.Second,
			Interval: time.Duration(max(v.KeepAliveSeconds/3, 1)) * time.Second,
			Count:    3,
		})
	}
	c := s.newConn(nc)
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		nc.Close()
		return
	}
	s.conns.add(c)
	s.running.Add(1)
	s.mu.Unlock()
	go func() { // ends with the connection, at the latest in Close
		defer s.running.Done()
		c.serve()
	}()
}

func (s *Server) refuse(nc net.Conn) respError {
	v := s.config.Values()
	switch {
	case s.conns.len() >= v.MaxClients:
		return errMaxClients
	case v.ProtectedMode && v.RequirePass == "" && !isLocal(nc):
		return errProtected
	}
	return ""
}

// isLocal reports a connection from this host.
func isLocal(nc net.Conn) bool {
	a, ok := nc.RemoteAddr().(*net.TCPAddr)
	return !ok || a.IP.IsLoopback()
}

// OpenListeners listens where port, bind and unixsocket say. An address that
// cannot be had is an error, unless the directive marks it as optional.
func (s *Server) OpenListeners() error {
	v := s.config.Values()
	if v.Port != 0 {
		opened := 0
		for _, bind := range v.Bind {
			network, addr, optional := listenAddress(bind, strconv.Itoa(v.Port))
			l, err := net.Listen(network, addr)
			if err != nil {
				if optional && (errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT)) {
					s.log.Warn("address not available, skipped", "addr", addr)
					continue
				}
				return fmt.Errorf("Could not create server TCP listening socket %s: %w", addr, err)
			}
			setBacklog(l, v.TCPBacklog)
			s.Listen(l)
			opened++
		}
		if opened == 0 {
			return errors.New("none of the addresses of bind is available")
		}
	}
	if v.UnixSocket != "" {
		return s.listenUnix(v)
	}
	return nil
}

func (s *Server) listenUnix(v *config.Values) error {
	path := v.Path(v.UnixSocket)
	os.Remove(path) // what a process that is no more left behind
	l, err := net.Listen("unix", path)
	if err != nil {
		return fmt.Errorf("unix socket: %w", err)
	}
	if v.UnixSocketPerm != 0 {
		if err := os.Chmod(path, os.FileMode(v.UnixSocketPerm)); err != nil {
			l.Close()
			return fmt.Errorf("unix socket: %w", err)
		}
	}
	setBacklog(l, v.TCPBacklog)
	s.Listen(l)
	return nil
}

// setBacklog listens a second time, which only changes the length of the
// queue: the net package has no way to ask for one.
func setBacklog(l net.Listener, n int) {
	sc, ok := l.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := sc.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { syscall.Listen(int(fd), n) })
	}
}

// Addresses are where the node listens.
func (s *Server) Addresses() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]string, len(s.listeners))
	for i, l := range s.listeners {
		list[i] = l.Addr().String()
	}
	return list
}

// listenAddress turns one address of bind into what net.Listen takes: "*" is
// every address, and one that begins with "-" may be missing on this host.
func listenAddress(bind string, port string) (network, addr string, optional bool) {
	bind, optional = strings.CutPrefix(bind, "-")
	switch bind {
	case "*":
		return "tcp4", ":" + port, optional
	case "::*":
		return "tcp6", ":" + port, optional
	}
	return "tcp", net.JoinHostPort(bind, port), optional
}
