package server

import (
	"errors"
	"net"
	"time"
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

// welcome gives a new connection to a loop, or turns it away.
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
	c, err := s.newConn(nc)
	if err != nil {
		s.log.Error("connection closed", "addr", nc.RemoteAddr().String(), "error", err)
		return
	}
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		c.socket.close()
		return
	}
	s.conns.add(c)
	s.running.Add(1)
	s.mu.Unlock()
	s.loops.start(c)
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
