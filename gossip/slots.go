package gossip

import "slotcast/clusterstate"

func (in AddSlots) apply(n *Node, t *turn) error {
	free := func(slot uint16) error {
		if t.edit.Owner(slot) != "" {
			return &SlotError{slot, SlotBusy}
		}
		return nil
	}
	if err := checkSlots(in.Ranges, free, in.Invalid); err != nil {
		return err
	}
	me := n.myself().ID
	eachSlot(in.Ranges, func(slot uint16) {
		t.edit.SetImporting(slot, "")
		n.assign(t, slot, me)
	})
	t.mustSync()
	return nil
}

func (in DelSlots) apply(n *Node, t *turn) error {
	assigned := func(slot uint16) error {
		if t.edit.Owner(slot) == "" {
			return &SlotError{slot, SlotUnassigned}
		}
		return nil
	}
	if err := checkSlots(in.Ranges, assigned, in.Invalid); err != nil {
		return err
	}
	// As in Redis this closes an import but leaves a migration open.
	eachSlot(in.Ranges, func(slot uint16) {
		t.edit.SetImporting(slot, "")
		n.assign(t, slot, "")
	})
	t.mustSync()
	return nil
}

// checkSlots finds the first fault in Redis's order: slot by slot its
// assignment, then whether it was named before, and the arguments' own fault
// last.
func checkSlots(ranges []clusterstate.SlotRange, check func(uint16) error, invalid error) error {
	var named [clusterstate.Slots / 64]uint64
	var fault error
	eachSlot(ranges, func(slot uint16) {
		if fault != nil {
			return
		}
		bit := uint64(1) << (slot % 64)
		if fault = check(slot); fault == nil && named[slot/64]&bit != 0 {
			fault = &SlotError{slot, SlotRepeated}
		}
		named[slot/64] |= bit
	})
	if fault != nil {
		return fault
	}
	return invalid
}

func eachSlot(ranges []clusterstate.SlotRange, do func(slot uint16)) {
	for _, r := range ranges {
		for slot := int(r.Start); slot <= int(r.End); slot++ {
			do(uint16(slot))
		}
	}
}

func (in FlushSlots) apply(n *Node, t *turn) error {
	if !in.DBEmpty {
		return ErrFlushSlotsWithKeys
	}
	me := n.myself().ID
	for slot := range uint16(clusterstate.Slots) {
		if t.edit.Owner(slot) == me {
			n.assign(t, slot, "")
		}
	}
	t.mustSync()
	return nil
}

func (in SetSlot) apply(n *Node, t *turn) error {
	if n.myself().Replica {
		return ErrSetSlotOnReplica
	}
	if in.Invalid != nil {
		return in.Invalid
	}
	switch in.Action {
	case SlotMigrating:
		return n.setMigrating(t, in)
	case SlotImporting:
		return n.setImporting(t, in)
	case SlotStable:
		t.edit.SetMigrating(in.Slot, "")
		t.edit.SetImporting(in.Slot, "")
		t.mustSave()
		return nil
	default:
		return n.setOwner(t, in)
	}
}

func (n *Node) setMigrating(t *turn, in SetSlot) error {
	if t.edit.Owner(in.Slot) != n.myself().ID {
		return &SlotError{in.Slot, SlotNotMine}
	}
	to, err := n.primary(in.Node, true)
	if err != nil {
		return err
	}
	t.edit.SetMigrating(in.Slot, to)
	t.mustSave()
	return nil
}

func (n *Node) setImporting(t *turn, in SetSlot) error {
	if t.edit.Owner(in.Slot) == n.myself().ID {
		return &SlotError{in.Slot, SlotMine}
	}
	from, err := n.primary(in.Node, true)
	if err != nil {
		return err
	}
	t.edit.SetImporting(in.Slot, from)
	t.mustSave()
	return nil
}

// setOwner assigns the slot to a node, in this node's eyes alone. A primary
// that gives away its last slot stays a primary without slots: following the
// new owner as its replica takes replication, which this node does not have.
func (n *Node) setOwner(t *turn, in SetSlot) error {
	to, err := n.primary(in.Node, false)
	if err != nil {
		return err
	}
	me := n.myself().ID
	if t.edit.Owner(in.Slot) == me && to != me && in.KeysInSlot > 0 {
		return &SlotError{in.Slot, SlotHasKeys}
	}
	if in.KeysInSlot == 0 {
		t.edit.SetMigrating(in.Slot, "")
	}
	// What is so already was on disk before it was said the first time.
	if t.edit.Owner(in.Slot) == to {
		t.mustSave()
	} else {
		t.mustSync()
	}
	n.assign(t, in.Slot, to)
	if to == me && t.edit.Importing(in.Slot) != nil {
		// The new epoch makes this claim the stronger one everywhere. No vote
		// is needed: whoever moves slots by hand moves each to one node.
		if n.bumpEpoch(t) {
			t.warnf("configEpoch is %d after importing slot %d", t.edit.Node(me).ConfigEpoch, in.Slot)
		}
		t.edit.SetImporting(in.Slot, "")
		t.broadcastPong()
	}
	return nil
}

// primary finds a primary by the id as a client gave it.
func (n *Node) primary(id string, opening bool) (clusterstate.NodeID, error) {
	node := n.view.Node(clusterstate.NodeID(id))
	if node == nil {
		return "", &UnknownNodeError{ID: id, Opening: opening}
	}
	if node.Replica {
		return "", ErrTargetNotPrimary
	}
	return node.ID, nil
}
