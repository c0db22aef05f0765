package server

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/gossip"
)

func mv(slot uint16, from, to clusterstate.NodeID, epoch uint64) gossip.Move {
	return gossip.Move{Slot: slot, From: from, To: to, Epoch: epoch}
}

func TestTheFirstMoveLeavesAtOnce(t *testing.T) {
	const hold = 100 * time.Millisecond
	g := gatherer{hold: hold}
	at := 7 * time.Second
	waits := func(want time.Duration) {
		t.Helper()
		d, ok := g.wait(at)
		require.True(t, ok)
		require.Equal(t, want, d)
	}
	idle := func() {
		t.Helper()
		_, ok := g.wait(at)
		require.False(t, ok)
	}
	require.Empty(t, g.take(at, nil))
	require.Equal(t, []carried{{Move: mv(5, "a", "b", 9)}}, g.take(at, []gossip.Move{mv(5, "a", "b", 9)}))
	idle()
	at += 30 * time.Millisecond
	require.Empty(t, g.take(at, []gossip.Move{mv(7, "a", "b", 9)}))
	waits(70 * time.Millisecond)
	at += 60 * time.Millisecond
	require.Empty(t, g.take(at, []gossip.Move{mv(6, "c", "b", 9), mv(7, "b", "c", 10)}))
	waits(10 * time.Millisecond)
	at += 20 * time.Millisecond // the owner is late
	waits(0)
	want := []carried{{Move: mv(6, "c", "b", 9)}, {Move: mv(7, "b", "c", 10), before: []clusterstate.NodeID{"a"}}}
	require.Equal(t, want, g.release(at))
	idle()
	require.Empty(t, g.release(at), "nothing is told twice")
	// That frame has a hold of its own, which lasts from when it was due.
	at += 79 * time.Millisecond
	require.Empty(t, g.take(at, []gossip.Move{mv(8, "a", "b", 9)}))
	waits(11 * time.Millisecond)
	g.drop()
	idle()
	at += 11 * time.Millisecond
	require.Len(t, g.take(at, []gossip.Move{mv(1, "a", "b", 11), mv(9, "a", "b", 11)}), 2, "what comes at once leaves at once")
	at += 3 * hold
	require.Empty(t, g.release(at))
	require.Len(t, g.take(at, []gossip.Move{mv(2, "a", "b", 11)}), 1, "a release of nothing begins no hold")
	// What comes after the end of a hold is not of it, but for a slot that is.
	require.Empty(t, g.take(at, []gossip.Move{mv(3, "a", "b", 11), mv(4, "a", "b", 11)}))
	at += hold + 1
	require.Equal(t, []carried{{Move: mv(3, "a", "b", 11)}}, g.take(at, []gossip.Move{mv(4, "b", "c", 12), mv(5, "a", "b", 11)}))
	waits(hold - 1)
	want = []carried{{Move: mv(4, "b", "c", 12), before: []clusterstate.NodeID{"a"}}, {Move: mv(5, "a", "b", 11)}}
	require.Equal(t, want, g.release(at))
}

// TestFramesOfNodesCoincide: nodes that hear of moves within a moment, and are
// woken late, tell of most of them under the same numbers.
func TestFramesOfNodesCoincide(t *testing.T) {
	const hold, moves = 100 * time.Millisecond, 600
	r := rand.New(rand.NewPCG(1, 2))
	const nodes = 3
	told := map[int64]int{}
	for range nodes {
		g := gatherer{hold: hold}
		at := time.Hour
		tell := func(list []carried) {
			if len(list) > 0 {
				told[frameNumber(mentions(list, all))]++
			}
		}
		for slot := range uint16(moves) {
			at += 7 * time.Millisecond
			heard := at + time.Duration(r.IntN(int(time.Millisecond)))
			if d, ok := g.wait(heard); ok && d == 0 && r.IntN(2) == 0 {
				tell(g.release(heard)) // else the move is there before the timer is looked at
			}
			tell(g.take(heard, []gossip.Move{mv(slot, "a", "b", 9)}))
		}
		tell(g.release(at + hold))
	}
	alike := 0
	for _, times := range told {
		if times == nodes {
			alike++
		}
	}
	require.Less(t, len(told), 60)
	require.Greater(t, alike, 20)
}

