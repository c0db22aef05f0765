package tracking

import (
	"cmp"
	"slices"
	"strings"
)

// An Overlap is two prefixes of which one begins with the other: a key may begin
// with both.
type Overlap struct {
	Given, Other string
	// Had says that Other is among the prefixes that there were before.
	Had bool
}

// FindOverlap looks for the first of the given prefixes that overlaps with one of
// those that there are, or else with a later one of those given, and names the
// first one that it overlaps with. had is in ascending order. The time is that
// of sorting them all, whatever a client makes up.
func FindOverlap(had, given []string) (o Overlap, found bool) {
	first := firstOverlapping(had, given)
	if first == len(given) {
		return o, false
	}
	o.Given = given[first]
	for _, other := range had {
		if overlap(o.Given, other) {
			o.Other, o.Had = other, true
			return o, true
		}
	}
	for _, other := range given[first+1:] {
		if overlap(o.Given, other) {
			o.Other = other
			return o, true
		}
	}
	panic("tracking: a prefix that overlaps, and nothing with which")
}

func overlap(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// firstOverlapping is the place of the first prefix given that overlaps with any
// other one, of which it is then the one that comes first, or len(given).
func firstOverlapping(had, given []string) int {
	type prefix struct {
		name  string
		place int // among given, len(given) for one of had
	}
	all := make([]prefix, 0, len(had)+len(given))
	for i, name := range given {
		all = append(all, prefix{name, i})
	}
	for _, name := range had {
		all = append(all, prefix{name, len(given)})
	}
	slices.SortFunc(all, func(a, b prefix) int { return cmp.Compare(a.name, b.name) })
	first := len(given)
	// In this order what begins with a prefix follows it immediately. around are
	// the prefixes with which the one at hand begins, the longest last.
	var around []prefix
	for _, p := range all {
		for len(around) > 0 && !strings.HasPrefix(p.name, around[len(around)-1].name) {
			around = around[:len(around)-1]
		}
		if n := len(around); n > 0 {
			first = min(first, p.place, around[n-1].place)
		}
		around = append(around, p)
	}
	return first
}
