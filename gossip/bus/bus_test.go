package bus

import (
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/gossip"
	"slotcast/gossip/frame"
)

const addrB = "127.0.0.2:17000"

// pair returns two machines, of which the first has a link to the second, known
// to both. It is to be called in a bubble.
func pair(t *testing.T) (a, b *machine, there, back gossip.LinkID) {
	n := newNetwork()
	a, b = newMachine(t, n), newMachine(t, n)
	b.listen(n, addrB)
	a.Dial(1, "127.0.0.2", 17000)
	require.Equal(t, gossip.LinkID(1), next[gossip.LinkUp](a).Link)
	a.Send(1, publish(1))
	back = next[gossip.Accepted](b).Link
	require.True(t, back.Inbound())
	require.Equal(t, back, next[gossip.Received](b).Link)
	b.Known(back)
	return a, b, 1, back
}

// TestALinkFromDialToClose: what each end is told, and in which order.
func TestALinkFromDialToClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, there, back := pair(t)
		defer a.stop()
		defer b.stop()
		for size := range 5 {
			a.Send(there, publish(size))
			b.Send(back, publish(10*size))
		}
		for size := range 5 {
			require.Len(t, next[gossip.Received](b).Message.Publish.Payload, size)
			require.Len(t, next[gossip.Received](a).Message.Publish.Payload, 10*size)
		}
		synctest.Wait()
		stats, open := a.Stats(there)
		require.True(t, open)
		require.Equal(t, LinkStats{Created: stats.Created}, stats, "nothing waits")

		a.CloseLink(there)
		require.Equal(t, gossip.LinkDown{Link: back}, b.next())
		a.Send(there, publish(1))
		b.Send(back, publish(1))
		_, open = a.Stats(there)
		require.False(t, open)
		a.CloseLink(there)
		a.Known(there)
		a.quiet()
		b.quiet()
	})
}

// TestFramesHoweverTheyAreCut: the same frames arrive, in whatever pieces.
func TestFramesHoweverTheyAreCut(t *testing.T) {
	var stream []byte
	var want []*frame.Message
	for _, name := range []string{"r70-meet", "r70-ping-gossip3", "v8-publish-light", "r70-fail", "v8-ping-all-ext", "r70-update", "v8-publishshard-light"} {
		raw := captures(t)[name]
		m, err := frame.Decode(raw)
		require.NoError(t, err)
		stream, want = append(stream, raw...), append(want, m)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for name, piece := range map[string]func() int{
		"one by one": func() int { return 1 },
		"glued":      func() int { return len(stream) },
		"anyhow":     func() int { return 1 + random.IntN(3000) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork()
				b := newMachine(t, n)
				defer b.stop()
				nc, err := b.listen(n, addrB).connect()
				require.NoError(t, err)
				go func() { // ends with the stream
					for rest := stream; len(rest) > 0; {
						k := min(piece(), len(rest))
						nc.Write(rest[:k])
						rest = rest[k:]
					}
					nc.Close()
				}()
				id := next[gossip.Accepted](b).Link
				for _, m := range want {
					require.Equal(t, gossip.Received{Link: id, Message: m}, b.next())
				}
				require.Equal(t, gossip.LinkDown{Link: id}, b.next())
				b.quiet()
			})
		})
	}
}

