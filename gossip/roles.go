package gossip

import (
	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// followRole takes in whether the sender is a primary, and whose replica it is
// otherwise. It returns whose replica the sender was before, empty for a
// primary.
func (n *Node) followRole(t *turn, m *frame.Message) (was clusterstate.NodeID) {
	node := *n.node(t, m.Sender)
	was = node.Primary
	if m.Primary == "" {
		if node.Replica {
			n.promote(t, node.ID)
		}
		return was
	}
	if m.Primary == node.ID {
		return was // nobody is its own replica
	}
	if !node.Replica {
		n.demote(t, m)
		node = *n.node(t, m.Sender)
	}
	primary := clusterstate.NodeID("")
	if n.node(t, m.Primary) != nil {
		primary = m.Primary
	}
	if node.Replica && node.Primary == primary {
		return was
	}
	node.Replica, node.Primary, node.ConfigEpoch = true, primary, 0
	t.edit.SetNode(node)
	n.judgeReplica(t, node.ID)
	t.mustSave()
	if primary == n.view.Myself().ID {
		n.refuseReplica(t, node.ID)
	} else {
		t.logf("Node %s is a replica of %s", node.ID, m.Primary)
	}
	return was
}

// promote makes a node a primary.
func (n *Node) promote(t *turn, id clusterstate.NodeID) {
	node := *n.node(t, id)
	if !node.Replica {
		return
	}
	n.table.alter(id).heirOf = node.Primary
	node.Replica, node.Primary, node.Synced = false, "", false
	t.edit.SetNode(node)
	t.mustSave()
	t.logf("Node %s is a primary now", id)
}

// demote takes the slots of a primary that has become a replica. What it says
// its own primary owns goes there at once, instead of belonging to nobody until
// that one's next frame: the former owner is the last to hear of a failover, so
// its word is good.
func (n *Node) demote(t *turn, m *frame.Message) {
	sender := m.Sender
	heir := n.node(t, m.Primary)
	inherits := heir != nil && heir.ID != n.view.Myself().ID && m.ConfigEpoch >= n.node(t, sender).ConfigEpoch
	if inherits {
		n.promote(t, heir.ID)
		successor := *n.node(t, heir.ID)
		successor.ConfigEpoch = max(successor.ConfigEpoch, m.ConfigEpoch)
		t.edit.SetNode(successor)
		n.reopen(t, sender, heir.ID)
	}
	if n.table.peer(sender).slots == 0 {
		return
	}
	for slot := range uint16(clusterstate.Slots) {
		if t.edit.Owner(slot) != sender {
			continue
		}
		if inherits && m.Slots.Has(slot) {
			n.assign(t, slot, heir.ID)
		} else {
			n.assign(t, slot, "")
		}
	}
	t.mustSync()
}

// reopen lets the slots that are open towards a node be open towards its
// successor in the same shard, so that a reshard can go on after a failover.
func (n *Node) reopen(t *turn, old, successor clusterstate.NodeID) {
	if n.table.peer(old).shardID != n.table.peer(successor).shardID {
		return
	}
	migrating, importing := n.view.OpenSlots()
	for _, o := range migrating {
		if now := t.edit.Migrating(o.Slot); now != nil && now.ID == old {
			t.edit.SetMigrating(o.Slot, successor)
			t.mustSave()
		}
	}
	for _, o := range importing {
		if now := t.edit.Importing(o.Slot); now != nil && now.ID == old {
			t.edit.SetImporting(o.Slot, successor)
			t.mustSave()
		}
	}
}
