package channels

import (
	"strings"

	"slotcast/glob"
)

// The reserved channels (TOPOLOGY section 1). They are ordinary names to the
// registry; what makes them special is who may publish to them and in which
// shape a change is told.
const (
	Slots        = "__cluster-slots__"
	SlotsRow     = Slots + ":row"
	SlotsJSON    = Slots + ":json"
	SlotsMoved   = Slots + ":moved"
	Snapshot     = Slots + ":snapshot"
	SnapshotJSON = Slots + ":snapshot:json"
)

// Reserved reports whether a channel name belongs to the family: the bare
// name, or the bare name, a colon and any suffix.
func Reserved(channel []byte) bool {
	return len(channel) >= len(Slots) && string(channel[:len(Slots)]) == Slots &&
		(len(channel) == len(Slots) || channel[len(Slots)] == ':')
}

// Known reports whether a reserved name is one that exists.
func Known(channel string) bool {
	switch channel {
	case Slots, SlotsRow, SlotsJSON, SlotsMoved, Snapshot, SnapshotJSON:
		return true
	}
	return false
}

// MatchesFamily reports whether a pattern can match a message of the family.
// Only one that spells the bare name out before its first wildcard can, so
// that `PSUBSCRIBE *`, which is meant for the application's own channels,
// never sees a slot change. Snapshots never reach a pattern.
func MatchesFamily(pattern string) bool {
	prefix, _ := glob.Literal([]byte(pattern))
	if !strings.HasPrefix(string(prefix), Slots) {
		return false
	}
	for _, name := range []string{Slots, SlotsRow, SlotsJSON, SlotsMoved} {
		if glob.Match([]byte(pattern), []byte(name), false) {
			return true
		}
	}
	return false
}