func all(gossip.Move) bool { return true }

func TestWhatAFrameSaysOfASlot(t *testing.T) {
	said := func(moves ...gossip.Move) (text []string) {
		g := gatherer{hold: time.Hour, until: time.Hour}
		g.take(0, moves)
		for _, m := range mentions(g.release(0), all) {
			text = append(text, fmt.Sprintf("%d %s>%s", m.Slot, m.From, m.To))
		}
		return text
	}
	require.Equal(t, []string{"5 a>b"}, said(mv(5, "a", "b", 1)))
	require.Equal(t, []string{"5 a>c", "5 b>c"}, said(mv(5, "a", "b", 1), mv(5, "b", "c", 2)))
	require.Equal(t, []string{"5 b>a"}, said(mv(5, "a", "b", 1), mv(5, "b", "a", 2)), "it came back")
	require.Equal(t, []string{"5 a>b"}, said(mv(5, "a", "b", 1), mv(5, "b", "a", 2), mv(5, "a", "b", 3)))
	require.Equal(t, []string{"4 a>b", "9 a>b"}, said(mv(9, "a", "b", 1), mv(4, "a", "b", 1)))
}

// TestANumberSaysOneThing: any two frames that differ have different numbers, all
// of which a double can hold.
func TestANumberSaysOneThing(t *testing.T) {
	one := func(m ...gossip.Move) (list []mention) {
		for _, m := range m {
			list = append(list, mention{Move: m})
		}
		return list
	}
	require.EqualValues(t, 9<<14+5, frameNumber(one(mv(5, "a", "b", 9))))
	seen := map[int64]bool{}
	for _, list := range [][]mention{
		one(mv(5, "a", "b", 9)), one(mv(5, "a", "b", 10)), one(mv(6, "a", "b", 9)),
		one(mv(5, "a", "b", 9), mv(6, "a", "b", 9)), one(mv(5, "a", "b", 9), mv(7, "a", "b", 9)),
		one(mv(5, "a", "b", 9), mv(6, "a", "b", 10)), one(mv(5, "a", "b", 9), mv(6, "c", "b", 9)),
		one(mv(5, "a", "b", 9), mv(6, "a", "c", 9)), one(mv(5, "a", "b", 9), mv(6, "a", "b", 9), mv(7, "a", "b", 9)),
		// What came in two moves is not what the last of them says.
		{{Move: mv(5, "a", "b", 9), again: true}},
		one(mv(16383, "a", "b", 1<<38-1)),
	} {
		n := frameNumber(list)
		require.False(t, seen[n], "%v", list)
		seen[n] = true
		require.Less(t, n, int64(1)<<53)
		require.Equal(t, len(list) > 1 || list[0].again, n >= gathered, "%v", list)
	}
}

// TestClientsFollowGatheredMoves has nodes hear of the same moves at different
// times, while clients listen to one of them or to all. What nodes say under one
// number is the same; each tells of every slot that moved; and where a client
// listens to one node, each slot is where it ends, and is always said to come from
// where that client has it.
func TestClientsFollowGatheredMoves(t *testing.T) {
	for seed := range uint64(200) {
		followGatheredMoves(t, seed, 100*time.Millisecond)
		followGatheredMoves(t, seed, 0)
	}
}

