package server

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCachesAreCoherent has clients with caches read what others change in all
// ways that there are, while more of them come and go and the table is too small
// for all. When the writers have their last replies, each client that has read
// on until then has nothing in its cache that is not so.
func TestCachesAreCoherent(t *testing.T) {
	s := startServer(t, "--tracking-table-max-keys", "40")
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	key := func(r *rand.Rand) string { return fmt.Sprintf("%d:{%d}", r.IntN(10), r.IntN(6)) }
	var writers, readers, passers sync.WaitGroup
	var over atomic.Bool

	for w := range 3 {
		c := s.dial(t)
		writers.Add(1)
		go func() { // ends by itself
			defer writers.Done()
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for i := range rounds {
				k := key(r)
				switch r.IntN(12) {
				case 0:
					c.do("DEL", k)
				case 1:
					c.do("SET", k, "soon over", "PX", "1")
				case 2:
					c.do("SET", k, "over", "PXAT", "1")
				case 3:
					c.send("MULTI")
					c.send("SET", k, fmt.Sprint("transaction", w, i))
					c.send("APPEND", k, "!")
					c.send("EXEC")
					for range 4 {
						c.reply()
					}
				case 4:
					if r.IntN(20) == 0 {
						c.do("FLUSHALL")
					}
				case 5:
					c.do("RENAME", k, k+"'")
					c.do("RENAME", k+"'", k)
				default:
					c.do("SET", k, fmt.Sprint("value", w, ":", i))
				}
			}
		}()
	}
	modes := [][]string{
		{"ON"}, {"ON", "NOLOOP"}, {"ON", "OPTOUT"}, {"ON", "OPTIN"},
		{"ON", "BCAST"}, {"ON", "BCAST", "NOLOOP", "PREFIX", "1", "PREFIX", "2", "PREFIX", "3"},
	}
	clients := make([]*caching, len(modes))
	for n, mode := range modes {
		c := s.dialCaching(t, mode...)
		clients[n] = c
		read := func(r *rand.Rand) {
			switch {
			case mode[len(mode)-1] == "OPTIN":
				k := key(r)
				c.send("CLIENT", "CACHING", "YES")
				c.send("GET", k)
				require.Equal(t, "+OK\r\n", c.next())
				c.cache[k] = c.next()
			case len(mode) > 3:
				c.get(fmt.Sprintf("%d:{%d}", 1+r.IntN(3), r.IntN(6)))
			case r.IntN(4) == 0:
				k := key(r)
				c.send("MULTI")
				c.send("GET", k)
				c.send("EXEC")
				c.next()
				c.next()
				value := c.next() // an array of one
				c.cache[k] = value[len("*1\r\n"):]
			case r.IntN(8) == 0 && len(mode) == 1:
				c.send("SET", key(r), "my own")
				require.Equal(t, "+OK\r\n", c.next())
			default:
				c.get(key(r), key(r), key(r))
			}
		}
		readers.Add(1)
		go func() { // ends when over is set
			defer readers.Done()
			for r := rand.New(rand.NewPCG(uint64(n), 2)); !over.Load(); {
				read(r)
			}
		}()
	}
	for p := range 2 {
		passers.Add(1)
		go func() { // ends when over is set
			defer passers.Done()
			for r := rand.New(rand.NewPCG(uint64(p), 3)); !over.Load(); {
				c := s.dialCaching(t, modes[r.IntN(len(modes))]...)
				c.get(key(r), key(r), key(r), key(r))
				if r.IntN(2) == 0 {
					c.send("CLIENT", "TRACKING", "OFF")
					require.Equal(t, "+OK\r\n", c.next())
				}
				c.Close()
			}
		}()
	}
	writers.Wait()
	over.Store(true)
	readers.Wait()
	passers.Wait()
	for _, c := range clients {
		c.upToDate()
	}
	// Expired keys that nobody has come across are gone to readers and are told
	// of when they are found.
	judge := s.dial(t)
	judge.do("HELLO", "3")
	found := 0
	for n, c := range clients {
		for k, cached := range c.cache {
			now := judge.do("GET", k)
			c.upToDate()
			if _, still := c.cache[k]; still {
				require.Equal(t, now, cached, "%v has %s", modes[n], k)
				found++
			}
		}
	}
	require.NotZero(t, found)
	s.until(t, "who has left is forgotten", func() bool { return s.caches.table.Items() <= int64(40*len(modes)) })
	require.EqualValues(t, len(modes), s.caches.clients.Load())
}
