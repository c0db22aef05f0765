package gossip

import (
	"fmt"
	"math"

	"slotcast/gossip/frame"
)

func (BumpEpoch) apply(n *Node, t *turn) error {
	word := "STILL"
	if n.bumpEpoch(t) {
		word = "BUMPED"
	}
	t.out.Reply.Text = fmt.Sprintf("%s %d", word, n.node(t, n.myself().ID).ConfigEpoch)
	return nil
}

// bumpEpoch gives this node a config epoch above all others, without asking
// anyone, unless it has the greatest already.
func (n *Node) bumpEpoch(t *turn) bool {
	greatest := n.currentEpoch
	for _, node := range t.edit.Nodes() {
		greatest = max(greatest, node.ConfigEpoch)
	}
	me := *n.node(t, n.myself().ID)
	if me.ConfigEpoch != 0 && me.ConfigEpoch == greatest || greatest == math.MaxUint64 {
		return false
	}
	n.currentEpoch = greatest + 1
	me.ConfigEpoch = n.currentEpoch
	t.edit.SetNode(me)
	t.mustSync()
	return true
}

// followEpochs takes over greater epochs than this node knew.
func (n *Node) followEpochs(t *turn, m *frame.Message) {
	if m.CurrentEpoch > n.currentEpoch {
		n.currentEpoch = m.CurrentEpoch
		t.mustSave()
	}
	// A replica tells its primary's, which the primary tells itself.
	if node := n.node(t, m.Sender); m.Primary == "" && m.ConfigEpoch > node.ConfigEpoch {
		raised := *node
		raised.ConfigEpoch = m.ConfigEpoch
		t.edit.SetNode(raised)
		t.mustSave()
	}
}

// settleCollision ends that two primaries have one epoch, as after two moves of
// slots at the same time: of two claims none would be the stronger. The one
// with the lesser id takes a new one.
func (n *Node) settleCollision(t *turn, m *frame.Message) {
	me := n.node(t, n.view.Myself().ID)
	if me.Replica || m.ConfigEpoch != me.ConfigEpoch || me.ID >= m.Sender || n.currentEpoch == math.MaxUint64 {
		return
	}
	n.currentEpoch++
	fresh := *me
	fresh.ConfigEpoch = n.currentEpoch
	t.edit.SetNode(fresh)
	t.mustSync()
	t.warnf("Node %s had config epoch %d too: this node takes %d", m.Sender, m.ConfigEpoch, fresh.ConfigEpoch)
}

func (in SetConfigEpoch) apply(n *Node, t *turn) error {
	me := *n.myself()
	switch {
	case in.Epoch < 0:
		return &EpochError{in.Epoch}
	case len(n.view.Nodes()) > 1:
		return ErrEpochWithPeers
	case me.ConfigEpoch != 0:
		return ErrEpochAlreadySet
	}
	me.ConfigEpoch = uint64(in.Epoch)
	t.edit.SetNode(me)
	n.currentEpoch = max(n.currentEpoch, me.ConfigEpoch)
	t.mustSync()
	return nil
}

func (SaveConfig) apply(_ *Node, t *turn) error {
	t.out.Save = &Save{MayFail: true}
	t.mustSync()
	return nil
}
