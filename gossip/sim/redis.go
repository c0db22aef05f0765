package sim

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip"
	"slotcast/gossip/frame"
)

// Redis is a node with replication, as far as elections need it: a primary
// whose replicas have data, or a replica that asks for votes when its primary
// has failed. slotcast nodes are neither yet, so it stands for the servers of
// other kinds in their cluster.
//
// It knows of others what their headers say, reports no suspicion, and remembers across crashes everything but its links and the
// election it was in.
type Redis struct {
	ID      clusterstate.NodeID
	ShardID string
	Replica bool
	Primary clusterstate.NodeID

	CurrentEpoch, ConfigEpoch uint64

	// Slots are its own, or of a replica those of its primary.
	Slots frame.Bitmap

	// Quorum is how many votes make it a primary. It is given from outside:
	// what it knows of others is too little to count them.
	Quorum int

	// Won is called when it has won an election.
	Won func(r *Redis, epoch uint64)

	timeout  time.Duration
	port     int
	random   *rand.Rand
	peers    map[clusterstate.NodeID]*redisPeer
	bans     map[clusterstate.NodeID]time.Duration // until when
	links    map[gossip.LinkID]clusterstate.NodeID // those it has opened
	lastLink gossip.LinkID
	election election
}

// redisPeer is what a Redis knows of another node.
type redisPeer struct {
	ip     string
	port   int // of the bus
	link   gossip.LinkID
	up     bool
	dialed time.Duration
	pinged time.Duration
	heard  time.Duration

	failed  bool
	replica bool
	primary clusterstate.NodeID
	epoch   uint64
	slots   frame.Bitmap
}

func newRedis(m *Machine, line clusterstate.NodeLine, seed uint64) *Redis {
	return &Redis{
		ID: line.ID, ShardID: line.ShardID, Replica: line.Primary != "", Primary: line.Primary,
		ConfigEpoch: line.ConfigEpoch, timeout: m.Config.NodeTimeout, port: m.Config.Port,
		random: rand.New(rand.NewPCG(seed, 1)), peers: map[clusterstate.NodeID]*redisPeer{},
		bans: map[clusterstate.NodeID]time.Duration{},
	}
}

// start is what a restart leaves of it.
func (r *Redis) start() {
	r.links = map[gossip.LinkID]clusterstate.NodeID{}
	r.election = election{asked: -1}
	for _, p := range r.peers {
		p.link, p.up, p.failed, p.heard, p.pinged = 0, false, false, 0, 0
	}
}

// Knows tells whether it knows a node.
func (r *Redis) Knows(id clusterstate.NodeID) bool { return r.peers[id] != nil || id == r.ID }

// Tick and Step are as those of gossip.Node, as far as the inputs mean anything
// to it.
func (r *Redis) Tick(now gossip.Now) (out gossip.Output) {
	for _, id := range slices.Sorted(maps.Keys(r.peers)) {
		p := r.peers[id]
		switch {
		case p.link == 0:
			r.lastLink++
			p.link, p.dialed, p.pinged = r.lastLink, now.Mono, 0
			r.links[p.link] = id
			out.Dial = append(out.Dial, gossip.Dial{Link: p.link, Node: id, IP: p.ip, Port: p.port})
		case now.Mono-max(p.dialed, p.heard) > r.timeout:
			out.Close = append(out.Close, p.link)
			delete(r.links, p.link)
			p.link, p.up = 0, false
		case p.up && now.Mono-p.pinged >= r.timeout/2:
			p.pinged = now.Mono
			r.send(&out, p.link, r.message(frame.TypePing))
		}
	}
	r.stand(now.Mono, &out)
	return out
}

func (r *Redis) Step(now gossip.Now, in gossip.Input) (out gossip.Output) {
	switch in := in.(type) {
	case gossip.LinkUp:
		if p := r.peers[r.links[in.Link]]; p != nil {
			p.up, p.pinged = true, now.Mono
			r.send(&out, in.Link, r.message(frame.TypePing))
		}
	case gossip.LinkDown:
		if p := r.peers[r.links[in.Link]]; p != nil {
			p.link, p.up = 0, false
		}
		delete(r.links, in.Link)
	case gossip.Received:
		r.receive(now.Mono, in.Link, in.Message, &out)
	}
	return out
}

