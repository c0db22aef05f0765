package sim

import (
	"fmt"
	"slices"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip"
)

// Form adds machines whose disks say already that they are one cluster, with
// the slots dealt out evenly to the primaries and epochs from 1 up, and starts
// them. configure may alter a machine before that, and be nil. It is how large
// clusters are made without the time that their making takes.
func (w *Network) Form(names []string, configure func(*Machine)) ([]*Machine, error) {
	machines := make([]*Machine, len(names))
	index := map[*Machine]int{}
	var primaries []int
	for i, name := range names {
		m := w.Add(name)
		if configure != nil {
			configure(m)
		}
		machines[i], index[m] = m, i
		if m.Replicates == nil {
			primaries = append(primaries, i)
		}
	}
	conf := clusterstate.NodesConf{CurrentEpoch: uint64(len(names))}
	for i, m := range machines {
		line := clusterstate.NodeLine{
			ID: formedID("node", i), ShardID: string(formedID("shard", i)),
			IP: m.IP, Port: m.Config.Port, BusPort: m.Config.Port + 10000,
			Flags: clusterstate.LinePrimary, ConfigEpoch: uint64(i + 1),
		}
		if m.Replicates != nil {
			of := index[m.Replicates]
			line.Flags, line.ConfigEpoch = clusterstate.LineReplica, uint64(of+1)
			line.Primary, line.ShardID = formedID("node", of), string(formedID("shard", of))
		}
		conf.Nodes = append(conf.Nodes, line)
	}
	for i, of := range primaries {
		first, end := i*clusterstate.Slots/len(primaries), (i+1)*clusterstate.Slots/len(primaries)
		if end > first {
			conf.Nodes[of].Slots = []clusterstate.SlotRange{{Start: uint16(first), End: uint16(end - 1)}}
		}
	}
	for i, m := range machines {
		if m.Scripted || m.Replicates != nil {
			m.Redis = formedRedis(m, conf, i)
			if err := m.Start(); err != nil {
				return nil, fmt.Errorf("machine %s: %w", m.Name, err)
			}
			continue
		}
		conf.Nodes[i].Flags |= clusterstate.LineMyself
		if err := m.Disk.Save(conf.Append(nil), true); err != nil {
			return nil, err
		}
		conf.Nodes[i].Flags &^= clusterstate.LineMyself
		if err := m.Start(); err != nil {
			return nil, fmt.Errorf("machine %s: %w", m.Name, err)
		}
	}
	return machines, nil
}

// formedRedis makes the i-th node of a configuration one of Redis.
func formedRedis(m *Machine, conf clusterstate.NodesConf, i int) *Redis {
	r := newRedis(m, conf.Nodes[i], uint64(m.number))
	r.CurrentEpoch = conf.CurrentEpoch
	for _, line := range conf.Nodes {
		p := &redisPeer{
			ip: line.IP, port: line.BusPort, replica: line.Primary != "", primary: line.Primary,
			epoch: line.ConfigEpoch,
		}
		for _, s := range line.Slots {
			for slot := int(s.Start); slot <= int(s.End); slot++ {
				p.slots.Set(uint16(slot))
			}
		}
		switch line.ID {
		case r.ID:
			if !r.Replica {
				r.Slots = p.slots
			}
			continue
		case r.Primary:
			r.Slots = p.slots
		}
		r.peers[line.ID] = p
	}
	return r
}

// formedID makes an id up; the order of the ids is that of the numbers.
func formedID(kind string, i int) clusterstate.NodeID {
	return clusterstate.NodeID(fmt.Sprintf("%08x%-32s", i+1, kind+"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz")[:clusterstate.NodeIDLen])
}

// Meet lets one machine's node meet another's.
func (m *Machine) Meet(other *Machine) {
	m.Step(gossip.Meet{IP: other.IP, Port: other.Config.Port, BusPort: other.Config.Port + 10000})
}

// Agree tells whether every running node has the same owner and epoch for every
// slot, and calls the cluster state ok.
func (w *Network) Agree() bool {
	var first *Machine
	for _, m := range w.machines {
		if m.node == nil {
			continue
		}
		if !m.node.View().ClusterOK() {
			return false
		}
		if first == nil {
			first = m
		} else if !sameOwners(first, m) {
			return false
		}
	}
	return true
}

func sameOwners(a, b *Machine) bool {
	return slices.EqualFunc(a.ownedRanges(), b.ownedRanges(), func(x, y clusterstate.OwnedRange) bool {
		return x.SlotRange == y.SlotRange && x.Owner.ID == y.Owner.ID && x.Owner.ConfigEpoch == y.Owner.ConfigEpoch
	})
}

// ownedRanges are those of the node's view, which mostly is that of the last
// time.
func (m *Machine) ownedRanges() []clusterstate.OwnedRange {
	if v := m.node.View(); m.rangesOf != v {
		m.ranges, m.rangesOf = v.OwnedRanges(), v
	}
	return m.ranges
}

// Settle runs until all agree, at most d. It returns how long that took.
func (w *Network) Settle(d time.Duration) (time.Duration, bool) {
	began := w.now
	agreed := w.RunUntil(d, w.Agree)
	return w.now - began, agreed
}
