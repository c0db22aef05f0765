package server

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

// holdMoves sets how long moves are held back for those that have them gathered.
// A test ends a hold that does not end by itself with releaseMoves.
func (s *testServer) holdMoves(d time.Duration) {
	s.owner.do(func() {
		s.owner.moves = newGatherers()
		for i := range s.owner.moves {
			if g := &s.owner.moves[i]; g.hold > 0 {
				g.hold = d
			}
		}
	})
}

func (s *testServer) releaseMoves() {
	s.owner.do(func() {
		for i := range s.owner.moves {
			s.owner.moves[i].until = 0
		}
		s.owner.releaseMoves()
	})
}

// requireNoneWait looks at what is yet to be told.
func (s *testServer) requireNoneWait(t *testing.T) {
	t.Helper()
	s.owner.do(func() {
		_, waits := s.owner.moves.wait(0)
		require.False(t, waits)
	})
}

// gatheredFrame reads a frame of several moves, and returns its number and what
// follows it.
func (c *client) gatheredFrame() (number int64, rest string) {
	c.t.Helper()
	frame := c.reply()
	n, err := fmt.Sscanf(frame, ">3\r\n$9\r\nSMIGRATED\r\n:%d\r\n", &number)
	require.Equal(c.t, 1, n, "%q: %v", frame, err)
	require.GreaterOrEqual(c.t, number, int64(1)<<52)
	require.Less(c.t, number, int64(1)<<53)
	_, rest, _ = strings.Cut(frame, fmt.Sprintf(":%d\r\n", number))
	return number, rest
}

func triplet(from, to int, slots string) string {
	return "*3\r\n" + bulk(orderNodes[from].addr) + bulk(orderNodes[to].addr) + bulk(slots)
}

func TestMovesAreGathered(t *testing.T) {
	s := startOrderServer(t)
	s.holdMoves(time.Hour)
	c, other, late := s.dialRESP3(t), s.dial(t), s.dialRESP3(t)
	c.want("+OK\r\n", maintOn...)
	other.take(16000, secondNode)
	require.Equal(t, smigrated(16000, secondNode, thisNode, 5), c.reply(), "the first leaves at once")
	for _, slot := range []int{16003, 16001, 16005, 16004} {
		other.take(slot, secondNode)
	}
	other.take(16200, thirdNode)
	other.take(16383, thirdNode)
	c.want("+PONG\r\n", "PING")
	late.want("+OK\r\n", maintOn...)
	s.releaseMoves()
	number, rest := c.gatheredFrame()
	require.Equal(t, "*2\r\n"+triplet(secondNode, thisNode, "16001,16003-16005")+triplet(thirdNode, thisNode, "16200,16383"), rest)
	lateNumber, lateRest := late.gatheredFrame()
	require.Equal(t, number, lateNumber)
	require.Equal(t, rest, lateRest)
	// One that waits alone is told under its own number.
	other.take(16002, secondNode)
	c.want("+PONG\r\n", "PING")
	s.releaseMoves()
	require.Equal(t, smigrated(16002, secondNode, thisNode, 5), c.reply())
	s.releaseMoves()
	c.want("+PONG\r\n", "PING")
}

// TestAHoldEndsByItself waits for the owner's own clock.
func TestAHoldEndsByItself(t *testing.T) {
	s := startOrderServer(t)
	s.holdMoves(20 * time.Millisecond)
	c, other := s.dialRESP3(t), s.dial(t)
	c.want("+OK\r\n", maintOn...)
	for slot := 16000; slot < 16010; slot += 2 {
		other.want("+OK\r\n", "MULTI")
		for _, n := range []int{slot, slot + 1} {
			other.want("+QUEUED\r\n", setSlot(n, "IMPORTING", secondNode)...)
			other.want("+QUEUED\r\n", setSlot(n, "NODE", thisNode)...)
		}
		other.do("EXEC")
	}
	// However many frames they need on this machine, the last of them comes.
	for told := ""; !strings.Contains(told, "16009\r\n"); {
		_, told = c.gatheredFrame()
	}
}

// TestNothingStaleIsLeft: what waits is told to nobody who does not want it any
// more, and not at all if it is no longer so.
func TestNothingStaleIsLeft(t *testing.T) {
	s := startOrderServer(t)
	s.holdMoves(time.Hour)
	c, other := s.dialRESP3(t), s.dial(t)
	first := 16000
	// hold leaves a move waiting.
	hold := func() (slot int) {
		t.Helper()
		s.holdMoves(time.Hour)
		c.do("HELLO", "3")
		c.want("+OK\r\n", maintOn...)
		other.take(first, secondNode)
		require.Equal(t, smigrated(first, secondNode, thisNode, 5), c.reply())
		other.take(first+1, secondNode)
		first += 2
		return first - 1
	}
	quiet := func() {
		t.Helper()
		s.releaseMoves()
		c.want("+PONG\r\n", "PING")
		s.requireNoneWait(t)
	}
	hold()
	c.want("+OK\r\n", "CLIENT", "MAINT_NOTIFICATIONS", "OFF")
	quiet()
	slot := hold()
	c.want("+OK\r\n", "CLIENT", "MAINT_NOTIFICATIONS", "OFF")
	c.want("+OK\r\n", maintOn...)
	s.releaseMoves()
	require.Equal(t, smigrated(slot, secondNode, thisNode, 5), c.reply(), "it wants it when the frame leaves")
	for _, end := range [][]string{{"HELLO", "2"}, {"RESET"}} {
		hold()
		c.do(end...)
		quiet()
	}
	hold()
	other.want("+OK\r\n", "CONFIG", "SET", "cluster-maint-notifications", "no")
	quiet()
	other.want("+OK\r\n", "CONFIG", "SET", "cluster-maint-notifications", "yes")
	slot = hold()
	other.want("+OK\r\n", setSlot(slot, "NODE", secondNode)...) // and nobody else has claimed it yet
	quiet()
	hold()
	other.want("+OK\r\n", "CLUSTER", "RESET")
	s.requireNoneWait(t)
	quiet()
}

