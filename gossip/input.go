package gossip

import (
	"fmt"

	"slotcast/clusterstate"
)

// Input is one thing that happens to the node: a command, already checked for
// permission and arity, or a change of configuration. An input that is refused
// changes nothing, and the Output has only a Reply with the error.
type Input interface {
	apply(n *Node, t *turn) error
}

// AddSlots is ADDSLOTS and ADDSLOTSRANGE, to be made by ParseSlots or
// ParseSlotRanges.
type AddSlots struct {
	Ranges []clusterstate.SlotRange

	// Invalid is the fault of the argument after the ranges. It is reported
	// if the ranges before it are good.
	Invalid error
}

// DelSlots is DELSLOTS and DELSLOTSRANGE, likewise.
type DelSlots struct {
	Ranges  []clusterstate.SlotRange
	Invalid error
}

// FlushSlots is FLUSHSLOTS.
type FlushSlots struct{ DBEmpty bool }

// SetSlot is SETSLOT, to be made by ParseSetSlot. KeysInSlot is how many keys
// this node holds in the slot, as COUNTKEYSINSLOT counts them.
type SetSlot struct {
	Slot       uint16
	Action     SlotAction
	Node       string // the id as given; it may be anything
	KeysInSlot int

	// Invalid is the fault of the arguments, reported after the check of this
	// node's role.
	Invalid error
}

// SlotAction is what SETSLOT does.
type SlotAction uint8

const (
	SlotMigrating SlotAction = iota
	SlotImporting
	SlotStable
	SlotNode
)

// BumpEpoch is BUMPEPOCH; the reply's text is "BUMPED 7" or "STILL 7".
type BumpEpoch struct{}

// SetConfigEpoch is SET-CONFIG-EPOCH.
type SetConfigEpoch struct{ Epoch int64 }

// SaveConfig is SAVECONFIG.
type SaveConfig struct{}

// Reset is RESET. HasKeys tells whether this node holds any key.
type Reset struct{ Hard, HasKeys bool }

// Replicate is REPLICATE.
type Replicate struct{ Node string } // the id as given

func (in Replicate) apply(n *Node, t *turn) error {
	node := t.edit.Node(clusterstate.NodeID(in.Node))
	switch {
	case node == nil:
		return &UnknownNodeError{ID: in.Node}
	case node.ID == n.view.Myself().ID:
		return ErrReplicateMyself
	case node.Replica:
		return ErrReplicateReplica
	}
	return ErrNoReplication
}

// Failover is FAILOVER, with whichever option.
type Failover struct{}

func (Failover) apply(n *Node, _ *turn) error {
	if !n.view.Myself().Replica {
		return ErrFailoverOnPrimary
	}
	return ErrNoReplication
}

func (t *turn) logf(format string, args ...any) {
	t.out.Logs = append(t.out.Logs, Log{Text: fmt.Sprintf(format, args...)})
}

func (t *turn) warnf(format string, args ...any) {
	t.out.Logs = append(t.out.Logs, Log{Warning: true, Text: fmt.Sprintf(format, args...)})
}
