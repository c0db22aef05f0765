package server

func serverCommands() []command { return nil }

func (s *Server) debugAllowed(c *conn) bool {
	return s.config.Values().DebugCommand.Permits(isLocal(c.socket.Conn))
}
