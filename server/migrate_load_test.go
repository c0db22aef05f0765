package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// loader is a client of both nodes of a pair that follows redirects, as client
// libraries do. It serves one goroutine.
type loader struct {
	addrs     [2]string
	conns     [2]*client
	home      map[string]int // by hash tag: where the last command was served
	redirects int
}

func newLoader(addrs [2]string) (*loader, error) {
	l := &loader{addrs: addrs, home: make(map[string]int)}
	for i, addr := range addrs {
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			return nil, err
		}
		if err := nc.SetDeadline(time.Now().Add(2 * patience)); err != nil {
			return nil, err
		}
		l.conns[i] = &client{Conn: nc, r: bufio.NewReader(nc)}
	}
	return l, nil
}

func (l *loader) close() {
	for _, c := range l.conns {
		c.Close()
	}
}

// do runs a command on keys with one hash tag.
func (l *loader) do(tag string, args ...string) (string, error) {
	node, ask := l.home[tag], false
	for {
		c := l.conns[node]
		send := request(args...)
		if ask {
			send = request("ASKING") + send
		}
		if _, err := io.WriteString(c, send); err != nil {
			return "", err
		}
		if ask {
			if err := c.read(new(strings.Builder)); err != nil {
				return "", err
			}
		}
		var b strings.Builder
		if err := c.read(&b); err != nil {
			return "", fmt.Errorf("%q: %w", args, err)
		}
		reply, words := b.String(), strings.Fields(b.String())
		switch words[0] {
		case "-MOVED", "-ASK":
			l.redirects++
			if node = slices.Index(l.addrs[:], words[2]); node < 0 {
				return "", errors.New(reply)
			}
			if ask = words[0] == "-ASK"; !ask {
				l.home[tag] = node
			}
		case "-TRYAGAIN":
			node, ask = l.home[tag], false
		default:
			return reply, nil
		}
	}
}

// countWriter is the only one who writes the counters {tag}0, {tag}1 … and so
// knows what each of them must be.
type countWriter struct {
	*loader
	tag    string
	counts [16]int
	done   int // commands
}

func (w *countWriter) key(i int) string { return fmt.Sprintf("{%s}%d", w.tag, i) }

// value is what GET answers for a counter.
func (w *countWriter) value(i int) string {
	if w.counts[i] == 0 {
		return "$-1\r\n"
	}
	return bulk(strconv.Itoa(w.counts[i]))
}

// step runs one command and compares its reply.
func (w *countWriter) step(r *rand.Rand) error {
	i, j := r.IntN(len(w.counts)), r.IntN(len(w.counts))
	var args []string
	var want string
	switch r.IntN(8) {
	case 0, 1, 2:
		w.counts[i]++
		args, want = []string{"INCR", w.key(i)}, fmt.Sprintf(":%d\r\n", w.counts[i])
	case 3:
		args, want = []string{"MGET", w.key(i), w.key(j)}, "*2\r\n"+w.value(i)+w.value(j)
	case 4:
		args, want = []string{"PEXPIRE", w.key(i), "3600000"}, ":1\r\n"
		if w.counts[i] == 0 {
			want = ":0\r\n"
		}
	case 5:
		// The counters in the upper half also begin anew.
		if i >= len(w.counts)/2 {
			args, want = []string{"DEL", w.key(i)}, ":1\r\n"
			if w.counts[i] == 0 {
				want = ":0\r\n"
			}
			w.counts[i] = 0
			break
		}
		fallthrough
	default:
		args, want = []string{"GET", w.key(i)}, w.value(i)
	}
	got, err := w.do(w.tag, args...)
	if err == nil && got != want {
		err = fmt.Errorf("%q answers %q, not %q", args, got, want)
	}
	w.done++
	return err
}

// countReader reads the counters in the lower half, which never fall.
type countReader struct {
	*loader
	tag  string
	seen [8]int
}

