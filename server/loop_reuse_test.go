package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNoByteReachesAnotherConnection ends connections in every manner while
// something is written to them, published to them, or their command waits, and
// opens others at once, which get the same descriptors. Whatever a client
// receives must have been meant for it.
func TestNoByteReachesAnotherConnection(t *testing.T) {
	s := startServer(t, "--enable-debug-command", "yes",
		"--client-output-buffer-limit", "pubsub", "300000", "0", "0",
		"--client-output-buffer-limit", "normal", "3000000", "0", "0")
	rounds := 30
	if testing.Short() {
		rounds = 10
	}
	const clients = 24
	var (
		wg, helpers sync.WaitGroup
		ids, tags   sync.Map // of those that are connected, as CLIENT ID gives them, and by name
		done        atomic.Bool
		next        atomic.Int64
	)
	help := func(f func(c *client)) {
		helpers.Add(1)
		c := s.dial(t)
		go func() {
			defer helpers.Done()
			for !done.Load() {
				f(c)
			}
		}()
	}
	help(func(c *client) { // kills
		ids.Range(func(id, _ any) bool {
			if rand.IntN(4) == 0 {
				c.do("CLIENT", "KILL", "ID", id.(string))
			}
			return true
		})
	})
	for range 2 {
		help(func(c *client) { // publishes what is meant for one each
			tags.Range(func(tag, _ any) bool {
				c.do("PUBLISH", tag.(string), taggedText(tag.(string), rand.IntN(40000)))
				return true
			})
		})
	}
	help(func(c *client) {
		c.do("CLIENT", "PAUSE", "2", "ALL")
		c.do("CLIENT", "LIST")
	})
	for range clients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range rounds {
				tag := fmt.Sprintf("<%d>", next.Add(1))
				if err := comeAndGo(s.addr, tag, &ids, &tags); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	done.Store(true)
	helpers.Wait()
	for until := time.Now().Add(patience); s.conns.len() > 4; {
		require.True(t, time.Now().Before(until), "%d connections are left", s.conns.len())
	}
}

func taggedText(tag string, n int) string { return strings.Repeat(tag, 1+n/len(tag)) }

// comeAndGo connects, asks for things that bear its tag, and leaves in some manner.
func comeAndGo(addr, tag string, ids, tags *sync.Map) error {
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	tc := nc.(*net.TCPConn)
	defer tc.Close()
	r := bufio.NewReader(tc)
	fmt.Fprint(tc, request("CLIENT", "ID"))
	line, err := r.ReadString('\n')
	if err != nil {
		return nil // killed already
	}
	id := strings.TrimSpace(line[1:])
	ids.Store(id, true)
	defer ids.Delete(id)
	if rand.IntN(2) == 0 {
		tags.Store(tag, true)
		defer tags.Delete(tag)
		fmt.Fprint(tc, request("HELLO", "3")+request("SUBSCRIBE", tag))
	}
	key := "{" + tag + "}"
	for range 1 + rand.IntN(6) {
		switch rand.IntN(6) {
		case 0:
			fmt.Fprint(tc, request("WAIT", "1", strconv.Itoa(1+rand.IntN(20))))
		case 1:
			fmt.Fprint(tc, request("DEBUG", "SLEEP", "0.005"))
		case 2:
			fmt.Fprint(tc, request("SET", key, taggedText(tag, 1<<19))+request("GET", key)+request("GET", key)+request("DEL", key))
		default:
			fmt.Fprint(tc, strings.Repeat(request("ECHO", taggedText(tag, rand.IntN(9000))), 1+rand.IntN(20)))
		}
	}
	switch rand.IntN(5) {
	case 0:
		tc.SetLinger(0)
		return nil
	case 1:
		return nil // with all of it unread
	case 2:
		tc.CloseWrite()
	case 3:
		fmt.Fprint(tc, request("QUIT"))
	default:
		tc.SetReadDeadline(time.Now().Add(time.Duration(rand.IntN(30)) * time.Millisecond))
	}
	all, _ := io.ReadAll(r)
	return meantFor(tag, all)
}

// meantFor looks for tags of others.
func meantFor(tag string, b []byte) error {
	rest := b
	for {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			return nil
		}
		rest = rest[i:]
		if n := min(len(tag), len(rest)); string(rest[:n]) != tag[:n] {
			return fmt.Errorf("%s received %q", tag, rest[:min(len(rest), 40)])
		}
		rest = rest[1:]
	}
}