// TestFaultyFrames: what a frame is refused for, and whether the link survives.
func TestFaultyFrames(t *testing.T) {
	good := captures(t)["r70-ping-handshake"]
	edit := func(at int, b ...byte) []byte {
		return append(append(slices.Clone(good[:at]), b...), good[at+len(b):]...)
	}
	for name, c := range map[string]struct {
		bytes []byte
		kept  bool
	}{
		"version 2":             {edit(8, 0, 2), true},
		"unknown type":          {edit(12, 0, 99), true},
		"light but no message":  {edit(12, 0x80, 1), true},
		"more gossip than fits": {edit(14, 0xff, 0xff), true},
		"wrong signature":       {edit(0, 'R', 'C', 'm', 'c'), false},
		"an HTTP request":       {[]byte("GET / HTTP/1.1\r\n\r\n"), false},
		"length 0":              {edit(4, 0, 0, 0, 0), false},
		"length of 4 GB":        {edit(4, 0xff, 0xff, 0xff, 0xff)[:14], false},
		"length above the cap":  {edit(4, 0x04, 0x00, 0x09, 0xff)[:14], false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork()
				b := newMachine(t, n)
				defer b.stop()
				nc, err := b.listen(n, addrB).connect()
				require.NoError(t, err)
				defer nc.Close()
				nc.Write(c.bytes)
				if !c.kept {
					_, err = nc.Read(make([]byte, 1))
					require.ErrorIs(t, err, io.EOF)
					b.quiet()
					return
				}
				write(t, nc, good)
				next[gossip.Accepted](b)
				require.Equal(t, frame.TypePing, next[gossip.Received](b).Message.Type)
			})
		})
	}
}

// TestCutInTheMiddle: a link that breaks within a frame has no half of it.
func TestCutInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		b := newMachine(t, n)
		defer b.stop()
		l := b.listen(n, addrB)
		good := captures(t)["r70-ping-gossip3"]
		for _, cut := range []int{0, 1, 13, 14, 2255, 2256, len(good) - 1} {
			nc, err := l.connect()
			require.NoError(t, err)
			write(t, nc, good[:cut])
			nc.Close()
		}
		b.quiet()
		links, strangers, readers := b.counts()
		require.Zero(t, links+strangers+readers)
	})
}

// TestTheLargestFrame: a frame of the cap passes on a known link, and its buffer
// is given back after it.
func TestTheLargestFrame(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 64 MiB several times")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b := newMachine(t, nil)
	defer b.stop()
	b.Listen(l)
	nc, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer nc.Close()
	write(t, nc, publish(0))
	b.Known(next[gossip.Accepted](b).Link)
	next[gossip.Received](b)
	overhead := len(publish(0))
	go func() { // ends when all is written, or the link closed
		nc.Write(publish(frame.MaxLen - overhead))
		nc.Write(publish(frame.MaxLen - overhead + 1))
	}()
	require.Len(t, next[gossip.Received](b).Message.Publish.Payload, frame.MaxLen-overhead)
	<-b.settled
	next[gossip.LinkDown](b)
}

func TestBuffersShrink(t *testing.T) {
	large := make([]byte, 100, 4*firstBuffer)
	large[99] = 7
	require.Equal(t, firstBuffer, cap(keep(large, large[99:])))
	require.Equal(t, []byte{7}, keep(large, large[99:]))
	full := make([]byte, 4*firstBuffer)
	require.Equal(t, 4*firstBuffer, cap(keep(full, full[1:])), "most of a large frame is there")
	small := append(make([]byte, 0, firstBuffer), "abcdef"...)
	require.Equal(t, "def", string(keep(small, small[3:])))
	require.Equal(t, &small[0], &keep(small, small[3:])[0])
}

// TestAPeerThatDoesNotRead: above the limit for a while, the link is closed; a
// burst that is read does no harm.
func TestAPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, there, back := pair(t)
		defer a.stop()
		defer b.stop()
		a.limit = 10_000
		for range 10 {
			a.Send(there, publish(1000))
		}
		for range 10 {
			next[gossip.Received](b)
		}
		synctest.Wait()
		time.Sleep(time.Second)
		a.Send(there, publish(1000))
		next[gossip.Received](b)

		// From here on b does not take its reports, and so reads no more.
		for range 10 {
			a.Send(there, publish(1000))
		}
		synctest.Wait()
		stats, open := a.Stats(there)
		require.True(t, open)
		require.True(t, stats.Writing)
		require.Greater(t, stats.Used, 10_000)
		require.GreaterOrEqual(t, stats.Allocated, stats.Used)
		time.Sleep(limitGrace)
		a.Send(there, publish(1000)) // a write may have ended since the limit was passed
		time.Sleep(limitGrace)
		a.Send(there, publish(1000))
		require.Equal(t, gossip.LinkDown{Link: there, Overflow: true}, a.next())
		a.quiet()
		for {
			if in, ended := b.next().(gossip.LinkDown); ended {
				require.Equal(t, gossip.LinkDown{Link: back}, in)
				break
			}
		}
	})
}

