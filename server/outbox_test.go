package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/channels"
)

// wire is a batch that looks the same in every form.
func wire(s string) encoded { return encoded{[]byte(s)} }

// outboxPair returns the outbox of a connection of s, and the client's end.
func outboxPair(t *testing.T, s *testServer) (*outbox, net.Conn) {
	c := s.dial(t)
	require.Equal(t, "+PONG\r\n", c.do("PING")) // so that the server's side is there
	o := &s.connOf(t, c).outbox
	for o.writing() { // the client may have the reply before its writer has done
		runtime.Gosched()
	}
	return o, c.Conn
}

func (o *outbox) writing() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.flushing
}

func expect(t *testing.T, c net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	_, err := io.ReadFull(c, got)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

func TestParkedMessagesFollowTheReply(t *testing.T) {
	o, c := outboxPair(t, startServer(t))
	o.Deliver(wire("1 "))
	o.hold()
	o.Deliver(wire("4 "))
	o.Deliver(wire("5 "))
	o.release([]byte("2 "), 0, [][]byte{[]byte("3 ")}, false)
	o.Deliver(wire("6 "))
	expect(t, c, "1 2 3 4 5 6 ")
}

func TestNothingIsWrittenWhileTheBracketIsOpen(t *testing.T) {
	o, c := outboxPair(t, startServer(t))
	o.hold()
	o.Deliver(wire("parked"))
	o.mu.Lock()
	require.Empty(t, o.queue)
	require.False(t, o.flushing)
	require.Equal(t, len("parked"), o.pending)
	o.mu.Unlock()
	o.release(nil, 0, nil, false)
	expect(t, c, "parked")
}

func TestFormIsChosenWhenAMessageIsAppended(t *testing.T) {
	o, c := outboxPair(t, startServer(t))
	m := channels.NewMessage([]byte("c"), []byte("x"))
	o.Deliver(m)
	o.conn.alter(func(id *identity) { id.resp3 = true })
	o.refile()
	o.Deliver(m)
	expect(t, c, "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n")
}

func TestAProtocolChangeStandsBetweenOldAndNewForms(t *testing.T) {
	o, c := outboxPair(t, startServer(t))
	m := channels.NewMessage([]byte("c"), []byte("x"))
	o.hold()
	o.Deliver(m)
	o.conn.resp3 = true
	o.release([]byte("(hello)"), 0, nil, true)
	o.Deliver(m)
	expect(t, c, "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n(hello)>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n")
}

func TestASlowClientIsCutOffAndNobodyWaits(t *testing.T) {
	s := startServer(t, "--client-output-buffer-limit", "normal", "1mb", "0", "0")
	o, c := outboxPair(t, s)
	chunk := wire(strings.Repeat("x", 64<<10))
	for range 1000 { // 64 MB to a client that reads nothing
		o.Deliver(chunk)
	}
	o.mu.Lock()
	require.Equal(t, outboxDead, o.state)
	require.Zero(t, o.pending)
	require.Contains(t, o.reason, "hard limit")
	o.mu.Unlock()
	_, err := io.Copy(io.Discard, c) // ends: the server has closed
	require.NoError(t, ignoreReset(err))
}

func ignoreReset(err error) error {
	if err != nil && strings.Contains(err.Error(), "reset") {
		return nil
	}
	return err
}

func TestSoftLimit(t *testing.T) {
	s := startServer(t, "--client-output-buffer-limit", "normal", "0", "1mb", "60")
	o, _ := outboxPair(t, s)
	for o.softSinceZero() {
		o.Deliver(wire(strings.Repeat("x", 64<<10)))
	}
	require.True(t, o.open(), "above the soft limit, but not for long")
	o.mu.Lock()
	o.softSince -= int64(61 * time.Second)
	o.mu.Unlock()
	o.checkSoftLimit()
	require.False(t, o.open())
	require.Contains(t, o.closeReason(), "soft limit")
}

func (o *outbox) softSinceZero() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.softSince == 0
}

func TestASnapshotOnAnEmptyOutboxNeverTripsTheLimit(t *testing.T) {
	s := startServer(t, "--client-output-buffer-limit", "normal", "1mb", "0", "0")
	o, c := outboxPair(t, s)
	snapshot := []byte(strings.Repeat("s", 8<<20))
	o.hold()
	o.release([]byte("confirmed"), 0, [][]byte{snapshot}, false)
	o.Deliver(wire("row"))
	expect(t, c, "confirmed"+string(snapshot)+"row")
	o.hold()
	o.release(nil, 0, [][]byte{snapshot, snapshot}, false) // empty again: exempt again
	o.Deliver(wire(strings.Repeat("x", 2<<20)))            // but what follows is not
	require.False(t, o.open())
}

func TestFinishWritesWhatIsQueued(t *testing.T) {
	s := startServer(t)
	c := s.dial(t)
	big := strings.Repeat("v", 8<<20) // more than the sockets hold
	require.Equal(t, "+OK\r\n", c.do("SET", "k", big))
	c.send("GET", "k")
	c.send("QUIT")
	expect(t, c.Conn, fmt.Sprintf("$%d\r\n%s\r\n+OK\r\n", len(big), big))
	_, err := c.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}

