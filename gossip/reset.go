package gossip

import (
	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// apply takes this node out of its cluster: it forgets every other node and
// every slot, and stays with its id unless the reset is hard. A replica turns
// into an empty primary, so the keys it holds go.
func (in Reset) apply(n *Node, t *turn) error {
	me := n.myself()
	if !me.Replica && in.HasKeys {
		return ErrResetWithKeys
	}
	if me.Replica {
		t.out.Drop = []clusterstate.SlotRange{{Start: 0, End: clusterstate.Slots - 1}}
	}
	n.hangUpAll(t)
	t.edit.Reset()
	id, own := me.ID, *n.table.peer(me.ID)
	if in.Hard {
		n.currentEpoch, n.lastVoteEpoch = 0, 0
		id = n.newID()
		own.shardID = string(n.newID())
		t.edit.RenameMyself(id)
	}
	fresh := *t.edit.Node(id)
	fresh.Replica, fresh.Primary, fresh.Synced = false, "", false
	if in.Hard {
		fresh.ConfigEpoch = 0
	}
	t.edit.SetNode(fresh)
	n.table = newTable()
	own.id, own.slots, own.owns, own.reports = id, 0, nil, nil
	n.table.add(own)
	n.unclaimed, n.claims, n.served = frame.Bitmap{}, nil, false
	n.moves.leave(in.Hard)
	t.out.Reset = true
	t.mustSync()
	if in.Hard {
		t.warnf("Node hard reset, now I'm %s", id)
	}
	return nil
}
