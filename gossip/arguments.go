package gossip

import (
	"strconv"
	"strings"

	"slotcast/clusterstate"
)

// ParseSlots reads the arguments of ADDSLOTS and DELSLOTS: slots. All of them
// must be good before any is looked at closer, so no ranges come with an
// error. Both results belong into AddSlots or DelSlots.
func ParseSlots(args [][]byte) ([]clusterstate.SlotRange, error) {
	ranges := make([]clusterstate.SlotRange, 0, len(args))
	for _, arg := range args {
		slot, err := ParseSlot(arg)
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, clusterstate.SlotRange{Start: slot, End: slot})
	}
	return ranges, nil
}

// ParseSlotRanges reads the arguments of ADDSLOTSRANGE and DELSLOTSRANGE, of
// which there must be an even number. Redis takes one range at a time, so the
// ranges before a bad one come with the error.
func ParseSlotRanges(args [][]byte) ([]clusterstate.SlotRange, error) {
	ranges := make([]clusterstate.SlotRange, 0, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		start, err := ParseSlot(args[i])
		if err != nil {
			return ranges, err
		}
		end, err := ParseSlot(args[i+1])
		if err != nil {
			return ranges, err
		}
		if start > end {
			return ranges, &RangeError{start, end}
		}
		ranges = append(ranges, clusterstate.SlotRange{Start: start, End: end})
	}
	return ranges, nil
}

// ParseSetSlot reads the arguments of SETSLOT, the slot first, of which there
// must be two at least. KeysInSlot is left to be filled in where Invalid is
// nil.
func ParseSetSlot(args [][]byte) SetSlot {
	var in SetSlot
	if in.Slot, in.Invalid = ParseSlot(args[0]); in.Invalid != nil {
		return in
	}
	action, rest := string(args[1]), args[2:]
	switch {
	case strings.EqualFold(action, "migrating") && len(rest) == 1:
		in.Action = SlotMigrating
	case strings.EqualFold(action, "importing") && len(rest) == 1:
		in.Action = SlotImporting
	case strings.EqualFold(action, "stable") && len(rest) == 0:
		in.Action = SlotStable
		return in
	case strings.EqualFold(action, "node") && len(rest) == 1:
		in.Action = SlotNode
	default:
		in.Invalid = ErrSetSlotSyntax
		return in
	}
	in.Node = string(rest[0])
	return in
}

// ParseSlot reads a slot as Redis reads integers: decimal digits, no sign, no
// leading zero. The error is ErrInvalidSlot.
func ParseSlot(arg []byte) (uint16, error) {
	if len(arg) > 1 && arg[0] == '0' {
		return 0, ErrInvalidSlot
	}
	slot, err := strconv.ParseUint(string(arg), 10, 16)
	if err != nil || slot >= clusterstate.Slots {
		return 0, ErrInvalidSlot
	}
	return uint16(slot), nil
}
