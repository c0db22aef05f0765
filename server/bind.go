package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"

	"slotcast/config"
)

// ListenConfigured opens the listeners that the configuration asks for: port on
// each address of bind, and the unix socket. CONFIG SET of port and bind later
// replaces them.
func (s *Server) ListenConfigured() error {
	v := s.config.Values()
	if _, err := s.rebind(v); err != nil {
		return err
	}
	if v.UnixSocket == "" {
		return nil
	}
	l, err := listenUnix(v)
	if err != nil {
		return fmt.Errorf("unixsocket: %w", err)
	}
	s.Listen(l)
	return nil
}

// listenUnix takes the place of a socket file that an earlier process left.
func listenUnix(v *config.Values) (net.Listener, error) {
	path := v.Path(v.UnixSocket)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if v.UnixSocketPerm != 0 {
		if err := os.Chmod(path, fs.FileMode(v.UnixSocketPerm)); err != nil {
			l.Close()
			return nil, err
		}
	}
	return l, nil
}

// endpoint is an address to listen on.
type endpoint struct{ network, addr string }

// rebind opens the TCP listeners that v asks for and that are not open yet, all
// of them or none. The caller then puts v in force and calls settle, which
// closes those that v no longer asks for; who is connected stays.
func (s *Server) rebind(v *config.Values) (settle func(), err error) {
	wanted := make(map[endpoint]bool)
	opened := make(map[endpoint]net.Listener)
	defer func() {
		if err != nil {
			for _, l := range opened {
				l.Close()
			}
		}
	}()
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
		if err != nil && optional {
			s.log.Warn("an address of bind is not on this host", "addr", addr, "error", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		opened[e] = l
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
		}
	}
}
