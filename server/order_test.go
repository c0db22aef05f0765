package server

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/channels"
	"slotcast/clusterstate"
	"slotcast/keyspace"
	"slotcast/nodesfile"
)

var orderSeed = flag.Uint64("order.seed", 1, "what the tests of order draw their commands from")

const (
	orderWriters = 3
	orderRounds  = 4
	// Steps of each actor in a round.
	moverSteps, writerSteps, subscriberSteps = 25, 40, 12
)

// orderNodesConf is the cluster file of a node that knows three others.
func orderNodesConf() string {
	line := func(n int, port, flags, epoch, slots string) string {
		return fmt.Sprintf("%s %s@%s %s - 0 0 %s connected%s\n", orderNodes[n].id, orderNodes[n].addr, port, flags, epoch, slots)
	}
	return line(thisNode, "16379", "myself,master", "1", " 0-15999") +
		line(secondNode, "40002", "master", "2", " 16000-16191") +
		line(thirdNode, "40003", "master", "3", " 16192-16383") +
		line(hiddenNode, "40004", "master", "4", "") +
		"vars currentEpoch 4 lastVoteEpoch 0\n"
}

// startOrderServer starts a node that serves at once, although its cluster file
// names others.
func startOrderServer(t testing.TB, directives ...string) *testServer {
	storage := nodesfile.NewMemory()
	require.NoError(t, storage.Save([]byte(orderNodesConf()), true))
	// Nobody answers for the others. Were they found to fail, this node would
	// be alone and close its subscribers in the middle of a long run.
	directives = append([]string{"--cluster-node-timeout", "3600000"}, directives...)
	ts := startServerFrom(t, &slowStorage{Storage: storage, dawdler: dawdler{seed: *orderSeed}}, directives...)
	ts.owner.do(func() {
		// The node has been up for a while, as far as it can tell.
		ts.started = ts.started.Add(-time.Minute)
		ts.owner.tick()
	})
	require.Contains(t, ts.dial(t).do("CLUSTER", "INFO"), "cluster_state:ok")
	return ts
}

// hotSlots are neighbours, so that their rows merge, with a hash tag each.
func hotSlots(from, n int, dropped func(i int) bool) []hotSlot {
	list := make([]hotSlot, n)
	for i := range list {
		list[i] = hotSlot{number: from + i, dropped: dropped(i)}
		for tag := 0; list[i].tag == ""; tag++ {
			if text := fmt.Sprint(tag); int(clusterstate.KeySlot([]byte(text))) == from+i {
				list[i].tag = text
			}
		}
	}
	return list
}

// dawdler is a listener that takes its time, without blocking, wherever the
// server tells somebody something: under the lock of a slot that is read or
// written, under the commit lock before the rows have reached the others. What
// such a lock has to hold together then has every chance to come apart.
type dawdler struct {
	seed  uint64
	turns atomic.Uint64
}

func (d *dawdler) Deliver(channels.Batch) { d.dawdle(20) }

func (d *dawdler) dawdle(most int) {
	for range rand.New(rand.NewPCG(d.seed, d.turns.Add(1))).IntN(most) {
		runtime.Gosched()
	}
}

// slowStorage is a disk that takes its time, between the check of a command and
// its commit.
type slowStorage struct {
	nodesfile.Storage
	dawdler
}

func (s *slowStorage) Save(text []byte, sync bool) error {
	s.dawdle(100)
	return s.Storage.Save(text, sync)
}

// TestChangesHaveOneOrder runs movers of slots, writers, readers and subscribers
// against each other. Every connection checks, while it goes, that replies,
// redirections, maps and rows come in the order of one history; between the
// rounds, when all is quiet, all must have ended with the same map, and no key
// may have been left behind in a slot that went.
func TestChangesHaveOneOrder(t *testing.T) {
	for _, coverage := range []string{"no", "yes"} {
		t.Run("full coverage "+coverage, func(t *testing.T) {
			ts := startOrderServer(t, "--cluster-require-full-coverage", coverage, "--notify-keyspace-events", "KAm")
			newOrderRun(t, ts, coverage == "yes").run()
		})
	}
}

// actor is one client of the run.
type actor struct {
	*witness
	steps int
	step  func() error
}

type orderRun struct {
	t       *testing.T
	ts      *testServer
	slots   []hotSlot
	writers []*writer
	actors  []actor
	plain   *witness // does not listen
}