func (rd *countReader) step(r *rand.Rand) error {
	i := r.IntN(len(rd.seen))
	got, err := rd.do(rd.tag, "GET", fmt.Sprintf("{%s}%d", rd.tag, i))
	if err != nil {
		return err
	}
	n := 0
	if got != "$-1\r\n" {
		_, body, _ := strings.Cut(got, "\r\n")
		if n, err = strconv.Atoi(strings.TrimSpace(body)); err != nil {
			return fmt.Errorf("counter %d answers %q", i, got)
		}
	}
	if n < rd.seen[i] {
		return fmt.Errorf("counter %d of %s fell from %d to %d", i, rd.tag, rd.seen[i], n)
	}
	rd.seen[i] = n
	return nil
}

// load is writers and readers at work.
type load struct {
	writers []*countWriter
	quit    chan struct{}
	failed  chan error
	running sync.WaitGroup
}

// startLoad starts a writer and a reader for each tag.
func startLoad(t testing.TB, addrs [2]string, tags []string) *load {
	t.Helper()
	ld := &load{quit: make(chan struct{}), failed: make(chan error, 2*len(tags))}
	run := func(l *loader, seed uint64, step func(*rand.Rand) error) {
		ld.running.Add(1)
		go func() { // ends with quit, or at the first wrong reply
			defer ld.running.Done()
			defer l.close()
			r := rand.New(rand.NewPCG(seed, seed))
			for {
				select {
				case <-ld.quit:
					return
				default:
				}
				if err := step(r); err != nil {
					ld.failed <- err
					return
				}
			}
		}()
	}
	for i, tag := range tags {
		wl, err := newLoader(addrs)
		require.NoError(t, err)
		w := &countWriter{loader: wl, tag: tag}
		ld.writers = append(ld.writers, w)
		run(wl, uint64(i), w.step)
		rl, err := newLoader(addrs)
		require.NoError(t, err)
		run(rl, uint64(100+i), (&countReader{loader: rl, tag: tag}).step)
	}
	return ld
}

// stop ends the load and fails the test if a reply was wrong.
func (ld *load) stop(t testing.TB) {
	t.Helper()
	close(ld.quit)
	ld.running.Wait()
	close(ld.failed)
	for err := range ld.failed {
		require.NoError(t, err)
	}
}

// TestMigrateUnderLoad moves slots to and fro while clients read and write the
// keys in them. Each writer knows what every reply must be, so a write that is
// lost, done twice or served by both nodes shows at once.
func TestMigrateUnderLoad(t *testing.T) {
	tags, rounds := []string{"a", "b", "c", "d"}, 12
	if testing.Short() {
		rounds = 4
	}
	for _, kinds := range [][2]string{{"slotcast", "slotcast"}, {"slotcast", "redis"}, {"redis", "slotcast"}} {
		t.Run(kinds[0]+" and "+kinds[1], func(t *testing.T) {
			p := startPair(t, kinds)
			ld := startLoad(t, p.addrs, tags)
			moved := 0
			for round := range rounds {
				for _, tag := range tags {
					moved += p.move(slotOf("{"+tag+"}"), round%2)
				}
			}
			ld.stop(t)
			commands, redirects, keys := 0, 0, 0
			last, err := newLoader(p.addrs)
			require.NoError(t, err)
			defer last.close()
			for _, w := range ld.writers {
				commands += w.done
				redirects += w.redirects
				for i := range w.counts {
					got, err := last.do(w.tag, "GET", w.key(i))
					require.NoError(t, err)
					require.Equal(t, w.value(i), got)
					if w.counts[i] > 0 {
						keys++
					}
				}
			}
			left := 0
			for _, c := range p.admin {
				n, err := strconv.Atoi(strings.TrimSpace(c.do("DBSIZE")[1:]))
				require.NoError(t, err)
				left += n
			}
			require.Equal(t, keys, left, "each key is on one node")
			require.Greater(t, redirects, len(tags))
			require.Greater(t, moved, rounds*len(tags))
			t.Logf("%d commands, %d redirects, %d keys moved", commands, redirects, moved)
		})
	}
}