func followGatheredMoves(t *testing.T, seed uint64, hold time.Duration) {
	const nodes, pace = 3, 66 * time.Millisecond
	names := []clusterstate.NodeID{"a", "b", "c", "d"}
	r := rand.New(rand.NewPCG(seed, 1))
	owner := map[uint16]clusterstate.NodeID{}
	var moves []gossip.Move
	var made []time.Duration
	at := time.Hour
	for epoch := range uint64(60) {
		slot := uint16(r.IntN(12))
		from, known := owner[slot]
		if !known {
			from = "a"
		}
		to := names[r.IntN(len(names))]
		if from == to {
			continue
		}
		owner[slot] = to
		at += time.Duration(r.IntN(int(pace)))
		moves, made = append(moves, mv(slot, from, to, epoch+1)), append(made, at)
	}
	numbers := map[int64]string{}
	for node := range nodes {
		g := gatherer{hold: hold}
		var alone []int64 // the numbers of frames of one move
		clientHas, told := map[uint16]clusterstate.NodeID{}, map[uint16]bool{}
		tell := func(list []carried) {
			said := mentions(list, all)
			if len(said) == 0 {
				return
			}
			text := fmt.Sprint(said)
			n := frameNumber(said)
			if n < gathered {
				alone = append(alone, n)
			}
			if before, again := numbers[n]; again {
				require.Equal(t, before, text, "seed %d: number %d", seed, n)
			}
			numbers[n] = text
			after := map[uint16]clusterstate.NodeID{}
			cameFrom := map[uint16][]clusterstate.NodeID{}
			for _, m := range said {
				after[m.Slot], told[m.Slot] = m.To, true
				cameFrom[m.Slot] = append(cameFrom[m.Slot], m.From)
			}
			for slot, to := range after {
				has, known := clientHas[slot]
				if !known {
					has = "a"
				}
				require.True(t, has == to || slices.Contains(cameFrom[slot], has), "seed %d, slot %d at %s: %s", seed, slot, has, text)
			}
			maps.Copy(clientHas, after)
		}
		for i, m := range moves {
			// Heard in order, each a little after it was made.
			heard := made[i] + time.Duration(node)*3*time.Millisecond
			if d, ok := g.wait(heard); ok && d == 0 {
				tell(g.release(g.until))
			}
			tell(g.take(heard, []gossip.Move{m}))
		}
		tell(g.release(at + hold))
		if hold == 0 {
			require.Len(t, alone, len(moves))
			for i, m := range moves {
				require.Equal(t, m.Number(), alone[i], "each by itself, in their order")
			}
		}
		for slot, to := range owner {
			require.True(t, told[slot], "seed %d", seed)
			has := clientHas[slot]
			require.Equal(t, to, has, "seed %d, slot %d", seed, slot)
		}
	}
}

// TestGatherersAreIndependent: each group is told of every move once, when its own
// hold lets it.
func TestGatherersAreIndependent(t *testing.T) {
	all := gatherers{{}, {hold: 20 * time.Millisecond}, {hold: 100 * time.Millisecond}}
	at := 7 * time.Second
	one := func(slot uint16) []carried { return []carried{{Move: mv(slot, "a", "b", 9)}} }
	waits := func(want time.Duration) {
		t.Helper()
		d, ok := all.wait(at)
		require.True(t, ok)
		require.Equal(t, want, d)
	}
	take := func(slot uint16) []telling { return all.take(at, []gossip.Move{mv(slot, "a", "b", 9)}) }
	require.Equal(t, []telling{{0, one(1)}, {1, one(1)}, {2, one(1)}}, take(1))
	_, ok := all.wait(at)
	require.False(t, ok)
	at += 5 * time.Millisecond
	require.Equal(t, []telling{{0, one(2)}}, take(2))
	waits(15 * time.Millisecond)
	require.Empty(t, all.release(at), "nothing is due")
	at += 15 * time.Millisecond
	require.Equal(t, []telling{{1, one(2)}}, all.release(at))
	waits(80 * time.Millisecond)
	at += 40 * time.Millisecond
	require.Equal(t, []telling{{0, one(3)}, {1, one(3)}}, take(3))
	at += 40 * time.Millisecond
	require.Equal(t, []telling{{2, append(one(2), one(3)...)}}, all.release(at))
	_, ok = all.wait(at)
	require.False(t, ok)
	require.Empty(t, all.release(at))
	take(4)
	waits(100 * time.Millisecond) // the second was told at once, after a quiet time
	all.drop()
	_, ok = all.wait(at)
	require.False(t, ok)
}
