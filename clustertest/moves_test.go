package clustertest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// A watch is a connection that asks to be told when slots move.
type watch struct {
	node *node
	conn *client

	mu     sync.Mutex // guards what follows
	moves  []move
	frames map[int]string // what was said under each number
	err    error
}

// move is what SMIGRATED says of a slot.
type move struct {
	slot     int
	from, to string
	// number is that of a frame which says no more, else zero.
	number int
}

// watchMoves asks a node as a client of a library, or as one that does not say
// what it is.
func watchMoves(t testing.TB, n *node, library string) *watch {
	t.Helper()
	conn, err := dial(n.addr)
	require.NoError(t, err)
	w := &watch{node: n, conn: conn}
	_, err = conn.do("HELLO", "3")
	require.NoError(t, err)
	if library != "" {
		_, err = conn.do("CLIENT", "SETINFO", "LIB-NAME", library)
		require.NoError(t, err)
	}
	reply, err := conn.do("CLIENT", "MAINT_NOTIFICATIONS", "ON", "moving-endpoint-type", "none")
	require.NoError(t, err)
	require.Equal(t, "OK", reply)
	require.NoError(t, conn.conn.SetDeadline(time.Time{}))
	done := make(chan struct{})
	go func() { // ends when the connection is closed
		defer close(done)
		for {
			frame, err := conn.read()
			if err != nil {
				return
			}
			w.take(frame)
		}
	}()
	t.Cleanup(func() {
		conn.close()
		<-done
	})
	return w
}

func (w *watch) take(frame any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.read(frame); err != nil {
		w.err = fmt.Errorf("unexpected frame %v: %w", frame, err)
	}
}

// read takes apart a frame. Those of single moves have small numbers, and those
// of several others.
func (w *watch) read(frame any) error {
	m, _ := frame.([]any)
	if len(m) != 3 || m[0] != "SMIGRATED" {
		return errors.New("of another kind")
	}
	number := m[1].(int)
	if w.frames == nil {
		w.frames = map[int]string{}
	}
	if _, again := w.frames[number]; again {
		return errors.New("its number comes twice")
	}
	w.frames[number] = fmt.Sprint(m[2])
	var moves []move
	for _, t := range m[2].([]any) {
		triplet := t.([]any)
		for slots := range strings.SplitSeq(triplet[2].(string), ",") {
			first, last, isRange := strings.Cut(slots, "-")
			if !isRange {
				last = first
			}
			from, err := strconv.Atoi(first)
			if err != nil {
				return err
			}
			to, err := strconv.Atoi(last)
			if err != nil {
				return err
			}
			for slot := from; slot <= to; slot++ {
				moves = append(moves, move{slot: slot, from: triplet[0].(string), to: triplet[1].(string)})
			}
		}
	}
	switch {
	case len(moves) == 1:
		moves[0].number = number
	case number < 1<<52 || number >= 1<<53:
		return fmt.Errorf("%d moves under that number", len(moves))
	}
	w.moves = append(w.moves, moves...)
	return nil
}

// told returns the moves so far, in the order of the slots of each step: slots
// that are moved at the same time need not come in the order in which another node
// hears of them.
func (w *watch) told(steps []int) ([]move, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	moves := slices.Clone(w.moves)
	sortSteps(moves, steps)
	return moves, w.err
}

func sortSteps(moves []move, steps []int) {
	for _, n := range steps {
		n = min(n, len(moves))
		slices.SortFunc(moves[:n], func(a, b move) int { return a.slot - b.slot })
		moves = moves[n:]
	}
}

// sameMoves compares moves, whose numbers count where they were told one by one.
func sameMoves(got, want []move) bool {
	return slices.EqualFunc(got, want, func(g, w move) bool {
		return g.slot == w.slot && g.from == w.from && g.to == w.to && (g.number == 0 || g.number == w.number)
	})
}

// numbersAgree says whether nodes have said two things under one number.
func numbersAgree(watches []*watch) error {
	said := map[int]string{}
	for _, w := range watches {
		w.mu.Lock()
		frames := maps.Clone(w.frames)
		w.mu.Unlock()
		for number, text := range frames {
			if other, again := said[number]; again && other != text {
				return fmt.Errorf("%d stands for %s and for %s", number, other, text)
			}
			said[number] = text
		}
	}
	return nil
}

