package sim

import (
	"slotcast/clusterstate"
	"slotcast/gossip"
	"slotcast/gossip/frame"
)

// heedClaim settles what a primary's claim and the own one have in common.
func (r *Redis) heedClaim(m *frame.Message, out *gossip.Output) {
	if r.Replica {
		r.followPrimary(m)
	}
	if m.Primary != "" {
		return
	}
	if !r.Replica && m.ConfigEpoch == r.ConfigEpoch && r.ID < m.Sender {
		r.CurrentEpoch++
		r.ConfigEpoch = r.CurrentEpoch
	}
	r.yield(m.Sender, m.ConfigEpoch, m.Slots)
	if p := r.peers[m.Sender]; !r.Replica && p.up && m.ConfigEpoch < r.ConfigEpoch && overlap(&r.Slots, m.Slots) {
		own := r.Slots
		u := r.message(frame.TypeUpdate)
		u.Update = frame.Update{Node: r.ID, ConfigEpoch: r.ConfigEpoch, Slots: &own}
		r.send(out, p.link, u)
	}
}

// followPrimary keeps a replica at whoever serves its slots.
func (r *Redis) followPrimary(m *frame.Message) {
	if m.Sender != r.Primary {
		return
	}
	if m.Primary == "" {
		r.Slots, r.ConfigEpoch = frame.Bitmap{}, m.ConfigEpoch
		if m.Slots != nil {
			r.Slots = *m.Slots
		}
		return
	}
	if r.peers[m.Primary] != nil {
		r.follow(m.Primary)
	}
}

// yield gives up the slots that another claims with a greater epoch. If none
// are left, it becomes a replica of the other.
func (r *Redis) yield(to clusterstate.NodeID, epoch uint64, slots *frame.Bitmap) {
	if to == r.ID || to == r.Primary || r.peers[to] == nil || epoch <= r.ConfigEpoch || !overlap(&r.Slots, slots) {
		return
	}
	for i := range r.Slots {
		r.Slots[i] &^= slots[i]
	}
	if r.Slots == (frame.Bitmap{}) {
		r.follow(to)
	}
}

func (r *Redis) follow(primary clusterstate.NodeID) {
	p := r.peers[primary]
	r.Replica, r.Primary, r.Slots, r.ConfigEpoch = true, primary, p.slots, p.epoch
	r.election = election{asked: -1}
}

func overlap(a, b *frame.Bitmap) bool {
	if b == nil {
		return false
	}
	for i := range a {
		if a[i]&b[i] != 0 {
			return true
		}
	}
	return false
}
