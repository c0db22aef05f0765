package server

import (
	"strings"

	"slotcast/gossip"
)

func clusterAddSlots(cl *call) {
	ranges, err := gossip.ParseSlots(cl.args[2:])
	cl.answer(gossip.AddSlots{Ranges: ranges, Invalid: err}, noSlotLocks)
}

func clusterDelSlots(cl *call) {
	ranges, err := gossip.ParseSlots(cl.args[2:])
	cl.answer(gossip.DelSlots{Ranges: ranges, Invalid: err}, noSlotLocks)
}

// pairs reports whether the ranges come in pairs, and answers when not.
func (cl *call) pairs() bool {
	if len(cl.args)%2 != 0 {
		cl.fail(errArity(cl.cmd.fullName))
		return false
	}
	return true
}

func clusterAddSlotsRange(cl *call) {
	if cl.pairs() {
		ranges, err := gossip.ParseSlotRanges(cl.args[2:])
		cl.answer(gossip.AddSlots{Ranges: ranges, Invalid: err}, noSlotLocks)
	}
}

func clusterDelSlotsRange(cl *call) {
	if cl.pairs() {
		ranges, err := gossip.ParseSlotRanges(cl.args[2:])
		cl.answer(gossip.DelSlots{Ranges: ranges, Invalid: err}, noSlotLocks)
	}
}

// lockKeys locks every slot for an input that depends on there being no key.
// In EXEC they are locked.
func (cl *call) lockKeys() (held slotLocks, unlock func()) {
	if cl.exec == nil {
		cl.server.keys.LockAll()
		return slotLocks{all: true}, cl.server.keys.UnlockAll
	}
	return slotLocks{all: true}, func() {}
}

func clusterFlushSlots(cl *call) {
	held, unlock := cl.lockKeys()
	defer unlock()
	cl.answer(gossip.FlushSlots{DBEmpty: cl.server.keys.Len() == 0}, held)
}

func clusterReset(cl *call) {
	hard := false
	switch {
	case len(cl.args) == 3 && strings.EqualFold(cl.str(2), "hard"):
		hard = true
	case len(cl.args) == 3 && !strings.EqualFold(cl.str(2), "soft"):
		cl.fail(errSyntax)
		return
	case len(cl.args) > 3:
		cl.fail(errSubcommandSyntax(cl.cmd.parent.name, cl.str(1)))
		return
	}
	held, unlock := cl.lockKeys()
	defer unlock()
	cl.answer(gossip.Reset{Hard: hard, HasKeys: cl.server.keys.Len() != 0}, held)
}

func clusterSetSlot(cl *call) {
	in := gossip.ParseSetSlot(cl.args[2:])
	now, held := cl.server.owner.now(), noSlotLocks
	if in.Invalid == nil && in.Action == gossip.SlotNode {
		if cl.exec != nil {
			in.KeysInSlot = cl.server.keys.Slot(in.Slot).Len()
		} else {
			var unlock func()
			held, unlock = cl.server.owner.lockSetSlot(now, &in)
			defer unlock()
		}
	}
	cl.answerAt(now, in, held)
}

func clusterBumpEpoch(cl *call)  { cl.answer(gossip.BumpEpoch{}, noSlotLocks) }
func clusterSaveConfig(cl *call) { cl.answer(gossip.SaveConfig{}, noSlotLocks) }

func clusterSetConfigEpoch(cl *call) {
	epoch, ok := parseInt(cl.args[2])
	if !ok {
		cl.fail(errNotInteger)
		return
	}
	cl.answer(gossip.SetConfigEpoch{Epoch: epoch}, noSlotLocks)
}

func clusterMeet(cl *call) {
	if len(cl.args) > 5 {
		cl.fail(errSubcommandSyntax(cl.cmd.parent.name, cl.str(1)))
		return
	}
	cl.answer(gossip.ParseMeet(cl.args[2:]), noSlotLocks)
}

func clusterForget(cl *call)    { cl.answer(gossip.Forget{Node: cl.str(2)}, noSlotLocks) }
func clusterReplicate(cl *call) { cl.answer(gossip.Replicate{Node: cl.str(2)}, noSlotLocks) }

func clusterFailover(cl *call) {
	switch {
	case len(cl.args) > 3:
		cl.fail(errSubcommandSyntax(cl.cmd.parent.name, cl.str(1)))
	case len(cl.args) == 3 && !is(cl.args[2], "force") && !is(cl.args[2], "takeover"):
		cl.fail(errSyntax)
	default:
		cl.answer(gossip.Failover{}, noSlotLocks)
	}
}
