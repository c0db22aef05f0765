package sim

import (
	"fmt"
	"time"

	"slotcast/clusterstate"
)

// A large run is a short plan, since all that happens in a cluster costs the
// square of its nodes: they connect, slots move, some crash and are found,
// slots move on, some are cut off and come back, and all agree. It is held to
// the same as any other.

// fairWeather is the climate of a large run: nothing is lost by chance. The
// frames that are on their way when all connect must fit into memory.
func (s *storm) fairWeather(nodes int) {
	s.timeout = 15 * time.Second
	s.climate = climate{latency: 2 * time.Millisecond, partitions: true, crashes: true, commands: []string{"reshard"}}
	s.watch.readers = 1 + nodes/10
	s.net.Grain = s.climate.latency
	s.storms(true)
}

func (s *storm) largeRun() error {
	for _, step := range []func() error{s.connect, s.moves, s.crashes, s.moves, s.cutOff, s.reunion} {
		if err := step(); err != nil {
			return err
		}
		if s.watch.fault != nil {
			return s.watch.fault
		}
	}
	return nil
}

func (s *storm) connect() error {
	took, ok := s.net.Settle(3 * s.timeout)
	if !ok {
		return fmt.Errorf("%v after the start not all agree", took)
	}
	s.note("all are connected and agree after %v, %d frames", took, s.watch.frames)
	return nil
}

// moves moves slots between living nodes. What everyone is told at once
// everyone has to know at once.
func (s *storm) moves() error {
	for range 10 {
		s.reshard(oneOf(s.random, s.up()...), oneOf(s.random, s.up()...), uint16(s.random.IntN(clusterstate.Slots)))
	}
	took, ok := s.settleUp(time.Second)
	if !ok {
		return fmt.Errorf("%v after slots were moved not all agree", took)
	}
	s.note("all agree %v after the last slot, %d frames", took, s.watch.frames)
	return nil
}

// settleUp runs until all that are up agree on the owners. The state may be
// fail for want of those that are down.
func (s *storm) settleUp(d time.Duration) (time.Duration, bool) {
	began, up := s.net.now, s.up()
	agreed := s.net.RunUntil(d, func() bool {
		for _, m := range up[1:] {
			if !sameOwners(up[0], m) {
				return false
			}
		}
		return true
	})
	return s.net.now - began, agreed
}

// some returns a share of the machines that are up, at least one.
func (s *storm) some(share int) []*Machine {
	up := s.up()
	var out []*Machine
	for _, i := range s.random.Perm(len(up))[:max(1, len(up)/share)] {
		out = append(out, up[i])
	}
	return out
}

// crashes lets one in a hundred fail, and waits until all others know.
func (s *storm) crashes() error {
	victims := s.some(100)
	ids := idsOf(victims)
	for _, m := range victims {
		s.note("crash %s", m.Name)
		m.Crash(s.random.IntN(2) == 0)
	}
	return s.areFound(ids, s.up())
}

func idsOf(machines []*Machine) (ids []clusterstate.NodeID) {
	for _, m := range machines {
		ids = append(ids, m.ID())
	}
	return ids
}

// areFound waits until all of the rest know that nodes failed, for as long as
// it may take: see failure.
func (s *storm) areFound(ids []clusterstate.NodeID, rest []*Machine) error {
	found := func() bool {
		for _, m := range rest {
			for _, id := range ids {
				if !m.Node().View().Node(id).Failed {
					return false
				}
			}
		}
		return true
	}
	began, bound := s.net.now, 2*s.timeout+time.Second
	if !s.net.RunUntil(bound, found) {
		return fmt.Errorf("%d nodes failed, and not everyone knows %v later", len(ids), bound)
	}
	s.note("%d of %d failed, all others know after %v, %d frames", len(ids), len(s.net.machines), s.net.now-began, s.watch.frames)
	return nil
}

// cutOff parts one in twenty from the rest, until the rest knows and for a
// while more.
func (s *storm) cutOff() error {
	if err := s.calm(); err != nil {
		return err
	}
	s.net.Run(s.timeout)
	lost := s.some(20)
	away := map[*Machine]bool{}
	for _, m := range lost {
		away[m] = true
	}
	var rest []*Machine
	for _, m := range s.up() {
		if !away[m] {
			rest = append(rest, m)
		}
	}
	s.note("cut off %d of %d", len(lost), len(s.net.machines))
	s.net.Partition(lost, rest)
	if err := s.areFound(idsOf(lost), rest); err != nil {
		return err
	}
	s.net.Run(s.timeout / 2)
	return nil
}

// reunion ends all trouble. A node that failed counts as failed for twice the
// timeout once it is back. For as long everyone pings everyone: those who were
// cut off have reported all others, and while there are reports of a node
// nobody takes another's word for its health.
func (s *storm) reunion() error {
	if err := s.calm(); err != nil {
		return err
	}
	took, ok := s.net.Settle(2*s.timeout + 5*time.Second)
	if !ok {
		return fmt.Errorf("%v after the reunion not all agree", took)
	}
	s.note("all agree %v after the reunion, %d frames", took, s.watch.frames)
	return s.agreement()
}