// TestMovesAreToldAtOnce to the libraries that are known to do well with it, in a
// frame for each, while they are gathered for others; nobody is told twice.
func TestMovesAreToldAtOnce(t *testing.T) {
	s := startOrderServer(t)
	s.holdMoves(time.Hour)
	named := func(lib string, before bool) *client {
		c := s.dialRESP3(t)
		name := func() { c.want("+OK\r\n", "CLIENT", "SETINFO", "LIB-NAME", lib) }
		if before {
			name()
		}
		c.want("+OK\r\n", maintOn...)
		if !before {
			name()
		}
		return c
	}
	quick := []*client{named("node-redis", true), named("node-redis(orders)", true)}
	// The last one asks before it says who it is, and is a stranger then.
	slow := []*client{named("redis-py", true), named("redis-py", false), named("go-redis(,go1.26.8)", true), named("node-redis", false)}
	other := s.dial(t)
	for slot := 16000; slot < 16004; slot++ {
		other.take(slot, secondNode)
		for _, c := range quick {
			require.Equal(t, smigrated(slot, secondNode, thisNode, 5), c.reply())
		}
	}
	for _, c := range slow {
		require.Equal(t, smigrated(16000, secondNode, thisNode, 5), c.reply())
		c.want("+PONG\r\n", "PING")
	}
	s.releaseMoves()
	for _, c := range slow {
		_, rest := c.gatheredFrame()
		require.Equal(t, "*1\r\n"+triplet(secondNode, thisNode, "16001-16003"), rest)
		c.want("+PONG\r\n", "PING")
	}
	for _, c := range quick {
		c.want("+PONG\r\n", "PING")
	}

	for _, c := range append(slow[:3:3], quick[1]) {
		c.want("+OK\r\n", "CLIENT", "MAINT_NOTIFICATIONS", "OFF")
	}

	// A name alone moves nobody to where it would miss what waits, or hear it
	// again; asking anew does.
	turning, late := quick[0], slow[3]
	turning.want("+OK\r\n", "CLIENT", "SETINFO", "LIB-NAME", "redis-py")
	turning.want("+OK\r\n", maintOn...)
	other.take(16004, secondNode)
	require.Equal(t, smigrated(16004, secondNode, thisNode, 5), turning.reply())
	for _, c := range []*client{turning, late} {
		c.want("+OK\r\n", "CLIENT", "MAINT_NOTIFICATIONS", "OFF")
		c.want("+OK\r\n", maintOn...)
	}
	other.take(16005, secondNode)
	require.Equal(t, smigrated(16005, secondNode, thisNode, 5), late.reply())
	turning.want("+PONG\r\n", "PING")
	s.releaseMoves()
	_, rest := turning.gatheredFrame()
	require.Equal(t, "*1\r\n"+triplet(secondNode, thisNode, "16004-16005"), rest, "it has asked since")
	late.want("+PONG\r\n", "PING")
	// What comes together leaves together.
	other.want("+OK\r\n", "MULTI")
	for _, slot := range []int{16010, 16011} {
		other.want("+QUEUED\r\n", setSlot(slot, "IMPORTING", secondNode)...)
		other.want("+QUEUED\r\n", setSlot(slot, "NODE", thisNode)...)
	}
	other.do("EXEC")
	_, rest = late.gatheredFrame()
	require.Equal(t, "*1\r\n"+triplet(secondNode, thisNode, "16010-16011"), rest)
	s.releaseMoves()
	_, rest = turning.gatheredFrame()
	require.Equal(t, "*1\r\n"+triplet(secondNode, thisNode, "16010-16011"), rest)
	for _, c := range []*client{turning, late} {
		c.want("+OK\r\n", "CLIENT", "MAINT_NOTIFICATIONS", "OFF")
	}
	require.Zero(t, s.movers.count.Load())
	s.movers.mu.Lock()
	defer s.movers.mu.Unlock()
	for _, conns := range s.movers.conns {
		require.Empty(t, conns)
	}
}

// TestALongFrameIsCut: it is one frame, in slices as all batches have them.
func TestALongFrameIsCut(t *testing.T) {
	v := startOrderServer(t).topology.current()
	id := func(n int) clusterstate.NodeID { return clusterstate.NodeID(orderNodes[n].id) }
	b := movesBatch{view: v}
	var slots []byte
	for slot := 0; slot < 16000; slot += 2 {
		c := carried{Move: mv(uint16(slot), id(secondNode), id(thisNode), 5), before: []clusterstate.NodeID{id(thirdNode)}}
		b.list = append(b.list, c)
		slots = fmt.Appendf(slots, "%d,", slot)
	}
	cut := b.encode(clusterstate.Variant{})
	require.Greater(t, len(cut), 1)
	for _, slice := range cut {
		require.LessOrEqual(t, len(slice), sliceSize)
	}
	text := string(slots[:len(slots)-1])
	from := []int{secondNode, thirdNode}
	slices.SortFunc(from, func(a, b int) int { return strings.Compare(orderNodes[a].id, orderNodes[b].id) })
	_, rest, _ := strings.Cut(string(bytes.Join(cut, nil)), "*2\r\n")
	require.Equal(t, triplet(from[0], thisNode, text)+triplet(from[1], thisNode, text), rest)
}
