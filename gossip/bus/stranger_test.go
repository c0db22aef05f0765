package bus

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/gossip"
)

// TestLongFramesAreForNodes: a stranger may not send one. Who has just proved to
// be a node may, even if the machine has not got around to saying so.
func TestLongFramesAreForNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		b := newMachine(t, n)
		defer b.stop()
		l := b.listen(n, addrB)
		long := publish(strangerLimit)

		stranger, err := l.connect()
		require.NoError(t, err)
		go func() { // ends when the link is closed
			stranger.Write(publish(strangerLimit - len(publish(0))))
			stranger.Write(long)
		}()
		id := next[gossip.Accepted](b).Link
		next[gossip.Received](b)
		<-b.settled // the reader waits for what the frame before has led to
		_, err = stranger.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, gossip.LinkDown{Link: id}, b.next())

		nc, err := l.connect()
		require.NoError(t, err)
		defer nc.Close()
		go nc.Write(append(publish(0), long...)) // ends when it is written
		id = next[gossip.Accepted](b).Link
		next[gossip.Received](b)
		synctest.Wait() // the reader has found that the frame is long
		b.Known(id)
		<-b.settled
		require.Len(t, next[gossip.Received](b).Message.Publish.Payload, strangerLimit)
	})
}

// TestStrangersHaveToSpeak: silence, and bytes that drip, end a stranger's link
// at the node timeout; whole frames keep it, and nodes may be silent.
func TestStrangersHaveToSpeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		b := newMachine(t, n)
		defer b.stop()
		l := b.listen(n, addrB)
		gone := func(nc net.Conn) time.Duration {
			_, err := nc.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF)
			return time.Since(time.Unix(0, 0))
		}

		silent, err := l.connect()
		require.NoError(t, err)
		begin := time.Since(time.Unix(0, 0))
		require.Equal(t, b.timeout, gone(silent)-begin)

		dripping, err := l.connect()
		require.NoError(t, err)
		begin = time.Since(time.Unix(0, 0))
		for _, c := range captures(t)["r70-meet"] {
			if _, err = dripping.Write([]byte{c}); err != nil {
				break
			}
			time.Sleep(time.Second)
		}
		require.Error(t, err)
		require.InDelta(t, b.timeout, time.Since(time.Unix(0, 0))-begin, float64(time.Second))

		// A node that was forgotten here and does not know it.
		pinging, err := l.connect()
		require.NoError(t, err)
		write(t, pinging, publish(0))
		id := next[gossip.Accepted](b).Link
		next[gossip.Received](b)
		for range 10 {
			time.Sleep(b.timeout / 2)
			write(t, pinging, publish(0))
			next[gossip.Received](b)
		}
		b.Known(id)
		b.quiet()
		write(t, pinging, publish(0))
		next[gossip.Received](b)
		pinging.Close()
		next[gossip.LinkDown](b)
	})
}

// TestACrowdOfStrangers: the oldest has to go for the newest, nodes stay.
func TestACrowdOfStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		b := newMachine(t, n)
		defer b.stop()
		l := b.listen(n, addrB)
		node, err := l.connect()
		require.NoError(t, err)
		defer node.Close()
		write(t, node, publish(0))
		b.Known(next[gossip.Accepted](b).Link)
		next[gossip.Received](b)

		var crowd []net.Conn
		for range maxStrangers {
			nc, err := l.connect()
			require.NoError(t, err)
			crowd = append(crowd, nc)
		}
		synctest.Wait()
		_, strangers, _ := b.counts()
		require.Equal(t, maxStrangers, strangers)
		write(t, crowd[0], publish(0))
		oldest := next[gossip.Accepted](b).Link
		next[gossip.Received](b)

		newest, err := l.connect()
		require.NoError(t, err)
		require.Equal(t, gossip.LinkDown{Link: oldest}, b.next())
		_, err = crowd[0].Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		for _, nc := range append(crowd[1:], newest, node) {
			write(t, nc, publish(0))
			if nc != node {
				next[gossip.Accepted](b)
			}
			next[gossip.Received](b)
		}
		for _, nc := range append(crowd, newest) {
			nc.Close()
		}
		for range maxStrangers {
			next[gossip.LinkDown](b)
		}
		synctest.Wait()
		links, strangers, readers := b.counts()
		require.Equal(t, []int{1, 0, 1}, []int{links, strangers, readers})
	})
}

// TestStrangersDoNotPileUp: when the machine takes nothing, those that were
// shown out still wait to have it reported; there is an end to their number.
func TestStrangersDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		b := newMachine(t, n)
		defer b.stop()
		l := b.listen(n, addrB)
		for range maxReaders {
			nc, err := l.connect()
			require.NoError(t, err)
			write(t, nc, publish(0))
		}
		synctest.Wait()
		_, _, readers := b.counts()
		require.Equal(t, maxReaders, readers)
		nc, err := l.connect()
		require.NoError(t, err)
		_, err = nc.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	})
}

// TestAcceptFailures: the loop pauses after a failure, goes on, and ends with
// its listener.
func TestAcceptFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		b := newMachine(t, n)
		defer b.stop()
		l := b.listen(n, addrB)
		begin := time.Now()
		for range 3 {
			l.errs <- errors.New("too many open files")
		}
		nc, err := l.connect()
		require.NoError(t, err)
		nc.Close()
		require.Equal(t, 3*acceptPause, time.Since(begin))
		l.Close()
		synctest.Wait()
		ended := make(chan struct{})
		go func() { // ends with the accept loop and the reader
			b.running.Wait()
			close(ended)
		}()
		<-ended
	})
}

// TestFaultsDoNotFloodTheLog: a line a second says how many it stands for.
func TestFaultsDoNotFloodTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		n := newNetwork()
		b := newMachine(t, n)
		defer b.stop()
		b.faults.log = slog.New(slog.NewTextHandler(&log, nil))
		l := b.listen(n, addrB)
		knock := func() {
			nc, err := l.connect()
			require.NoError(t, err)
			write(t, nc, []byte("x"))
			_, err = nc.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF)
		}
		for range 100 {
			knock()
		}
		synctest.Wait()
		require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
		require.Contains(t, log.String(), "peer=pipe")
		time.Sleep(time.Second)
		knock()
		synctest.Wait()
		require.Equal(t, 2, strings.Count(log.String(), "\n"), log.String())
		require.Contains(t, log.String(), "not_logged_before=99")
	})
}
