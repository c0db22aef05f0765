package clusterstate

import "slices"

// RedirectDiff returns the slots for which a command may now get another
// redirection than before, in ascending order, or that it may for all of them.
// It errs on the side of too many: it decides which locks a commit takes.
func RedirectDiff(old, new *View) (slots []uint16, all bool) {
	if old == new {
		return nil, false
	}
	was, is := old.myself, new.myself
	if old.ok != new.ok || old.settings != new.settings ||
		was.ID != is.ID || was.Replica != is.Replica || was.Primary != is.Primary {
		return nil, true
	}
	for slot := range changes(old, new, redirectsDiffer) {
		slots = append(slots, slot)
	}
	open := openDiff(old, new, old.migrating, new.migrating)
	open = append(open, openDiff(old, new, old.importing, new.importing)...)
	if len(open) > 0 {
		slots = append(slots, open...)
		slices.Sort(slots)
		slots = slices.Compact(slots)
	}
	return slots, false
}

// redirectsDiffer tells whether a redirection to the nodes would differ.
func redirectsDiffer(was, is *Node) bool {
	switch {
	case was == is:
		return false
	case was == nil || is == nil:
		return true
	}
	return was.ID != is.ID || !was.sameAddress(is)
}

func openDiff(old, new *View, was, is []openSlot) (slots []uint16) {
	for _, o := range was {
		i, ok := findOpen(is, o.slot)
		if !ok || is[i].node != o.node || redirectsDiffer(old.Node(o.node), new.Node(o.node)) {
			slots = append(slots, o.slot)
		}
	}
	for _, o := range is {
		if _, ok := findOpen(was, o.slot); !ok {
			slots = append(slots, o.slot)
		}
	}
	return slots
}

// HasOpenSlots tells whether any slot is migrating or being imported.
func (v *View) HasOpenSlots() bool { return len(v.migrating)+len(v.importing) > 0 }