func newOrderRun(t *testing.T, ts *testServer, needsAll bool) *orderRun {
	slow := &dawdler{seed: *orderSeed}
	for _, name := range []string{channels.Slots, channels.SlotsRow, channels.SlotsJSON, channels.SlotsMoved} {
		ts.channels.Subscribe(name, slow)
	}
	ts.channels.SubscribePattern("__keyspace@0__:*", slow)

	run := &orderRun{t: t, ts: ts, plain: &witness{client: ts.dial(t)}}
	random := func(n int) *rand.Rand { return rand.New(rand.NewPCG(*orderSeed, uint64(n))) }
	baseline := []string{channels.Slots, channels.Snapshot}
	for i := range 2 {
		// With full coverage a slot that is nobody's stops all the others, so
		// there only one of six goes that way.
		slots := hotSlots(100+6*i, 6, func(n int) bool { return n == 2 || n == 4 && !needsAll })
		run.slots = append(run.slots, slots...)
		m := &mover{witness: newWitness(t, ts, fmt.Sprintf("mover %d", i), "3", baseline...), r: random(i), slots: slots, keys: ts.keys, left: map[int]int{}}
		run.actors = append(run.actors, actor{m.witness, moverSteps, m.step})
	}
	for i := range orderWriters {
		w := &writer{witness: newWitness(t, ts, fmt.Sprintf("writer %d", i), "3", baseline...), r: random(10 + i),
			id: i, slots: run.slots, needsAll: needsAll, acked: map[string]string{}}
		run.writers = append(run.writers, w)
		run.actors = append(run.actors, actor{w.witness, writerSteps, w.step})
	}
	for i, s := range []struct{ protocol, channel string }{
		{"2", channels.Slots}, {"3", channels.Slots}, {"2", channels.SlotsRow}, {"3", channels.SlotsJSON}, {"2", channels.SlotsJSON},
	} {
		name := fmt.Sprintf("subscriber of %s in RESP%s", s.channel, s.protocol)
		sub := &subscriber{newWitness(t, ts, name, s.protocol, s.channel, channels.Snapshot), random(20 + i), s.channel}
		run.actors = append(run.actors, actor{sub.witness, subscriberSteps, sub.step})
	}
	bare := &bareSubscriber{newWitness(t, ts, "subscriber without a channel", "3", channels.Snapshot), random(50)}
	run.actors = append(run.actors, actor{bare.witness, subscriberSteps, bare.step})
	moved := newWitness(t, ts, "subscriber of owners", "2", channels.SlotsMoved, channels.Snapshot)
	run.actors = append(run.actors, actor{moved, subscriberSteps, moved.settle})
	for i := range 2 {
		f := &flipper{&witness{client: ts.dial(t), name: fmt.Sprintf("flipper %d", i), shards: map[string]int{}}, random(40 + i)}
		run.actors = append(run.actors, actor{f.witness, writerSteps, f.step})
	}
	reader := &witness{client: ts.dial(t), name: "reader"}
	run.actors = append(run.actors, actor{reader, writerSteps, func() error {
		// Who does not listen knows no order, but sees no state inside an EXEC.
		n, err := reader.ask("CLUSTER", "SLOTS")
		if err == nil {
			_, err = parseMap(n)
		}
		return err
	}})
	return run
}

func (run *orderRun) run() {
	for range orderRounds {
		failed := make([]error, len(run.actors))
		var all sync.WaitGroup
		for i, a := range run.actors {
			a.giveTime()
			all.Add(1)
			go func() { // ends with its steps, or at the deadline of its connection
				defer all.Done()
				for range a.steps {
					if failed[i] = a.step(); failed[i] != nil {
						return
					}
				}
			}()
		}
		all.Wait()
		for i, err := range failed {
			require.NoError(run.t, err, "%s, seed %d", run.actors[i].name, *orderSeed)
		}
		run.quiet()
		if run.t.Failed() {
			return
		}
	}
}

// quiet compares what everybody knows, while nothing happens.
func (run *orderRun) quiet() {
	t := run.t
	run.plain.giveTime()
	n, err := run.plain.ask("CLUSTER", "SLOTS")
	require.NoError(t, err)
	now, err := parseMap(n)
	require.NoError(t, err)
	for _, a := range run.actors {
		require.NoError(t, a.settle(), a.name)
		if !a.known {
			continue // never listened
		}
		if strings.Contains(a.name, "owners") {
			// It is not told of a slot that is nobody's.
			for i, owner := range now {
				if owner == nobody {
					a.slots[i] = nobody
				}
			}
		}
		require.NoError(t, now.same(&a.slots), a.name)
		for name, slot := range a.shards {
			require.EqualValues(t, thisNode, now[slot], "%s listens to %s", a.name, name)
		}
	}
	for _, h := range run.slots {
		run.checkKeys(h, now[h.number] == thisNode)
	}
}

// checkKeys looks past the redirections: whatever is in a slot was acknowledged,
// and what asked about its keys before it went has left none behind.
func (run *orderRun) checkKeys(h hotSlot, here bool) {
	slot := run.ts.keys.Slot(uint16(h.number))
	slot.Lock()
	defer slot.Unlock()
	if !here && !h.dropped {
		require.Zero(run.t, slot.Len(), "keys in slot %d, which went", h.number)
	}
	for _, w := range run.writers {
		for n := range keysPerWriter {
			key := h.key(w.id, n)
			e := slot.Lookup([]byte(key), time.Now().UnixMilli(), keyspace.Peek)
			if e != nil {
				require.Equal(run.t, w.acked[key], string(e.Value().(*keyspace.String).Bytes(nil)), "the value of %s", key)
			}
		}
	}
}