func TestRepliesDoNotStopCommands(t *testing.T) {
	s := startServer(t)
	c, other := s.dial(t), s.dial(t)
	require.Equal(t, "+OK\r\n", c.do("SET", "k", strings.Repeat("v", 1<<20)))
	const gets = 64
	for range gets { // far more than the sockets hold, before anything is read
		c.send("GET", "k")
	}
	c.send("SET", "done", "1")
	for other.do("EXISTS", "done") != ":1\r\n" {
	}
	n, err := io.CopyN(io.Discard, bufio.NewReader(c), gets*((1<<20)+12)+5)
	require.NoError(t, err)
	require.EqualValues(t, gets*((1<<20)+12)+5, n)
}

// TestManyWriters checks that what several goroutines deliver arrives whole and
// each one's in order, while the connection's own replies are mixed in.
func TestManyWriters(t *testing.T) {
	s := startServer(t)
	o, c := outboxPair(t, s)
	const writers, each = 4, 2000
	var wg sync.WaitGroup
	for w := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range each {
				o.Deliver(wire(fmt.Sprintf("%d %d\n", w, i)))
			}
		}()
	}
	next := [writers]int{}
	lines := bufio.NewScanner(c)
	for range writers * each {
		require.True(t, lines.Scan())
		var w, i int
		_, err := fmt.Sscanf(lines.Text(), "%d %d", &w, &i)
		require.NoError(t, err, lines.Text())
		require.Equal(t, next[w], i)
		next[w]++
	}
	wg.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	require.Empty(t, o.queue)
}

func TestDeliveryToAnIdleSubscriberAllocatesLittle(t *testing.T) {
	s := startServer(t)
	o, c := outboxPair(t, s)
	m := wire("0123456789")
	o.Deliver(m)
	expect(t, c, "0123456789")
	buf := make([]byte, 10)
	allocs := testing.AllocsPerRun(200, func() {
		o.Deliver(m)
		if _, err := io.ReadFull(c, buf); err != nil {
			panic(err)
		}
	})
	require.LessOrEqual(t, allocs, 1.0)
}

func TestJoinAndDrop(t *testing.T) {
	q := func(parts ...string) (out [][]byte) {
		for _, p := range parts {
			out = append(out, []byte(p))
		}
		return out
	}
	scratch := make([]byte, 0, 16)
	chunk, k := join(q("ab", "cd", "ef"), scratch)
	require.Equal(t, "abcdef", string(chunk))
	require.Equal(t, 3, k)
	chunk, k = join(q("0123456789", "ab"), scratch)
	require.Equal(t, "0123456789", string(chunk))
	require.Equal(t, 1, k)
	chunk, k = join(q("ab", "0123456789abcdef"), scratch)
	require.Equal(t, "ab", string(chunk))
	require.Equal(t, 1, k)

	abc := []byte("abc")
	require.Equal(t, q("bc", "def"), drop([][]byte{abc, []byte("def")}, 1))
	require.Equal(t, q("ef"), drop([][]byte{abc, []byte("def")}, 4))
	require.Empty(t, drop([][]byte{abc, []byte("def")}, 6))
	require.Equal(t, "abc", string(abc), "shared slices stay as they are")
}

// TestAFailedReplyEndsTheConnection has a client that goes on sending, but takes
// no replies any more.
func TestAFailedReplyEndsTheConnection(t *testing.T) {
	s := startServer(t)
	path := t.TempDir() + "/socket"
	s.listen(t, "unix", path)
	c := dialAddr(t, "unix", path)
	require.Equal(t, "+PONG\r\n", c.do("PING"))
	require.NoError(t, c.Conn.(*net.UnixConn).CloseRead())
	c.send("PING")
	for until := time.Now().Add(patience); s.conns.len() > 0; runtime.Gosched() {
		require.True(t, time.Now().Before(until), "the connection is still there")
	}
}

// TestASlowReaderCostsWhatItHasNotRead cuts a client off only when what it has
// not taken is above the limit, however much it was sent.
func TestASlowReaderCostsWhatItHasNotRead(t *testing.T) {
	const limit, chunk = 64 << 20, 64 << 10
	s := startServer(t, "--client-output-buffer-limit", "normal", fmt.Sprint(limit), "0", "0")
	o, c := outboxPair(t, s)
	message := wire(strings.Repeat("x", chunk))
	for range 40 << 20 / chunk {
		o.Deliver(message)
	}
	// It takes most of them, which one call of the writer has at hand.
	_, err := io.CopyN(io.Discard, c, 25<<20)
	require.NoError(t, err)
	for range 36 << 20 / chunk {
		o.Deliver(message)
	}
	require.True(t, o.open())
	_, err = io.CopyN(io.Discard, c, 51<<20)
	require.NoError(t, err)
}
