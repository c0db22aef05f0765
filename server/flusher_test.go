package server

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// outboxWithoutWorker returns an outbox whose flusher only queues, and the
// client's end.
func outboxWithoutWorker(t *testing.T) (*outbox, *flushWorker, net.Conn) {
	f := idleFlusher(1)
	o, client := unservedOutbox(t, startServer(t), f)
	return o, f.workers[0], client
}

// idleFlusher is a flusher whose workers have no goroutine: what they would
// do is done by the test.
func idleFlusher(workers int) *flusher {
	f := &flusher{}
	for range workers {
		f.workers = append(f.workers, newFlushWorker())
	}
	return f
}

// unservedOutbox returns the outbox of a connection that nobody runs, and the
// client's end.
func unservedOutbox(t *testing.T, s *testServer, f *flusher) (*outbox, net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	nc, err := l.Accept()
	require.NoError(t, err)
	require.NoError(t, nc.(*net.TCPConn).SetWriteBuffer(4*writeTurn))
	c, err := s.newConn(nc)
	require.NoError(t, err)
	c.server = &Server{config: s.config, flusher: f}
	t.Cleanup(func() {
		client.Close()
		c.socket.close()
	})
	return &c.outbox, client
}

// TestALongReplyIsWrittenInTurns: whoever reads as fast as the server writes
// must not keep a loop, nor a worker, from all others.
func TestALongReplyIsWrittenInTurns(t *testing.T) {
	o, w, client := outboxWithoutWorker(t)
	reply := strings.Repeat("0123456789abcdef", 3*writeTurn/16) + "end"
	o.send([]byte(reply))
	for i := range 3 {
		require.Equal(t, []*outbox{o}, w.queue, "turn %d", i)
		w.queue = nil
		require.Equal(t, len(reply)-(i+1)*writeTurn, o.pending)
		expect(t, client, reply[i*writeTurn:(i+1)*writeTurn])
		(&flusher{workers: []*flushWorker{w}}).write(o, make([]byte, 0, writeChunk))
	}
	require.Empty(t, w.queue)
	require.False(t, o.flushing)
	expect(t, client, "end")
}

// TestManyMessagesAreWrittenInTurns is the same for what others publish.
func TestManyMessagesAreWrittenInTurns(t *testing.T) {
	o, w, client := outboxWithoutWorker(t)
	message := strings.Repeat("m", 999) + "\n"
	want := strings.Repeat(message, writeTurn/500)
	for range writeTurn / 500 {
		o.Deliver(wire(message))
	}
	for i := 0; len(want) > 0; i++ {
		require.Equal(t, []*outbox{o}, w.queue, "turn %d", i)
		w.queue = nil
		(&flusher{workers: []*flushWorker{w}}).write(o, make([]byte, 0, writeChunk))
		n := min(len(want), writeTurn)
		require.Equal(t, len(want)-n, o.pending)
		o.Deliver(wire("!")) // what comes meanwhile stays behind
		want += "!"
		expect(t, client, want[:n])
		want = want[n:]
		if want == "!" {
			break
		}
	}
}
