package sim

import (
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip"
	"slotcast/gossip/frame"
)

// election is where a replica is in becoming a primary. asked is when it asks,
// or has asked, for votes, -1 if it does not; epoch is 0 until it has.
type election struct {
	asked time.Duration
	epoch uint64
	votes map[clusterstate.NodeID]bool
}

// stand takes a replica whose primary has failed through an election: a while
// after the failure is known it asks for votes, and if they do not come it asks
// again later, in another epoch.
func (r *Redis) stand(now time.Duration, out *gossip.Output) {
	p := r.peers[r.Primary]
	if !r.Replica || p == nil || !p.failed || r.Slots == (frame.Bitmap{}) {
		return
	}
	e := &r.election
	again := 2 * max(2*r.timeout, 2*time.Second)
	if e.asked < 0 || now-e.asked > again {
		*e = election{asked: now + 500*time.Millisecond + time.Duration(r.random.Int64N(int64(500*time.Millisecond)))}
		return
	}
	if e.epoch != 0 || now < e.asked {
		return
	}
	r.CurrentEpoch++
	e.epoch, e.votes = r.CurrentEpoch, map[clusterstate.NodeID]bool{}
	r.broadcast(out, r.message(frame.TypeAuthRequest))
}

// count counts a vote. A frame that comes twice is one vote.
func (r *Redis) count(m *frame.Message, out *gossip.Output) {
	e := &r.election
	if !r.Replica || e.epoch == 0 || m.CurrentEpoch < e.epoch || m.Primary != "" || m.Slots.Count() == 0 {
		return
	}
	e.votes[m.Sender] = true
	if len(e.votes) < r.Quorum {
		return
	}
	epoch := e.epoch
	r.Replica, r.Primary, r.ConfigEpoch = false, "", max(r.ConfigEpoch, epoch)
	*e = election{asked: -1}
	if r.Won != nil {
		r.Won(r, epoch)
	}
	r.broadcast(out, r.message(frame.TypePong))
}
