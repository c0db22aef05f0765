package gossip

import (
	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// A slotcast node has no replication: nobody has a copy of its keys. Yet any
// redis-server can be told to replicate one, or choose one by itself when it
// migrates to a primary without replicas, and then counts as a replica in the
// eyes of the cluster. If it were to win an election it would serve the slots
// of this node with nothing in them. What stands against that:
//
//   - A manual failover needs the primary to pause and to tell its offset in
//     frames that are marked as paused. MFSTART is not heeded and no frame is
//     marked, so it times out on the replica.
//   - This node never votes for such a replica, neither by force.
//   - Nor does any other slotcast node: they know each other by flagAlone.
//   - Where the votes of others, or a TAKEOVER, make it win all the same, this
//     node does not yield: it takes an epoch above the winner's, as a SETSLOT
//     NODE would, and tells everyone at once. It does so as long as it has
//     something to lose: once it has served its slots in this process.
//   - Such a replica is in no row: it holds nothing.
//
// What is left to others is the time from such a victory until the PONG of this
// node arrives, and all of it if this node is dead, as then are its keys.

// flagAlone is set in a node's own flags in the header: it has no replicas with
// data. It is the last of the bits; servers of other kinds read none that they
// do not know.
const flagAlone frame.Flags = 1 << 15

// isAlone tells whether no replica of the primary can have its keys.
func (n *Node) isAlone(id clusterstate.NodeID) bool {
	p := n.table.peer(id)
	return p != nil && (p.alone || id == n.view.Myself().ID)
}

// judgeReplica notes in the view whether a replica has data. Its offset tells,
// unless its primary has never given any away: then the offset is of another
// primary, in whose slots it has been before.
func (n *Node) judgeReplica(t *turn, id clusterstate.NodeID) {
	node := n.node(t, id)
	synced := node.Replica && n.table.peer(id).offset != 0 && !n.isAlone(node.Primary)
	if node.Synced != synced {
		again := *node
		again.Synced = synced
		t.edit.SetNode(again)
	}
}

// refuseReplica says that a node has become a replica of this one in vain.
func (n *Node) refuseReplica(t *turn, id clusterstate.NodeID) {
	t.warnf("Node %s was made a replica of this node, which has no replication: it gets no data and no vote", id)
}

func (n *Node) refuseManualFailover(t *turn, m *frame.Message) {
	t.warnf("Manual failover asked for by replica %s is refused: it has no data of this node", m.Sender)
}

// suitors returns the nodes that are replicas of this one.
func (n *Node) suitors() []*clusterstate.Node { return n.view.Myself().Replicas }

// keepFromReplica keeps this node's slots from a node that claims them having
// been a replica of it.
func (n *Node) keepFromReplica(t *turn, claimant, was clusterstate.NodeID, slots *frame.Bitmap) {
	me := n.view.Myself().ID
	if was != me || !n.served {
		return
	}
	for slot := range uint16(clusterstate.Slots) {
		if !slots.Has(slot) || t.edit.Owner(slot) != me {
			continue
		}
		if n.bumpEpoch(t) {
			t.broadcastPong()
		}
		t.warnf("Node %s, a replica without data, claims the slots of this node, which keeps them at epoch %d",
			claimant, n.node(t, me).ConfigEpoch)
		return
	}
}
