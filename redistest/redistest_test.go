package redistest

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStartAnswersAndStops(t *testing.T) {
	var s *Server
	t.Run("while the test runs", func(t *testing.T) {
		s = Start(t)
		require.Equal(t, "+PONG\r\n", s.Exchange(t, "PING\r\n"))
		require.Empty(t, s.Exchange(t, "PING"), "an incomplete request has no answer")
		require.Contains(t, s.Log(), "Ready to accept connections")
	})
	if s == nil {
		t.Skip("no redis-server")
	}
	_, err := net.Dial("tcp", s.Addr)
	require.Error(t, err, "the server ends with its test")
}

func TestStartPassesDirectives(t *testing.T) {
	s := Start(t, "--cluster-enabled", "yes")
	require.Contains(t, s.Exchange(t, "CLUSTER INFO\r\n"), "cluster_state:fail")
	bus, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port+busPortOffset)))
	require.NoError(t, err)
	require.NoError(t, bus.Close())
}
