package server

import (
	"bytes"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// logText collects what a server logs.
type logText struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *logText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// infoField is a field of INFO, empty if it is not there.
func infoField(t *testing.T, c *client, section, name string) string {
	t.Helper()
	for line := range strings.SplitSeq(parseReply(t, c.do("INFO", section)).text, "\r\n") {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return value
		}
	}
	return ""
}

// untilForgotten returns once a connection that ends has gone from CLIENT LIST.
func untilForgotten(other *client, id string) {
	for strings.Contains(other.do("CLIENT", "LIST", "ID", id), "id="+id+" ") {
		runtime.Gosched()
	}
}

// A subscriber that never reads is closed at its limit, and the reason is in the
// log, as a warning, and in INFO.
func TestTheReasonOfALimitIsLoggedAndCounted(t *testing.T) {
	for _, limit := range []struct{ pubsub, reason string }{
		{"pubsub 100000 0 0", endedByHardLimit},
		{"pubsub 0 100000 1", endedBySoftLimit},
	} {
		s := startServer(t)
		log := &logText{}
		s.log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		other := s.dial(t)
		other.want("+OK\r\n", "CONFIG", "SET", "client-output-buffer-limit", limit.pubsub)
		require.Equal(t, "0", infoField(t, other, "stats", "client_output_buffer_limit_disconnections"))
		slow := s.dial(t)
		id := slow.id()
		slow.do("SUBSCRIBE", "c")
		o := &s.connOf(t, slow).outbox
		payload := strings.Repeat("x", 64<<10)
		for o.open() {
			other.do("PUBLISH", "c", payload)
			o.mu.Lock()
			if o.softSince != 0 {
				o.softSince = 1 // long ago
			}
			o.mu.Unlock()
			o.checkSoftLimit()
		}
		untilForgotten(other, id)
		slow.closed()
		require.Contains(t, log.String(), `level=WARN msg="client closed"`)
		require.Contains(t, log.String(), `reason="`+limit.reason+`"`)
		require.Equal(t, "1", infoField(t, other, "stats", "client_output_buffer_limit_disconnections"))
		require.Equal(t, "1", infoField(t, other, "stats", "closed_clients_"+asWord(limit.reason)))
		other.want("+OK\r\n", "CONFIG", "RESETSTAT")
		require.Equal(t, "0", infoField(t, other, "stats", "client_output_buffer_limit_disconnections"))
		require.Empty(t, infoField(t, other, "stats", "closed_clients_"+asWord(limit.reason)))
	}
}

func TestTheLimitOfRequestsIsCounted(t *testing.T) {
	s := startServer(t, "--client-query-buffer-limit", "1mb")
	c, other := s.dial(t), s.dial(t)
	id := c.id()
	// The server may be gone before all is written.
	_, _ = c.Write([]byte("*2\r\n$4\r\nECHO\r\n$20000000\r\n" + strings.Repeat("x", 4<<20)))
	untilForgotten(other, id)
	c.closed()
	require.Equal(t, "1", infoField(t, other, "stats", "client_query_buffer_limit_disconnections"))
	require.Equal(t, "1", infoField(t, other, "stats", "closed_clients_query_buffer_above_its_limit"))
	require.Equal(t, "0", infoField(t, other, "stats", "client_output_buffer_limit_disconnections"))
}

// Who waits before a soft limit, and who is about to go, can be told from CLIENT
// LIST.
func TestClientListShowsWhoIsAboutToGo(t *testing.T) {
	s := startServer(t, "--client-output-buffer-limit", "pubsub", "0", "100000", "60")
	slow, other := s.dial(t), s.dial(t)
	id := slow.id()
	slow.do("SUBSCRIBE", "c")
	o := &s.connOf(t, slow).outbox
	fields := func() map[string]string { return clientFields(t, other.do("CLIENT", "LIST", "ID", id)) }
	require.NotContains(t, fields(), "over-soft-limit")
	require.NotContains(t, fields(), "closing")

	shown := fields()
	for shown["over-soft-limit"] == "" || shown["omem"] == "0" {
		other.do("PUBLISH", "c", strings.Repeat("x", 64<<10))
		shown = fields()
	}
	o.mu.Lock()
	o.softSince -= int64(7 * time.Second)
	o.mu.Unlock()
	require.Regexp(t, `^([7-9]|[1-4]\d)$`, fields()["over-soft-limit"])

	// Marked, but nobody has been told yet.
	o.mu.Lock()
	o.die(endedBySoftLimit)
	o.conn.killed.Store(true)
	o.mu.Unlock()
	require.Equal(t, "PA", fields()["flags"])
	require.Equal(t, "output_buffer_above_its_soft_limit_for_too_long", fields()["closing"])
	require.NotContains(t, fields(), "over-soft-limit")
	require.Contains(t, other.do("CLIENT", "LIST"), " closing=output_buffer")
	require.Contains(t, other.do("CLIENT", "LIST", "TYPE", "pubsub"), " closing=output_buffer")
	o.conn.wake()
	slow.closed()
	untilForgotten(other, id)
	other.want("$0\r\n\r\n", "CLIENT", "LIST", "ID", id)
}

// What has once been above the soft limit, and was read since, is forgotten.
func TestTheSoftLimitBeginsAnewOnceAllIsRead(t *testing.T) {
	s := startServer(t, "--client-output-buffer-limit", "normal", "0", "1mb", "60")
	o, c := outboxPair(t, s)
	big := strings.Repeat("x", 16<<20) // more than the sockets hold
	o.Deliver(wire(big))
	require.False(t, o.softSinceZero())
	expect(t, c, big)
	for o.writing() { // the client may have it all before the writer has done
		runtime.Gosched()
	}
	require.True(t, o.softSinceZero())
}
