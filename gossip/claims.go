package gossip

import (
	"github.com/cespare/xxhash/v2"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// assign gives a slot to a node, or to nobody. Every change of an owner passes
// here.
func (n *Node) assign(t *turn, slot uint16, to clusterstate.NodeID) {
	from := t.edit.Owner(slot)
	if from == to {
		return
	}
	n.depart(t, slot, from, to)
	if t.assigned == nil {
		t.assigned = new(ownership)
	}
	if from != "" {
		p := n.table.alter(from)
		p.slots--
		p.claimed, p.owns = 0, t.assigned
	}
	if to != "" {
		p := n.table.alter(to)
		p.slots++
		p.claimed, p.owns = 0, t.assigned
	}
	if from == n.claimant || to == n.claimant {
		n.claims = nil
	}
	n.setUnclaimed(slot, false)
	t.edit.SetOwner(slot, to)
}

// setUnclaimed notes whether the owner of the slot has stopped claiming it.
// Nobody else has claimed it yet, so it stays where it is, but anyone who
// claims it may have it.
func (n *Node) setUnclaimed(slot uint16, unclaimed bool) {
	if n.unclaimed.Has(slot) != unclaimed {
		n.unclaimed[slot/8] ^= 1 << (slot % 8)
		n.claims = nil
	}
}

// isUnclaimed tells whether a slot can be had by anyone, whatever the epoch.
func (n *Node) isUnclaimed(t *turn, slot uint16) bool {
	return t.edit.Owner(slot) == "" || n.unclaimed.Has(slot)
}

// followClaim takes in the slots that a primary claims. was is whose replica it
// has been until this frame, empty if nobody's.
func (n *Node) followClaim(t *turn, m *frame.Message, was clusterstate.NodeID) {
	p := n.table.peer(m.Sender)
	print := fingerprint(m.Slots)
	if p.claimed == print && !p.disputed {
		return
	}
	var stronger clusterstate.NodeID
	if n.ownsJust(t, p, m.Slots) {
		n.table.alter(p.id).disputed = false
	} else {
		n.keepFromReplica(t, m.Sender, was, m.Slots)
		stronger = n.take(t, m.Sender, m.Slots, m.ConfigEpoch)
	}
	p = n.table.alter(m.Sender)
	p.claimed = print
	// One UPDATE at a time: what it makes the sender give up need not be told
	// twice.
	if stronger != "" && p.up {
		t.send(intent{kind: frame.TypeUpdate, link: p.link, about: stronger})
	}
}

// ownsJust tells whether a node owns what it claims and nothing else, without a
// look at all other slots: so it mostly is, and large clusters claim little.
func (n *Node) ownsJust(t *turn, p *peer, claimed *frame.Bitmap) bool {
	if p.slots != claimed.Count() {
		return false
	}
	for r := range claimed.Ranges() {
		for slot := int(r.Start); slot <= int(r.End); slot++ {
			if t.edit.Owner(uint16(slot)) != p.id || n.unclaimed.Has(uint16(slot)) {
				return false
			}
		}
	}
	return true
}

// fingerprint is never 0.
func fingerprint(b *frame.Bitmap) uint64 {
	if b == nil {
		return 1
	}
	return xxhash.Sum64(b[:]) | 1
}

// take applies a claim of a primary at a config epoch: it gets the slots whose
// owner has a lower one, and those that nobody claims. It returns an owner that
// has a higher one.
func (n *Node) take(t *turn, claimant clusterstate.NodeID, slots *frame.Bitmap, epoch uint64) (stronger clusterstate.NodeID) {
	me := n.view.Myself().ID
	var lost []clusterstate.SlotRange
	disputed, involved, orderly := false, false, true
	had, taken := 0, 0
	for r := range slots.Ranges() {
		for s := int(r.Start); s <= int(r.End); s++ {
			slot := uint16(s)
			owner := t.edit.Owner(slot)
			if owner == claimant {
				had++
				n.setUnclaimed(slot, false)
				continue
			}
			if n.unmovable(t, slot, owner, claimant) {
				disputed = true
				continue
			}
			if !n.isUnclaimed(t, slot) && n.node(t, owner).ConfigEpoch >= epoch {
				disputed = true
				if stronger == "" && n.node(t, owner).ConfigEpoch > epoch {
					stronger = owner
				}
				continue
			}
			if owner == me {
				involved = true
				lost = appendSlot(lost, slot)
				target := t.edit.Migrating(slot)
				orderly = orderly && target != nil && target.ID == claimant
				t.edit.SetMigrating(slot, "")
			}
			if t.edit.Importing(slot) != nil {
				involved = true
				t.edit.SetImporting(slot, claimant)
			}
			n.assign(t, slot, claimant)
			taken++
		}
	}
	p := n.table.alter(claimant)
	p.disputed = disputed
	if p.slots > had+taken {
		n.unclaimRest(t, claimant, slots)
	}
	if taken > 0 {
		if involved {
			t.mustSync()
		} else {
			t.mustSyncLate()
		}
		t.logf("%d slots are claimed by node %s at epoch %d", taken, claimant, epoch)
	}
	n.lose(t, claimant, lost, orderly)
	return stronger
}

// unclaimRest notes of the slots that a node owns but does not claim any more
// that anyone may have them.
func (n *Node) unclaimRest(t *turn, owner clusterstate.NodeID, claimed *frame.Bitmap) {
	for slot := range uint16(clusterstate.Slots) {
		if !claimed.Has(slot) && t.edit.Owner(slot) == owner {
			n.setUnclaimed(slot, true)
		}
	}
}

// unmovable tells whether only a command may move the slot. That is so while
// this node imports it: the owner is changed here last. But if the node that it
// is imported from was failed over, its successor is in its shard.
func (n *Node) unmovable(t *turn, slot uint16, owner, claimant clusterstate.NodeID) bool {
	if t.edit.Importing(slot) == nil {
		return false
	}
	if owner == "" {
		return true
	}
	return n.table.peer(owner).shardID != n.table.peer(claimant).shardID
}

// lose gives up slots that another has taken, with their keys: clients find
// them there, or not at all. A primary that lost its last slot stays one. It is
// orderly if this node was migrating all of them to the other: then there are
// no keys left, as a rule, and nothing to warn of.
func (n *Node) lose(t *turn, to clusterstate.NodeID, slots []clusterstate.SlotRange, orderly bool) {
	if len(slots) == 0 {
		return
	}
	t.out.Drop = append(t.out.Drop, slots...)
	left := n.table.peer(n.view.Myself().ID).slots
	if orderly {
		t.logf("Node %s has taken over slots that were migrating to it; this node has %d left", to, left)
		return
	}
	t.warnf("Node %s has taken slots of this node, which has %d left; the keys left in them are deleted", to, left)
}

// appendSlot adds a slot to ranges of slots below it.
func appendSlot(ranges []clusterstate.SlotRange, slot uint16) []clusterstate.SlotRange {
	if last := len(ranges) - 1; last >= 0 && ranges[last].End+1 == slot {
		ranges[last].End = slot
		return ranges
	}
	return append(ranges, clusterstate.SlotRange{Start: slot, End: slot})
}

// receiveUpdate takes in that a node has claimed slots with an epoch that this
// node did not know of.
func (n *Node) receiveUpdate(t *turn, m *frame.Message) {
	u := &m.Update
	known := n.node(t, u.Node)
	if known == nil || u.Node == n.view.Myself().ID || known.ConfigEpoch >= u.ConfigEpoch {
		return
	}
	was := known.Primary
	n.promote(t, u.Node)
	node := *n.node(t, u.Node)
	node.ConfigEpoch = u.ConfigEpoch
	t.edit.SetNode(node)
	n.currentEpoch = max(n.currentEpoch, u.ConfigEpoch)
	t.mustSave()
	n.keepFromReplica(t, u.Node, was, u.Slots)
	n.take(t, u.Node, u.Slots, u.ConfigEpoch)
}
