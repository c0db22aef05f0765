package quirks

import (
	"slices"
	"time"
)

// Follower is a library that asks for SMIGRATED by itself, and how long moves of
// slots are gathered for it: after each frame the next one waits for so long, and
// says all that has moved meanwhile.
type Follower struct {
	Entry
	Hold time.Duration
}

// Gathered is the hold of who is not known to want another. The two mistakes do
// not weigh the same: one that could have had each move at once is redirected by
// MOVED, as every client of a cluster is prepared to be, while one that reads the
// whole map for each frame does nothing else during a reshard, for seconds. Most of
// the libraries that are known read the map, and some ask before they say who they
// are, or are told not to say it.
const Gathered = 200 * time.Millisecond

// Hold is how long moves are gathered for the client.
func Hold(c Client) time.Duration {
	for _, f := range Followers {
		if f.about(c) {
			return f.Hold
		}
	}
	return Gathered
}

// Holds are those that there are, shortest first.
func Holds() []time.Duration {
	all := []time.Duration{Gathered}
	for _, f := range Followers {
		all = append(all, f.Hold)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
