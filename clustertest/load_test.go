package clustertest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

// A load writes and reads keys all the time, as a cluster client does: it
// follows MOVED and ASK, and asks again after TRYAGAIN. Every other error is a
// failure, and so is a read that gives anything but the last acknowledged
// write. Each key has one writer, so that there is no doubt which that is.
type load struct {
	t       testing.TB
	seed    string // the address to begin with
	quit    chan struct{}
	workers []*worker
	running sync.WaitGroup

	moved, asked, tryAgain atomic.Int64 // redirections, of each kind
}

type worker struct {
	load    *load
	keys    [][2]string // pairs in one slot
	written map[string]string
	owners  [slots]string // as learned by MOVED
	conns   map[string]*client

	commands int
	err      error
}

// loadPace lies between two commands of one worker: the tests share a machine.
const loadPace = time.Millisecond

// startLoad keeps pairs of keys in each of these slots in use.
func startLoad(t testing.TB, seed *node, inSlots []int) *load {
	l := &load{t: t, seed: seed.addr, quit: make(chan struct{})}
	const workers = 2
	for i := range workers {
		w := &worker{load: l, written: make(map[string]string), conns: make(map[string]*client)}
		for j := i; j < len(inSlots); j += workers {
			tag := tagIn(inSlots[j])
			w.keys = append(w.keys, [2]string{"{" + tag + "}a", "{" + tag + "}b"})
		}
		l.workers = append(l.workers, w)
		l.running.Add(1)
		go func() { // ends with stop, or with its first error
			defer l.running.Done()
			w.err = w.run(rand.New(rand.NewPCG(uint64(i), 7)))
		}()
	}
	t.Cleanup(func() { l.halt() })
	return l
}

// tagIn finds a hash tag for the slot.
func tagIn(slot int) string {
	for i := 0; ; i++ {
		if tag := strconv.Itoa(i); int(clusterstate.KeySlot([]byte(tag))) == slot {
			return tag
		}
	}
}

func (l *load) halt() {
	select {
	case <-l.quit:
	default:
		close(l.quit)
	}
	l.running.Wait()
}

// stop ends the load, reads every key once more and checks that no command
// failed.
func (l *load) stop() {
	l.t.Helper()
	l.halt()
	for _, w := range l.workers {
		require.NoError(l.t, w.err)
		for key := range w.written {
			require.NoError(l.t, w.get(key))
		}
		require.Greater(l.t, w.commands, 2*len(w.keys), "the load came to nothing")
		for _, c := range w.conns {
			c.close()
		}
	}
	l.t.Logf("the load was redirected: %d MOVED, %d ASK, %d TRYAGAIN", l.moved.Load(), l.asked.Load(), l.tryAgain.Load())
	require.Positive(l.t, l.moved.Load(), "the load has seen no slot move")
}

// meetsHalfMoved waits until the load has come upon a slot of whose keys some
// have moved.
func (l *load) meetsHalfMoved() {
	l.t.Helper()
	before := l.tryAgain.Load()
	until(l.t, "a TRYAGAIN", func() string {
		if l.tryAgain.Load() > before {
			return ""
		}
		return "none so far"
	})
}

func (w *worker) run(random *rand.Rand) error {
	pace := time.NewTicker(loadPace)
	defer pace.Stop()
	for i := 0; ; i++ {
		select {
		case <-w.load.quit:
			return nil
		case <-pace.C:
		}
		pair := w.keys[i%len(w.keys)] // a first round writes every key
		if i >= len(w.keys) {
			pair = w.keys[random.IntN(len(w.keys))]
		}
		var err error
		switch value := strconv.Itoa(i); {
		case i < len(w.keys) || random.IntN(4) == 0:
			err = w.set("MSET", pair[0], value, pair[1], value)
		case random.IntN(3) == 0:
			err = w.set("SET", pair[random.IntN(2)], value)
		case random.IntN(2) == 0:
			err = w.get(pair[random.IntN(2)])
		default:
			err = w.getBoth(pair)
		}
		if err != nil {
			return err
		}
	}
}

func (w *worker) set(words ...string) error {
	reply, err := w.do(words[1], words...)
	if err != nil {
		return err
	}
	if reply != "OK" {
		return fmt.Errorf("%q gave %v", words, reply)
	}
	for i := 1; i < len(words); i += 2 {
		w.written[words[i]] = words[i+1]
	}
	return nil
}

func (w *worker) get(key string) error {
	reply, err := w.do(key, "GET", key)
	if err != nil {
		return err
	}
	if reply != w.written[key] {
		return fmt.Errorf("GET %s gave %v, expected %q", key, reply, w.written[key])
	}
	return nil
}

func (w *worker) getBoth(pair [2]string) error {
	reply, err := w.do(pair[0], "MGET", pair[0], pair[1])
	want := []any{w.written[pair[0]], w.written[pair[1]]}
	if err != nil {
		return err
	}
	if fmt.Sprint(reply) != fmt.Sprint(want) {
		return fmt.Errorf("MGET %q gave %v, expected %v", pair, reply, want)
	}
	return nil
}

// do gives a command to whoever serves its key.
func (w *worker) do(key string, words ...string) (any, error) {
	slot := clusterstate.KeySlot([]byte(key))
	addr, asking := w.owners[slot], false
	if addr == "" {
		addr = w.load.seed
	}
	w.commands++
	var story []string
	for end := time.Now().Add(patience); ; {
		reply, err := w.ask(addr, asking, words)
		if err != nil {
			return nil, err
		}
		fault, is := reply.(errorReply)
		if !is {
			return reply, nil
		}
		story = append(story, fmt.Sprintf("%s: %s", addr, fault))
		f := strings.Fields(string(fault))
		switch {
		case time.Now().After(end):
			return nil, fmt.Errorf("%q is never served: %q", words, story[max(0, len(story)-8):])
		case f[0] == "MOVED" && len(f) == 3:
			w.load.moved.Add(1)
			w.owners[slot], addr, asking = f[2], f[2], false
		case f[0] == "ASK" && len(f) == 3:
			w.load.asked.Add(1)
			addr, asking = f[2], true
		case f[0] == "TRYAGAIN":
			w.load.tryAgain.Add(1)
			// The slot is on its way: begin at its owner again, a little later.
			pause := time.NewTimer(loadPace)
			<-pause.C
			addr, asking = w.owners[slot], false
			if addr == "" {
				addr = w.load.seed
			}
		default:
			return nil, fmt.Errorf("%q failed: %q", words, story)
		}
	}
}

func (w *worker) ask(addr string, asking bool, words []string) (any, error) {
	c := w.conns[addr]
	if c == nil {
		var err error
		if c, err = dial(addr); err != nil {
			return nil, err
		}
		w.conns[addr] = c
	}
	if asking {
		if reply, err := c.do("ASKING"); err != nil || reply != "OK" {
			return nil, errors.Join(fmt.Errorf("ASKING gave %v", reply), err)
		}
	}
	return c.do(words...)
}
