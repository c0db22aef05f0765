package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

// publisherOn returns a connection as it is while a loop runs its commands.
func publisherOn(f *flusher) *conn {
	return &conn{server: &Server{flusher: f}, here: true, work: new(work)}
}

// publishTo has c publish a message of so many bytes to so many outboxes.
func publishTo(c *conn, payload, receivers int) {
	cl := &call{server: c.server, conn: c}
	cl.publish(make([]byte, payload), func() int {
		for i := range receivers {
			c.server.flusher.schedule(&outbox{conn: &conn{id: int64(i), server: c.server}})
		}
		return receivers
	})
}

// TestAPublisherKeepsPace: a part of what is queued must be written before it
// has its next turn.
func TestAPublisherKeepsPace(t *testing.T) {
	const share = fewOutboxes
	const round = share * roundShare
	f := idleFlusher(1)
	c, w := publisherOn(f), f.workers[0]
	w.state = writing
	write := func() {
		w.mu.Lock()
		w.writeQueued(f)
		w.mu.Unlock()
	}
	require.Nil(t, c.pace(), "it has not published")
	publishTo(c, 64, 0)
	require.Nil(t, c.pace(), "nobody got it")
	publishTo(c, 64, round-1)
	require.Nil(t, c.pace(), "so few take no time")
	publishTo(c, 64, 1)
	require.Equal(t, []uint64{share}, c.pace())
	require.Nil(t, c.pace(), "a turn without a message")
	publishTo(c, 64, round)
	goal := c.pace()
	require.Equal(t, []uint64{2 * share}, goal)

	// It goes on when its part is written, though the rest is not.
	rest := w.queue[2*share:]
	w.queue = w.queue[:2*share]
	write()
	f.await(goal) // it would not return
	w.queue = rest
	publishTo(c, 64, 1)
	require.NotNil(t, c.pace(), "the flusher is still far behind")
	write()
	publishTo(c, 64, 1)
	require.Nil(t, c.pace())
}

// TestWhoWritesAMessage: a publisher to few, the workers to many, or when they
// are at it anyway.
func TestWhoWritesAMessage(t *testing.T) {
	states := func(f *flusher) (list []workerState) {
		for _, w := range f.workers {
			list = append(list, w.state)
		}
		return list
	}
	for _, test := range []struct {
		name              string
		payload, messages int
		receivers         int
		during, after     []workerState
	}{
		{"few", 64, 1, fewOutboxes, []workerState{lent, lent}, []workerState{parked, parked}},
		{"many", 64, 1, fewOutboxes + 1, []workerState{writing, writing}, []workerState{writing, writing}},
		{"large", smallMessage + 1, 1, 2, []workerState{writing, writing}, []workerState{writing, writing}},
		{"few by few", 64, fewOutboxes/2 + 1, 2, []workerState{writing, writing}, []workerState{writing, writing}},
		{"none", 64, 3, 0, []workerState{lent, lent}, []workerState{parked, parked}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := idleFlusher(2)
			c := publisherOn(f)
			for range test.messages {
				publishTo(c, test.payload, test.receivers)
			}
			require.Equal(t, test.during, states(f))
			c.finish()
			require.Equal(t, test.after, states(f))
			for _, w := range f.workers {
				require.Equal(t, w.state == writing, len(w.queue) > 0)
				require.Equal(t, w.state == parked, w.written == w.queued)
			}
		})
	}

	f := idleFlusher(2)
	c := publisherOn(f)
	f.workers[0].state = writing
	publishTo(c, 64, 2)
	require.Equal(t, []workerState{writing, lent}, states(f))
	c.work.lent[0].closed = true // that changes nothing
	c.finish()
	require.Equal(t, []workerState{writing, parked}, states(f))
	require.Len(t, f.workers[0].queue, 1)
}

// TestNoWorkerIsLentDuringOtherCommands: what a publisher has added must not
// wait for a slow command that stands behind it in the same batch.
func TestNoWorkerIsLentDuringOtherCommands(t *testing.T) {
	s := startServer(t)
	sub, c := s.dial(t), s.dial(t)
	sub.do("SUBSCRIBE", "ch")
	slot := s.keys.Slot(clusterstate.KeySlot([]byte("key")))
	slot.Lock()
	c.raw(request("PUBLISH", "ch", "1") + request("PUBLISH", "ch", "2") + request("GET", "key"))
	for _, m := range []string{"1", "2"} {
		require.Equal(t, "*3\r\n$7\r\nmessage\r\n$2\r\nch\r\n"+bulk(m), sub.reply())
	}
	slot.Unlock()
	require.Equal(t, []string{":1\r\n", ":1\r\n", "$-1\r\n"}, []string{c.reply(), c.reply(), c.reply()})
}
