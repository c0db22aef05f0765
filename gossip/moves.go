package gossip

import (
	"math/bits"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// Move tells that a slot has come from one primary to another. A failover is
// none.
//
// It is told once the new owner itself claims the slot, and Epoch is the config
// epoch of that claim. So every node that hears the claim tells the same, no
// matter who had told it before who owns the slot, or in which order. (Who misses
// the claim at that epoch, and hears one at a later epoch, tells the later one.)
type Move struct {
	Slot     uint16
	From, To clusterstate.NodeID
	Epoch    uint64
}

// maxMoveEpoch bounds the epoch of a move, so that its number is below 2^52. Above
// it is the place of other numbers, and a little higher the end of those that
// JavaScript can tell apart. No cluster gets there; a peer may say so.
const maxMoveEpoch = 1<<38 - 1

// Number names the move: no other has the same.
func (m Move) Number() int64 { return int64(m.Epoch<<14 | uint64(m.Slot)) }

// moves is what a node remembers of moves.
type moves struct {
	// open are the slots whose owner has yet to claim them itself: a command,
	// an UPDATE or its own replica has named it. Those that are nobody's after
	// they were somebody's are among them.
	open frame.Bitmap

	// held says of an open slot who was the last to claim it.
	held bySlot[holding]

	// told is the epoch of the last move of a slot, failovers included. Only a
	// greater one makes a move: with the lower epoch of a slot that was given
	// away without a new one, a number could come twice.
	told bySlot[uint64]
}

// holding is a claim.
type holding struct {
	by clusterstate.NodeID
	// epoch is that of the claim, where it still stood when the slot was given
	// to another. Moves before it, of which this process may not know, have no
	// greater one.
	epoch uint64
}

// leave forgets what was on its way, and, with the epochs, what was told.
func (m *moves) leave(hard bool) {
	m.open, m.held = frame.Bitmap{}, bySlot[holding]{}
	if hard {
		m.told = bySlot[uint64]{}
	}
}

// depart is told of every change of an owner, before it is made.
func (n *Node) depart(t *turn, slot uint16, from, to clusterstate.NodeID) {
	m := &n.moves
	if m.open.Has(slot) {
		if m.held.at(slot).by == to {
			m.close(slot)
		}
		return
	}
	if from == "" {
		return
	}
	h := holding{by: from}
	if !n.unclaimed.Has(slot) {
		h.epoch = n.node(t, from).ConfigEpoch
	}
	m.held.set(slot, h, &t.heldPages)
	m.open.Set(slot)
}

func (m *moves) close(slot uint16) { m.open[slot/8] &^= 1 << (slot % 8) }

// arrive takes in what a primary says to own at its config epoch. heirOf is
// the node that it has been a replica of until it began to claim slots.
func (n *Node) arrive(t *turn, owner clusterstate.NodeID, claims *frame.Bitmap, epoch uint64, heirOf clusterstate.NodeID) {
	m := &n.moves
	for i, open := range m.open {
		if open == 0 {
			continue
		}
		for rest := open & claims[i]; rest != 0; rest &= rest - 1 {
			slot := uint16(i*8 + bits.TrailingZeros8(rest))
			from := m.held.at(slot)
			if t.edit.Owner(slot) != owner || epoch <= m.told.at(slot) || epoch < from.epoch {
				continue
			}
			m.close(slot)
			m.told.set(slot, epoch, &t.toldPages)
			// Of a node that was forgotten nobody knows the address.
			if from.by != heirOf && n.node(t, from.by) != nil && epoch <= maxMoveEpoch {
				t.out.Moved = append(t.out.Moved, Move{Slot: slot, From: from.by, To: owner, Epoch: epoch})
			}
		}
	}
}

// arriveAt is arrive for the sender of a frame. Once it owns all that it claims,
// whose heir it has been is of no account any more.
func (n *Node) arriveAt(t *turn, m *frame.Message) {
	p := n.table.peer(m.Sender)
	if m.Slots != nil && n.moves.open != (frame.Bitmap{}) {
		n.arrive(t, p.id, m.Slots, m.ConfigEpoch, p.heirOf)
	}
	if p.heirOf != "" && !p.disputed {
		n.table.alter(p.id).heirOf = ""
	}
}

// arriveHere is arrive for this node.
func (n *Node) arriveHere(t *turn) {
	if n.moves.open == (frame.Bitmap{}) {
		return
	}
	me := n.node(t, n.view.Myself().ID)
	if me == nil || me.Replica {
		return
	}
	var mine frame.Bitmap
	for r := range n.moves.open.Ranges() {
		for slot := int(r.Start); slot <= int(r.End); slot++ {
			if t.edit.Owner(uint16(slot)) == me.ID {
				mine.Set(uint16(slot))
			}
		}
	}
	n.arrive(t, me.ID, &mine, me.ConfigEpoch, "")
}

const slotsPerPage = 256

// bySlot holds a value for each slot, the zero value at first, in pages that
// are made when they are needed. A copy shares the pages: whoever sets a value
// copies the page, the first time in each turn, of which copied keeps count.
type bySlot[T any] [clusterstate.Slots / slotsPerPage]*[slotsPerPage]T

func (b *bySlot[T]) at(slot uint16) (v T) {
	if page := b[slot/slotsPerPage]; page != nil {
		v = page[slot%slotsPerPage]
	}
	return v
}

func (b *bySlot[T]) set(slot uint16, v T, copied *uint64) {
	i := slot / slotsPerPage
	if *copied&(1<<i) == 0 {
		*copied |= 1 << i
		page := new([slotsPerPage]T)
		if b[i] != nil {
			*page = *b[i]
		}
		b[i] = page
	}
	b[i][slot%slotsPerPage] = v
}