// TestAnswersThatAreNotRead: also without cluster-link-sendbuf-limit nobody can
// have this node keep answers for him without end.
func TestAnswersThatAreNotRead(t *testing.T) {
	for name, c := range map[string]struct {
		known bool
		limit int
	}{"stranger": {false, strangerLimit}, "node": {true, answersLimit}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork()
				b := newMachine(t, n)
				defer b.stop()
				nc, err := b.listen(n, addrB).connect()
				require.NoError(t, err)
				defer nc.Close()
				write(t, nc, publish(0))
				id := next[gossip.Accepted](b).Link
				next[gossip.Received](b)
				if c.known {
					b.Known(id)
				}
				answer := publish(1000)
				for range c.limit / len(answer) {
					b.Send(id, answer)
				}
				synctest.Wait()
				_, open := b.Stats(id)
				require.True(t, open)
				b.Send(id, answer)
				require.Equal(t, gossip.LinkDown{Link: id, Overflow: true}, b.next())
			})
		})
	}
}

// TestCloseInTheThickOfIt closes a bus while everything is under way at once:
// it returns, nothing runs on, nothing is reported any more.
func TestCloseInTheThickOfIt(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		port := l.Addr().(*net.TCPAddr).Port
		m := newMachine(t, nil)
		m.Listen(l)
		var others sync.WaitGroup
		ended := make(chan struct{})
		enough := make(chan struct{})
		for worker := range 3 {
			others.Go(func() {
				random := rand.New(rand.NewPCG(uint64(round), uint64(worker)))
				pace := time.NewTicker(50 * time.Microsecond)
				defer pace.Stop()
				first := gossip.LinkID(1_000_000 * (worker + 1))
				last := first
				for {
					select {
					case <-ended:
						return
					case <-pace.C:
					}
					dialled := first + gossip.LinkID(random.IntN(int(last-first)+1))
					accepted := gossip.FirstInbound + gossip.LinkID(random.IntN(50))
					switch random.IntN(10) {
					case 0:
						last++
						m.Dial(last, "127.0.0.1", port)
					case 1:
						m.CloseLink(dialled)
					case 2:
						m.CloseLink(accepted)
					case 3:
						m.Known(accepted)
					case 4:
						m.Send(accepted, publish(random.IntN(10_000)))
					default:
						m.Send(last, publish(random.IntN(20_000)))
						m.Send(dialled, publish(random.IntN(10_000)))
					}
				}
			})
		}
		others.Go(func() { // stands in for the machine, up to its end
			received := 0
			for {
				select {
				case in := <-m.in:
					if _, is := in.(gossip.Received); is {
						if received++; received == 200 {
							close(enough)
						}
					}
				case <-m.settled:
				case <-m.quit:
					return
				}
			}
		})
		select {
		case <-enough:
		case <-time.After(patience):
			require.Fail(t, "nothing arrived")
		}
		m.stop()
		select {
		case in := <-m.in:
			require.Fail(t, "a report after the end", "%#v", in)
		default:
		}
		close(ended)
		others.Wait()
		_, err = net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		require.Error(t, err)
		m.Dial(1, "127.0.0.1", port)
		m.Send(1, nil)
	}
}

func TestListenAfterClose(t *testing.T) {
	m := newMachine(t, nil)
	m.stop()
	l := newPipeListener()
	m.Listen(l)
	_, err := l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}
