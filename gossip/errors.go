package gossip

import (
	"errors"
	"fmt"
)

// Errors that refuse a command. Error gives exactly the text that Redis sends
// after "ERR ", which is why some are sentences.
var (
	ErrInvalidSlot        = errors.New("Invalid or out of range slot")
	ErrSetSlotSyntax      = errors.New("Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP")
	ErrSetSlotOnReplica   = errors.New("Please use SETSLOT only with masters.")
	ErrTargetNotPrimary   = errors.New("Target node is not a master")
	ErrNotPrimary         = errors.New("The specified node is not a master")
	ErrFlushSlotsWithKeys = errors.New("DB must be empty to perform CLUSTER FLUSHSLOTS.")
	ErrResetWithKeys      = errors.New("CLUSTER RESET can't be called with master nodes containing keys")
	ErrEpochWithPeers     = errors.New("The user can assign a config epoch only when the node does not know any other node.")
	ErrForgetMyself       = errors.New("I tried hard but I can't forget myself...")
	ErrForgetPrimary      = errors.New("Can't forget my master!")
	ErrReplicateMyself    = errors.New("Can't replicate myself")
	ErrReplicateReplica   = errors.New("I can only replicate a master, not a replica.")
	ErrFailoverOnPrimary  = errors.New("You should send CLUSTER FAILOVER to a replica")
	ErrEpochAlreadySet    = errors.New("Node config epoch is already non-zero")
)

// ErrNoReplication is slotcast's own: it refuses to make this node a replica,
// or, should nodes.conf say that it is one, to let it take over.
var ErrNoReplication = errors.New("this node cannot be a replica: slotcast has no replication in this version")

// SlotFault is what is wrong with a slot.
type SlotFault uint8

const (
	SlotBusy SlotFault = iota
	SlotUnassigned
	SlotRepeated
	SlotNotMine
	SlotMine
	SlotHasKeys
)

// SlotError refuses a command because of the state of a slot.
type SlotError struct {
	Slot  uint16
	Fault SlotFault
}

func (e *SlotError) Error() string {
	switch e.Fault {
	case SlotBusy:
		return fmt.Sprintf("Slot %d is already busy", e.Slot)
	case SlotUnassigned:
		return fmt.Sprintf("Slot %d is already unassigned", e.Slot)
	case SlotRepeated:
		return fmt.Sprintf("Slot %d specified multiple times", e.Slot)
	case SlotNotMine:
		return fmt.Sprintf("I'm not the owner of hash slot %d", e.Slot)
	case SlotMine:
		return fmt.Sprintf("I'm already the owner of hash slot %d", e.Slot)
	default:
		return fmt.Sprintf("Can't assign hashslot %d to a different node while I still hold keys for this hash slot.", e.Slot)
	}
}

// RangeError refuses a range of slots that runs backwards.
type RangeError struct{ Start, End uint16 }

func (e *RangeError) Error() string {
	return fmt.Sprintf("start slot number %d is greater than end slot number %d", e.Start, e.End)
}

// UnknownNodeError refuses an id that names no known node. Opening a slot
// words it differently from all else.
type UnknownNodeError struct {
	ID      string // as given
	Opening bool
}

func (e *UnknownNodeError) Error() string {
	if e.Opening {
		return "I don't know about node " + e.ID
	}
	return "Unknown node " + e.ID
}

// EpochError refuses a negative config epoch.
type EpochError struct{ Epoch int64 }

func (e *EpochError) Error() string {
	return fmt.Sprintf("Invalid config epoch specified: %d", e.Epoch)
}

// PortError refuses a port that is no number.
type PortError struct {
	Port string // as given
	Bus  bool
}

func (e *PortError) Error() string {
	kind := "base"
	if e.Bus {
		kind = "bus"
	}
	return fmt.Sprintf("Invalid TCP %s port specified: %s", kind, e.Port)
}

// AddressError refuses an address that MEET was given.
type AddressError struct{ IP, Port string } // as given

func (e *AddressError) Error() string {
	return fmt.Sprintf("Invalid node address specified: %s:%s", e.IP, e.Port)
}

// ReservedError refuses to send a message to a channel that each node speaks on
// for itself.
type ReservedError struct{ Channel string }

func (e *ReservedError) Error() string {
	return fmt.Sprintf("channel '%s' is reserved for the server", e.Channel)
}
