package clusterstate

import "iter"

// renewed yields the nodes of a view that another does not have as they are,
// each with its version there, nil if there is none. It looks into no others:
// most of a large cluster is as it was, and compared many pointers at a time.
func renewed(old, new *View) iter.Seq2[*Node, *Node] {
	const step = 32
	return func(yield func(was, is *Node) bool) {
		for at := 0; at < len(new.seats); at += step {
			end := at + step
			if end <= len(new.seats) && end <= len(old.seats) &&
				*(*[step]*Node)(old.seats[at:]) == *(*[step]*Node)(new.seats[at:]) {
				continue
			}
			for s := at; s < min(end, len(new.seats)); s++ {
				n := new.seats[s]
				known := s < len(old.seats) && old.seats[s] == n
				if n != nil && !known && !yield(old.version(n), n) {
					return
				}
			}
		}
	}
}

// settingsDiffer tells whether one and the same node may be shown in another
// way in two views.
func settingsDiffer(old, new *View) bool {
	return old.settings.Endpoint != new.settings.Endpoint || old.myself.ID != new.myself.ID
}

// changes yields the slots, ascending, of whose owners before and now differ is
// true, each with its owner now. It costs what changed: a chunk that the two
// views share is looked into only if one of its owners can have changed by
// itself.
//
// differ must be false of twice the same owner, unless the settings differ, and
// of nobody twice.
func changes(old, new *View, differ func(was, is *Node) bool) iter.Seq2[uint16, *Node] {
	return func(yield func(uint16, *Node) bool) {
		settings := settingsDiffer(old, new)
		everywhere := settings || ownersChanged(old, new, differ)
		var before, after *Node // compared last, and the answer
		changed := false
		for c, is := range new.owners {
			was := old.owners[c]
			if was == is && !everywhere {
				continue
			}
			for i := range is {
				o, n := old.seats[was[i]], new.seats[is[i]]
				if o == n && !settings {
					continue
				}
				if o != before || n != after {
					before, after, changed = o, n, differ(o, n)
				}
				if changed && !yield(uint16(c<<chunkBits|i), n) {
					return
				}
			}
		}
	}
}

// ownersChanged tells whether some node that may own slots in both views is
// another one in the sense of differ.
func ownersChanged(old, new *View, differ func(was, is *Node) bool) bool {
	for was, is := range renewed(old, new) {
		if was != nil && differ(was, is) {
			return true
		}
	}
	return false
}
