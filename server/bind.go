package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"slotcast/config"
)

// OpenListeners listens where port, bind and unixsocket say. An address that
// cannot be had is an error, unless the directive marks it as optional. CONFIG
// SET of port and bind later replaces the listeners.
func (s *Server) OpenListeners() error {
	v := s.config.Values()
	if _, err := s.rebind(v); err != nil {
		return err
	}
	if v.UnixSocket != "" {
		if err := s.listenUnix(v); err != nil {
			return err
		}
	}
	return s.listenBus(v)
}

// listenBus opens the port of the cluster bus on the same addresses as that of
// the clients.
func (s *Server) listenBus(v *config.Values) error {
	opened := make(map[endpoint]bool) // an address may stand in bind twice
	for _, bind := range v.Bind {
		network, addr, optional := listenAddress(bind, strconv.Itoa(v.BusPort()))
		e := endpoint{network, addr}
		if opened[e] {
			continue
		}
		opened[e] = true
		l, err := net.Listen(network, addr)
		if optional && notHere(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("Could not create the cluster bus listening socket %s: %w (cluster-port sets another port)", addr, err)
		}
		s.owner.bus.Listen(l)
	}
	return nil
}

// notHere reports an address that this host does not have.
func notHere(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT)
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

// endpoint is an address to listen on.
type endpoint struct{ network, addr string }

// rebind opens the TCP listeners that v asks for and that are not open yet, all
// of them or none. The caller then puts v in force and calls settle, which
// closes those that v no longer asks for; who is connected stays.
func (s *Server) rebind(v *config.Values) (settle func(), err error) {
	wanted := make(map[endpoint]bool)
	opened := make(map[endpoint]net.Listener)
	skipped := 0
	for _, bind := range v.Bind {
		network, addr, optional := listenAddress(bind, strconv.Itoa(v.Port))
		e := endpoint{network, addr}
		if v.Port == 0 || wanted[e] {
			continue
		}
		wanted[e] = true
		if s.isBound(e) {
			continue
		}
		l, err := net.Listen(network, addr)
		if optional && notHere(err) {
			s.log.Warn("address not available, skipped", "addr", addr)
			skipped++
			continue
		}
		if err != nil {
			closeAll(opened)
			return nil, fmt.Errorf("Could not create server TCP listening socket %s: %w", addr, err)
		}
		setBacklog(l, v.TCPBacklog)
		opened[e] = l
	}
	if v.Port != 0 && skipped == len(wanted) {
		return nil, errors.New("none of the addresses of bind is available")
	}
	for e, l := range opened {
		s.Listen(l)
		s.mu.Lock()
		if s.bound == nil {
			s.bound = make(map[endpoint]net.Listener)
		}
		s.bound[e] = l
		s.mu.Unlock()
	}
	return func() { s.unbind(wanted) }, nil
}

func closeAll(opened map[endpoint]net.Listener) {
	for _, l := range opened {
		l.Close()
	}
}

func (s *Server) isBound(e endpoint) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bound[e] != nil
}

// unbind closes the listeners of endpoints that are not wanted.
func (s *Server) unbind(wanted map[endpoint]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e, l := range s.bound {
		if !wanted[e] {
			l.Close()
			delete(s.bound, e)
			s.listeners = slices.DeleteFunc(s.listeners, func(other net.Listener) bool { return other == l })
		}
	}
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