func (r *Redis) receive(now time.Duration, link gossip.LinkID, m *frame.Message, out *gossip.Output) {
	if m.Light {
		return
	}
	if m.Type == frame.TypePing || m.Type == frame.TypeMeet {
		r.send(out, link, r.message(frame.TypePong))
	}
	p := r.peers[m.Sender]
	if p == nil {
		return
	}
	p.heard, p.failed = now, false
	r.CurrentEpoch = max(r.CurrentEpoch, m.CurrentEpoch)
	if m.Primary == "" {
		p.epoch = max(p.epoch, m.ConfigEpoch)
	}
	switch m.Type {
	case frame.TypePing, frame.TypePong, frame.TypeMeet:
		r.hear(now, m)
		r.forget(now, m, out)
		if r.peers[m.Sender] == nil {
			return // it wants to be forgotten
		}
		r.heedClaim(m, out)
	case frame.TypeUpdate:
		r.yield(m.Update.Node, m.Update.ConfigEpoch, m.Update.Slots)
	case frame.TypeFail:
		if about := r.peers[m.Failed]; about != nil {
			about.failed = true
		}
	case frame.TypeAuthAck:
		r.count(m, out)
	}
}

// hear takes in what a ping says of its sender and of others.
func (r *Redis) hear(now time.Duration, m *frame.Message) {
	p := r.peers[m.Sender]
	p.replica, p.primary, p.slots = m.Flags.Has(frame.FlagReplica), m.Primary, frame.Bitmap{}
	if m.Slots != nil {
		p.slots = *m.Slots
	}
	for i := range m.Gossip {
		g := &m.Gossip[i]
		about := r.peers[g.ID]
		switch {
		case g.ID == r.ID || g.IP == "" || g.Flags.Has(frame.FlagNoAddr|frame.FlagHandshake):
		case about == nil && r.bans[g.ID] > now:
		case about == nil:
			r.peers[g.ID] = &redisPeer{ip: g.IP, port: int(g.BusPort)}
		case g.Flags.Has(frame.FlagFail) && !about.up:
			about.failed = true
		}
	}
}

// forget forgets whom others were told to.
func (r *Redis) forget(now time.Duration, m *frame.Message, out *gossip.Output) {
	for _, f := range m.Extensions.Forgotten {
		p := r.peers[f.ID]
		if p == nil || f.ID == r.Primary || f.TTL == 0 {
			continue
		}
		r.bans[f.ID] = now + time.Duration(f.TTL)*time.Second
		if p.link != 0 {
			out.Close = append(out.Close, p.link)
			delete(r.links, p.link)
		}
		delete(r.peers, f.ID)
	}
}

// message begins a message of this node.
func (r *Redis) message(kind frame.Type) *frame.Message {
	slots := r.Slots
	h := frame.Header{
		Sender: r.ID, CurrentEpoch: r.CurrentEpoch, ConfigEpoch: r.ConfigEpoch, Slots: &slots, Offset: 1000,
		Port: uint16(r.port), BusPort: uint16(r.port + 10000), Flags: frame.FlagMyself | frame.FlagPrimary,
	}
	if r.Replica {
		h.Flags, h.Primary = frame.FlagMyself|frame.FlagReplica, r.Primary
	}
	m := &frame.Message{Type: kind, Header: h}
	if kind == frame.TypePing || kind == frame.TypePong {
		m.Extensions.ShardID = r.ShardID
		m.Gossip = r.gossip()
	}
	return m
}

// gossip is what it says of others: of all of them each time.
func (r *Redis) gossip() (list []frame.Gossip) {
	for _, id := range slices.Sorted(maps.Keys(r.peers)) {
		p := r.peers[id]
		g := frame.Gossip{ID: id, IP: p.ip, Port: uint16(p.port - 10000), BusPort: uint16(p.port), Flags: frame.FlagPrimary}
		if p.replica {
			g.Flags = frame.FlagReplica
		}
		if p.failed {
			g.Flags |= frame.FlagFail
		}
		list = append(list, g)
	}
	return list
}

func (r *Redis) send(out *gossip.Output, link gossip.LinkID, m *frame.Message) {
	out.Send = append(out.Send, gossip.Send{Link: link, Frame: frame.Append(nil, m)})
}

// broadcast sends to everyone who can be reached.
func (r *Redis) broadcast(out *gossip.Output, m *frame.Message) {
	for _, id := range slices.Sorted(maps.Keys(r.peers)) {
		if p := r.peers[id]; p.up {
			r.send(out, p.link, m)
		}
	}
}
