package sim

import (
	"fmt"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip"
)

// command gives a node a random command of a kind.
func (s *storm) command(kind string, m *Machine) {
	r := s.random
	other := oneOf(r, s.net.machines...)
	id := s.someID(m, other)
	slots := s.someSlots()
	switch kind {
	case "reshard":
		s.reshard(m, other, uint16(r.IntN(clusterstate.Slots)))
	case "addslots":
		s.step(m, fmt.Sprintf("addslots %v", slots), gossip.AddSlots{Ranges: slots})
	case "delslots":
		s.step(m, fmt.Sprintf("delslots %v", slots), gossip.DelSlots{Ranges: slots})
	case "flushslots":
		s.step(m, "flushslots", gossip.FlushSlots{DBEmpty: true})
	case "setslot":
		action := gossip.SlotAction(r.IntN(4))
		slot := uint16(r.IntN(clusterstate.Slots))
		keys := r.IntN(2)
		s.step(m, fmt.Sprintf("setslot %d action %d %s keys %d", slot, action, id, keys),
			gossip.SetSlot{Slot: slot, Action: action, Node: id, KeysInSlot: keys})
	case "bumpepoch":
		s.step(m, "bumpepoch", gossip.BumpEpoch{})
	case "set-config-epoch":
		s.step(m, "set-config-epoch", gossip.SetConfigEpoch{Epoch: int64(r.IntN(20))})
	case "saveconfig":
		s.step(m, "saveconfig", gossip.SaveConfig{})
	case "hostname":
		s.configure(m, "hostname", func(c *gossip.Config) { c.AnnounceHostname = oneOf(r, "", "a.example.com", "b.example.com") })
	case "announce":
		s.configure(m, "announce", func(c *gossip.Config) { c.AnnouncePort = oneOf(r, 0, 7777) })
	case "meet":
		if other != m && other.Redis == nil { // which answers no MEET
			s.step(m, "meet "+other.Name, gossip.Meet{IP: other.IP, Port: other.Config.Port, BusPort: other.Config.Port + 10000})
		}
	case "forget":
		s.banned = true
		s.step(m, "forget "+id, gossip.Forget{Node: id})
	case "reset":
		s.banned = true
		hard := r.IntN(2) == 0
		if hard {
			s.watch.forget(m)
		}
		s.step(m, fmt.Sprintf("reset hard %v", hard), gossip.Reset{Hard: hard})
	}
}

// someID returns the id of another machine's node, or of any that m knows.
func (s *storm) someID(m, other *Machine) string {
	if other.Running() && s.random.IntN(3) > 0 {
		return string(other.ID())
	}
	return string(oneOf(s.random, m.Node().View().Nodes()...).ID)
}

func (s *storm) someSlots() []clusterstate.SlotRange {
	first := s.random.IntN(clusterstate.Slots)
	last := min(first+s.random.IntN(oneOf(s.random, 1, 10, 6000)), clusterstate.Slots-1)
	return []clusterstate.SlotRange{{Start: uint16(first), End: uint16(last)}}
}

func (s *storm) configure(m *Machine, text string, change func(*gossip.Config)) {
	c := m.Node().Config()
	change(&c)
	m.Config = c
	s.step(m, fmt.Sprintf("%s %q %d", text, c.AnnounceHostname, c.AnnouncePort), gossip.Configure{Config: c})
}

// reshard moves a slot as redis-cli does, and mostly to its end: a step that is
// not answered with OK is the last. The next comes once this one is known, if
// the weather lets it: a target that does not know the latest epoch of the
// source, which has just imported another slot, does not take a greater one.
// Those who know both tell it then that the slot is the source's, and it is
// nobody's. So it is with Redis.
func (s *storm) reshard(from, to *Machine, slot uint16) {
	owner := from.Node().View().Owner(slot)
	for _, m := range s.net.machines {
		if m.Running() && owner != nil && m.ID() == owner.ID {
			from = m
		}
	}
	if to.Node() == nil || from == to || from.Node() == nil {
		return
	}
	source, target := string(from.ID()), string(to.ID())
	steps := []struct {
		at     *Machine
		action gossip.SlotAction
		node   string
	}{
		{to, gossip.SlotImporting, source}, {from, gossip.SlotMigrating, target},
		{to, gossip.SlotNode, target}, {from, gossip.SlotNode, target},
	}
	for i, st := range steps {
		done := s.step(st.at, fmt.Sprintf("setslot %d step %d of %s > %s", slot, i, from.Name, to.Name),
			gossip.SetSlot{Slot: slot, Action: st.action, Node: st.node})
		if !done || s.random.IntN(8) == 0 {
			return
		}
		s.net.Run(time.Duration(s.random.Int64N(int64(20 * time.Millisecond))))
	}
	s.net.Run(2 * s.climate.latency)
}
