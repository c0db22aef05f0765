package sim

import (
	"fmt"
	"maps"
	"slices"

	"slotcast/clusterstate"
)

// members returns the largest set of machines that know each other, directly or
// by others. In a cluster where nobody was forgotten it is all.
func (s *storm) members() []*Machine {
	knows := func(a, b *Machine) bool {
		if a.Redis != nil {
			return a.Redis.Knows(b.ID())
		}
		return a.Node().View().Node(b.ID()) != nil
	}
	var best []*Machine
	done := map[*Machine]bool{}
	for _, m := range s.net.machines {
		if done[m] {
			continue
		}
		set := []*Machine{m}
		done[m] = true
		for i := 0; i < len(set); i++ {
			for _, o := range s.net.machines {
				if !done[o] && knows(set[i], o) && knows(o, set[i]) {
					done[o] = true
					set = append(set, o)
				}
			}
		}
		if len(set) > len(best) {
			best = set
		}
	}
	return best
}

// claim is what a node says of itself.
type claim struct {
	machine *Machine
	replica bool
	epoch   uint64
	owns    func(slot uint16) bool
}

func claimOf(m *Machine) claim {
	if r := m.Redis; r != nil {
		return claim{m, r.Replica, r.ConfigEpoch, func(slot uint16) bool { return !r.Replica && r.Slots.Has(slot) }}
	}
	v := m.Node().View()
	return claim{m, v.Myself().Replica, v.Myself().ConfigEpoch, func(slot uint16) bool { return v.Owner(slot) == v.Myself() }}
}

