package gossip

import (
	"errors"
	"fmt"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// vote gives this node's vote to a replica that wants to take over, if nothing
// speaks against it. The vote is on disk before it leaves: a node that forgot
// it in a crash could give a second one in the same epoch.
func (n *Node) vote(t *turn, m *frame.Message) {
	if err := n.refusal(t, m); err != nil {
		t.warnf("No vote for node %s in epoch %d: %v", m.Sender, m.CurrentEpoch, err)
		return
	}
	n.lastVoteEpoch = n.currentEpoch
	n.table.alter(t.edit.Node(m.Sender).Primary).votedAt = t.now.Mono
	t.mustSync()
	t.send(intent{kind: frame.TypeAuthAck, link: n.table.peer(m.Sender).link})
	t.warnf("Vote for node %s in epoch %d", m.Sender, n.currentEpoch)
}

var (
	errNoVoter     = errors.New("this node has no vote without slots")
	errEpochOver   = errors.New("the epoch is over")
	errVoted       = errors.New("this node has voted in this epoch")
	errNoReplica   = errors.New("it is no replica of a known primary")
	errNoData      = errors.New("its primary has no replicas with data")
	errPrimaryFine = errors.New("its primary has not failed")
	errNoLink      = errors.New("there is no link to it")
	errVotedLately = errors.New("this node has voted for the shard lately")
)

// refusal tells why a vote is not given, nil if it is. The epoch of the request
// has been taken over by now, so only an older one differs from this node's.
func (n *Node) refusal(t *turn, m *frame.Message) error {
	me := n.view.Myself()
	if me.Replica || n.table.peer(me.ID).slots == 0 {
		return errNoVoter
	}
	if m.CurrentEpoch < n.currentEpoch {
		return errEpochOver
	}
	if n.lastVoteEpoch == n.currentEpoch {
		return errVoted
	}
	sender := t.edit.Node(m.Sender)
	primary := t.edit.Node(sender.Primary)
	if !sender.Replica || primary == nil {
		return errNoReplica
	}
	if n.isAlone(primary.ID) {
		return errNoData
	}
	if !primary.Failed && !m.MessageFlags.Has(frame.ForceAck) {
		return errPrimaryFine
	}
	if t.now.Mono-n.table.peer(primary.ID).votedAt < 2*n.cfg.NodeTimeout {
		return errVotedLately
	}
	if !n.table.peer(m.Sender).up {
		return errNoLink
	}
	for slot := range uint16(clusterstate.Slots) {
		if !m.Slots.Has(slot) || n.isUnclaimed(t, slot) {
			continue
		}
		if owner := t.edit.Node(t.edit.Owner(slot)); owner.ConfigEpoch > m.ConfigEpoch {
			return fmt.Errorf("slot %d has an owner of epoch %d, above %d", slot, owner.ConfigEpoch, m.ConfigEpoch)
		}
	}
	return nil
}
