package resp2

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// exchangeUntil sends request on a connection that stays open and returns the
// first n bytes of the answer.
func exchangeUntil(t *testing.T, redis *redistest.Server, request string, n int) string {
	t.Helper()
	conn, err := net.Dial("tcp", redis.Addr)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = io.WriteString(conn, request)
	require.NoError(t, err)
	reply := make([]byte, n)
	_, err = io.ReadFull(conn, reply)
	require.NoError(t, err, "after %q", reply)
	return string(reply)
}