// agreement tells what the members do not agree on.
//
// It asks only what the protocol promises. A slot that its owner has given up,
// by DELSLOTS or because an UPDATE said that another has it who does not, stays
// the owner's in the eyes of others until somebody claims it. A slot that is
// being imported is moved by commands alone. And what a node that left owns in
// the eyes of some, nobody can tell them to be wrong.
func (s *storm) agreement() error {
	members := s.members()
	// A node that was met and whose own handshake is cut short is known on one
	// side alone, until it is met again.
	if s.mild() && !s.banned && len(members) < len(s.net.machines) && !s.fresh(members) {
		return fmt.Errorf("only %d of %d nodes know each other", len(members), len(s.net.machines))
	}
	claims := map[clusterstate.NodeID]claim{}
	byEpoch := map[uint64]string{}
	for _, m := range members {
		c := claimOf(m)
		claims[m.ID()] = c
		if other, twice := byEpoch[c.epoch]; twice && !c.replica {
			return fmt.Errorf("%s and %s have config epoch %d", other, m.Name, c.epoch)
		}
		if !c.replica {
			byEpoch[c.epoch] = m.Name
		}
	}
	for _, m := range members {
		if m.Node() == nil {
			continue
		}
		if err := s.knowsAll(m, claims); err != nil {
			return err
		}
		if r := s.watch.seen[m].reader; r != nil {
			if err := r.check(); err != nil {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
		}
	}
	return s.agreeOnSlots(members, claims)
}

// fresh tells whether those who are missing never met anyone.
func (s *storm) fresh(members []*Machine) bool {
	in := map[*Machine]bool{}
	for _, m := range members {
		in[m] = true
	}
	for _, m := range s.net.machines {
		if !in[m] && (m.Node() == nil || len(m.Node().View().Nodes()) > 1) {
			return false
		}
	}
	return true
}

// knowsAll compares what a node knows of the others with what they are.
func (s *storm) knowsAll(m *Machine, claims map[clusterstate.NodeID]claim) error {
	v := m.Node().View()
	for id, c := range claims {
		n := v.Node(id)
		o := c.machine
		switch {
		case n == nil:
			return fmt.Errorf("%s does not know %s", m.Name, o.Name)
		case n.Failed:
			return fmt.Errorf("%s takes %s to have failed", m.Name, o.Name)
		case n.Replica != c.replica:
			return fmt.Errorf("%s takes %s for a replica: %v", m.Name, o.Name, n.Replica)
		case !c.replica && n.ConfigEpoch != c.epoch:
			return fmt.Errorf("%s says that %s has epoch %d, it is %d", m.Name, o.Name, n.ConfigEpoch, c.epoch)
		case n.NoAddr || n.IP != o.IP && o != m:
			return fmt.Errorf("%s says that %s is at %s", m.Name, o.Name, n.IP)
		case o.Node() != nil && n.Hostname != o.Node().View().Myself().Hostname:
			return fmt.Errorf("%s says that %s is called %q", m.Name, o.Name, n.Hostname)
		case o.Node() != nil && n.Port != o.Node().View().Myself().Port:
			return fmt.Errorf("%s says that %s has port %d", m.Name, o.Name, n.Port)
		}
	}
	return nil
}

func (s *storm) agreeOnSlots(members []*Machine, claims map[clusterstate.NodeID]claim) error {
	for _, slot := range bounds(members) {
		var owner *claim
		for _, m := range members {
			c := claims[m.ID()]
			if !c.owns(slot) {
				continue
			}
			if owner != nil && !s.open(slot, members) && !s.haunted(slot, members, claims) {
				return fmt.Errorf("slot %d is claimed by %s and by %s", slot, owner.machine.Name, m.Name)
			}
			owner = &c
		}
		if owner == nil {
			if s.strict() {
				return fmt.Errorf("slot %d is nobody's", slot)
			}
			continue
		}
		if s.haunted(slot, members, claims) {
			continue
		}
		for _, m := range members {
			if m.Node() == nil || m.Node().View().Importing(slot) != nil {
				continue
			}
			if is := m.Node().View().Owner(slot); is == nil || is.ID != owner.machine.ID() {
				return fmt.Errorf("slot %d is %s's, %s says %v", slot, owner.machine.Name, m.Name, is)
			}
		}
	}
	return nil
}

// bounds returns the slots at which anything changes in somebody's eyes: what
// holds of one slot holds of those up to the next.
func bounds(members []*Machine) []uint16 {
	set := map[uint16]bool{0: true}
	add := func(r clusterstate.SlotRange) { set[r.Start], set[r.End+1] = true, true }
	for _, m := range members {
		if m.Redis != nil {
			for r := range m.Redis.Slots.Ranges() {
				add(r)
			}
			continue
		}
		for _, r := range m.Node().View().OwnedRanges() {
			add(r.SlotRange)
		}
		_, importing := m.Node().View().OpenSlots()
		for _, o := range importing {
			add(clusterstate.SlotRange{Start: o.Slot, End: o.Slot})
		}
	}
	delete(set, clusterstate.Slots)
	return slices.Sorted(maps.Keys(set))
}

// strict tells whether every slot must have an owner: no command took it away,
// and no reshard was made by nodes that do not hear of each other.
func (s *storm) strict() bool {
	if !s.mild() {
		return false
	}
	for _, c := range s.climate.commands {
		switch c {
		case "reshard", "hostname", "announce", "bumpepoch", "meet", "saveconfig":
		default:
			return false
		}
	}
	return true
}

// mild tells whether everything that was sent has arrived, if late.
func (s *storm) mild() bool {
	return !s.climate.partitions && !s.climate.crashes && s.climate.loss == 0
}

// open tells whether some member imports the slot.
func (s *storm) open(slot uint16, members []*Machine) bool {
	for _, m := range members {
		if m.Node() != nil && m.Node().View().Importing(slot) != nil {
			return true
		}
	}
	return false
}

// haunted tells whether some member gives the slot to a node that has left.
func (s *storm) haunted(slot uint16, members []*Machine, claims map[clusterstate.NodeID]claim) bool {
	for _, m := range members {
		if m.Node() == nil {
			continue
		}
		if n := m.Node().View().Owner(slot); n != nil {
			if _, here := claims[n.ID]; !here {
				return true
			}
		}
	}
	return false
}
