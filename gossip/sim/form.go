package sim

import (
	"fmt"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip"
)

// Form adds machines whose disks say already that they are one cluster, with
// the slots dealt out evenly and epochs from 1 up, and starts them. configure
// may alter a machine before that, and be nil. It is how large clusters are
// made without the time that their making takes.
func (w *Network) Form(names []string, configure func(*Machine)) ([]*Machine, error) {
	machines := make([]*Machine, len(names))
	conf := clusterstate.NodesConf{CurrentEpoch: uint64(len(names))}
	for i, name := range names {
		m := w.Add(name)
		if configure != nil {
			configure(m)
		}
		machines[i] = m
		first, end := i*clusterstate.Slots/len(names), (i+1)*clusterstate.Slots/len(names)
		line := clusterstate.NodeLine{
			ID: formedID("node", i), ShardID: string(formedID("shard", i)),
			IP: m.IP, Port: m.Config.Port, BusPort: m.Config.Port + 10000,
			Flags: clusterstate.LinePrimary, ConfigEpoch: uint64(i + 1),
		}
		if end > first {
			line.Slots = []clusterstate.SlotRange{{Start: uint16(first), End: uint16(end - 1)}}
		}
		conf.Nodes = append(conf.Nodes, line)
	}
	for i, m := range machines {
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
	var first *clusterstate.View
	for _, m := range w.machines {
		if m.node == nil {
			continue
		}
		v := m.node.View()
		if !v.ClusterOK() {
			return false
		}
		if first == nil {
			first = v
		} else if !sameOwners(first, v) {
			return false
		}
	}
	return true
}

func sameOwners(a, b *clusterstate.View) bool {
	x, y := a.OwnedRanges(), b.OwnedRanges()
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].SlotRange != y[i].SlotRange || x[i].Owner.ID != y[i].Owner.ID || x[i].Owner.ConfigEpoch != y[i].Owner.ConfigEpoch {
			return false
		}
	}
	return true
}

// Settle runs until all agree, at most d. It returns how long that took.
func (w *Network) Settle(d time.Duration) (time.Duration, bool) {
	began := w.now
	agreed := w.RunUntil(d, w.Agree)
	return w.now - began, agreed
}
