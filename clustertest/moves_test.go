package clustertest

import (
	"fmt"
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

	mu    sync.Mutex // guards what follows
	moves []move
	err   error
}

// move is what SMIGRATED says.
type move struct {
	number         int
	from, to, slot string
}

func watchMoves(t testing.TB, n *node) *watch {
	t.Helper()
	conn, err := dial(n.addr)
	require.NoError(t, err)
	w := &watch{node: n, conn: conn}
	_, err = conn.do("HELLO", "3")
	require.NoError(t, err)
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
	m, _ := frame.([]any)
	if len(m) == 3 && m[0] == "SMIGRATED" {
		if list := m[2].([]any); len(list) == 1 {
			triplet := list[0].([]any)
			w.moves = append(w.moves, move{m[1].(int), triplet[0].(string), triplet[1].(string), triplet[2].(string)})
			return
		}
	}
	w.err = fmt.Errorf("unexpected frame %v", frame)
}

// told returns the moves so far, by number: slots that are moved at the same
// time need not come in the order in which another node hears of them.
func (w *watch) told() ([]move, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	moves := slices.Clone(w.moves)
	slices.SortFunc(moves, func(a, b move) int { return a.number - b.number })
	return moves, w.err
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
// all directions. Every slotcast node must tell every move once, with the same
// number, and nothing of a failover.
func TestMovesAreToldAlike(t *testing.T) {
	redistest.Bin(t, "redis-server")
	quick := []string{"--cluster-node-timeout", "2000", "--cluster-allow-replica-migration", "no"}
	nodes := launchAll(t, []kind{slotcast, slotcast, slotcast, redis, redis}, quick...)
	ours, theirs, replica := nodes[:3], nodes[3], nodes[4]
	form(t, nodes, 4)
	replicate(replica, theirs, nodes[:4]...)
	var watches []*watch
	for _, n := range ours {
		watches = append(watches, watchMoves(t, n))
	}
	s := newSession(t, nodes)
	var want []move
	// expect waits until all have told of the moves of the last step, and of
	// nothing else.
	expect := func(what string, from, to *node, moved []int) {
		t.Helper()
		epoch := configEpoch(to, to)
		for _, slot := range moved {
			want = append(want, move{epoch<<14 + slot, from.addr, to.addr, strconv.Itoa(slot)})
		}
		slices.SortFunc(want, func(a, b move) int { return a.number - b.number })
		for _, w := range watches {
			until(t, what+" to be told by "+w.node.addr, func() string {
				got, err := w.told()
				if err != nil || !slices.Equal(got, want) {
					return fmt.Sprintf("told are %v (%v), expected %v", got, err, want)
				}
				return ""
			})
		}
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
