package gossip

import "fmt"

func (BumpEpoch) apply(n *Node, t *turn) error {
	word := "STILL"
	if n.bumpEpoch(t) {
		word = "BUMPED"
	}
	t.out.Reply.Text = fmt.Sprintf("%s %d", word, t.edit.Node(n.myself().ID).ConfigEpoch)
	return nil
}

// bumpEpoch gives this node a config epoch above all others, without asking
// anyone, unless it has the greatest already.
func (n *Node) bumpEpoch(t *turn) bool {
	greatest := n.currentEpoch
	for _, node := range t.edit.Nodes() {
		greatest = max(greatest, node.ConfigEpoch)
	}
	me := *t.edit.Node(n.myself().ID)
	if me.ConfigEpoch != 0 && me.ConfigEpoch == greatest {
		return false
	}
	n.currentEpoch++
	me.ConfigEpoch = n.currentEpoch
	t.edit.SetNode(me)
	t.mustSync()
	return true
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

func (in BusCommand) apply(*Node, *turn) error { return &BusError{in.Subcommand} }
