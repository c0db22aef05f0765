package gossip

import (
	"maps"
	"slices"
	"time"

	"slotcast/clusterstate"
)

const (
	// banTime is how long a node that was forgotten is not taken in again on
	// the word of others, so that FORGET can be given to all of them in turn.
	banTime = 60 * time.Second

	// maxBanSeconds bounds what a peer can ask for.
	maxBanSeconds = 24 * 60 * 60
)

// Forget is FORGET.
type Forget struct{ Node string } // the id as given

func (in Forget) apply(n *Node, t *turn) error {
	id := clusterstate.NodeID(in.Node)
	me := n.view.Myself()
	shaking := n.table.handshake(id)
	switch {
	case n.table.peer(id) == nil && shaking == nil:
		if n.banned(id, t.now.Mono) {
			return nil // a peer that was told before has passed it on
		}
		return &UnknownNodeError{ID: in.Node}
	case id == me.ID:
		return ErrForgetMyself
	case me.Replica && id == me.Primary:
		return ErrForgetPrimary
	}
	n.ban(id, t.now.Mono+banTime, t.now.Mono)
	if shaking != nil {
		n.giveUp(t, shaking)
		return nil
	}
	n.forget(t, id)
	return nil
}

// forget removes a node, and all that it owns or has said.
func (n *Node) forget(t *turn, id clusterstate.NodeID) {
	p := n.table.peer(id)
	n.hangUp(t, p.link)
	n.hangUp(t, p.from)
	if p.slots > 0 {
		for slot := range uint16(clusterstate.Slots) {
			if t.edit.Owner(slot) == id {
				n.assign(t, slot, "")
			}
		}
	}
	t.edit.RemoveNode(id)
	n.table.remove(id)
	n.forgetReports(t, p.number)
	t.news = true
	t.mustSave()
}

// ban keeps a node from being taken in by gossip until then. Bans that are over
// are dropped on the occasion.
func (n *Node) ban(id clusterstate.NodeID, until, now time.Duration) {
	n.table.own()
	maps.DeleteFunc(n.table.bans, func(_ clusterstate.NodeID, end time.Duration) bool { return end <= now })
	n.table.bans[id] = max(until, n.table.bans[id])
}

func (n *Node) banned(id clusterstate.NodeID, now time.Duration) bool {
	until, is := n.table.bans[id]
	return is && until > now
}

// bannedIDs returns the nodes that are banned now, by id.
func (n *Node) bannedIDs(now time.Duration) []clusterstate.NodeID {
	if len(n.table.bans) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(n.table.bans))
	return slices.DeleteFunc(ids, func(id clusterstate.NodeID) bool { return !n.banned(id, now) })
}
