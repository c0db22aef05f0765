package sim

import (
	"fmt"
	"slices"
	"time"

	"slotcast/clusterstate"
)

// failure lets a primary with slots fail, and tells who of the majority does
// not find out in time.
//
// Its last pong was at most half a node timeout before the next ping, which
// then waits for the timeout; and everyone hears of the suspicion of everyone
// else within another half, which is when they are pinged at the latest. Clocks
// that go wrong can add what they are apart, once.
func (s *storm) failure() error {
	members := s.members()
	var candidates []*Machine
	for _, m := range members {
		if ownsSlots(m) {
			candidates = append(candidates, m)
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	victim := oneOf(s.random, candidates...)
	var rest []*Machine
	voters := 0
	for _, m := range members {
		if m == victim {
			continue
		}
		rest = append(rest, m)
		if m.Node() != nil && ownsSlots(m) {
			voters++
		}
	}
	for _, m := range rest {
		if m.Node() != nil && voters < sizeSeen(m)/2+1 {
			return nil
		}
	}
	id := victim.ID()
	if s.random.IntN(2) == 0 {
		s.note("crash %s, to be found", victim.Name)
		victim.Crash(false)
	} else {
		s.note("cut off %s, to be found", victim.Name)
		s.net.Partition(rest)
	}
	bound := 2*s.timeout + time.Second + s.spread(members)
	found := func() bool {
		for _, m := range rest {
			if m.Node() != nil && !m.Node().View().Node(id).Failed {
				return false
			}
		}
		return true
	}
	if !s.net.RunUntil(bound, found) {
		return fmt.Errorf("%s failed, and not everyone knows %v later", victim.Name, bound)
	}
	s.note("found")
	if s.watch.fault != nil {
		return s.watch.fault
	}
	s.net.Run(time.Duration(s.random.Int64N(int64(5 * s.timeout))))
	return s.watch.fault
}

// ownsSlots tells whether a node is a primary with slots in its own eyes.
func ownsSlots(m *Machine) bool {
	c := claimOf(m)
	return slices.ContainsFunc(bounds([]*Machine{m}), c.owns)
}

// sizeSeen is how many primaries with slots a node sees.
func sizeSeen(m *Machine) int {
	owners := map[*clusterstate.Node]bool{}
	for _, r := range m.Node().View().OwnedRanges() {
		owners[r.Owner] = true
	}
	return len(owners)
}

// spread is how far the clocks of machines are apart.
func (s *storm) spread(members []*Machine) time.Duration {
	least, most := members[0].Skew, members[0].Skew
	for _, m := range members {
		least, most = min(least, m.Skew), max(most, m.Skew)
	}
	return min(most-least, s.timeout/2+500*time.Millisecond)
}