// configEpoch is the epoch of a node as another one sees it.
func configEpoch(of, seenBy *node) int {
	for line := range strings.Lines(seenBy.text("CLUSTER", "NODES")) {
		if words := strings.Fields(line); words[0] == of.id {
			epoch, err := strconv.Atoi(words[6])
			require.NoError(of.t, err)
			return epoch
		}
	}
	require.Fail(of.t, "no such node")
	return 0
}

// TestMovesAreToldAlike moves slots between slotcast nodes and a redis-server in
// all directions. Every slotcast node must tell every move once, alone or with
// others, and nothing of a failover. What nodes say under one number is the same,
// and a move that is told alone has the number that is its own.
func TestMovesAreToldAlike(t *testing.T) {
	redistest.Bin(t, "redis-server")
	quick := []string{"--cluster-node-timeout", "2000", "--cluster-allow-replica-migration", "no"}
	nodes := launchAll(t, []kind{slotcast, slotcast, slotcast, redis, redis}, quick...)
	ours, theirs, replica := nodes[:3], nodes[3], nodes[4]
	form(t, nodes, 4)
	replicate(replica, theirs, nodes[:4]...)
	var watches []*watch
	for _, n := range ours {
		// One is told of what has gathered, the other of each move at once.
		watches = append(watches, watchMoves(t, n, ""), watchMoves(t, n, "node-redis"))
	}
	s := newSession(t, nodes)
	var want []move
	var steps []int
	// expect waits until all have told of the moves of the last step, and of
	// nothing else.
	expect := func(what string, from, to *node, moved []int) {
		t.Helper()
		epoch := configEpoch(to, to)
		for _, slot := range moved {
			want = append(want, move{slot: slot, from: from.addr, to: to.addr, number: epoch<<14 + slot})
		}
		steps = append(steps, len(moved))
		for _, w := range watches {
			until(t, what+" to be told by "+w.node.addr, func() string {
				got, err := w.told(steps)
				if err != nil || !sameMoves(got, want) {
					return fmt.Sprintf("told are %v (%v), expected %v", got, err, want)
				}
				return ""
			})
		}
		require.NoError(t, numbersAgree(watches))
	}
	lowest := func(n, count int) (moved []int) {
		first, _ := share(n, 4)
		for i := range count {
			moved = append(moved, first+i)
		}
		return moved
	}

	s.reshard("redis to slotcast", theirs, ours[0], 20)
	expect("a move to slotcast", theirs, ours[0], lowest(3, 20))
	s.reshard("slotcast to redis", ours[1], theirs, 20)
	expect("a move to redis-server", ours[1], theirs, lowest(1, 20))
	s.reshard("slotcast to slotcast", ours[2], ours[1], 20)
	expect("a move between both", ours[2], ours[1], lowest(2, 20))

	// Single slots, back and forth, so that the epochs rise in turn.
	_, last := share(2, 4)
	for i, to := range []*node{theirs, ours[0], theirs, ours[2]} {
		from := []*node{ours[2], theirs, ours[0], theirs}[i]
		others := slices.DeleteFunc(slices.Clone(nodes[:4]), func(n *node) bool { return n == from || n == to })
		moveSlot(last, from, to, others...)
		expect("slot "+strconv.Itoa(last), from, to, []int{last})
	}

	// A failover moves nothing, but what its winner gives away does.
	require.Equal(t, "OK", replica.do("CLUSTER", "FAILOVER"))
	for _, n := range ours {
		until(t, "the failover", func() string {
			if line := nodeLine(n, replica.id); !strings.Contains(line, "master") {
				return n.addr + " has " + line
			}
			return ""
		})
	}
	agree(t, nodes)
	_, last = share(3, 4)
	moveSlot(last, replica, ours[1], ours[0], ours[2])
	expect("a move after the failover", replica, ours[1], []int{last})
}

func nodeLine(n *node, id string) string {
	for line := range strings.Lines(n.text("CLUSTER", "NODES")) {
		if strings.HasPrefix(line, id) {
			return line
		}
	}
	return ""
}
