package gossip

import "slotcast/clusterstate"

// LinkID names one connection of the cluster bus. The node names those that it
// asks for in Output.Dial; whoever runs the node names those that peers open,
// with the top bit set. No id is used twice in the life of a process.
type LinkID uint64

// FirstInbound is the least id of a link that a peer has opened.
const FirstInbound LinkID = 1 << 63

// Inbound tells whether a peer has opened the link.
func (l LinkID) Inbound() bool { return l >= FirstInbound }

// Dial asks for a link to a node. It ends in a LinkUp or in a LinkDown, unless
// the link is closed before that by Output.Close.
type Dial struct {
	Link LinkID
	Node clusterstate.NodeID // for the log; of a handshake it is made up
	IP   string
	Port int // of the bus
}

// Send is a frame to be written to a link. Frame is not to be altered: other
// links may be given the same bytes.
type Send struct {
	Link  LinkID
	Frame []byte
}

// Message is one of Pub/Sub that came over the bus, for this node's own
// subscribers alone.
type Message struct {
	Channel, Payload []byte
	Shard            bool
}

// event is an input that nobody waits for, so it has no reply.
type event interface{ event() }

func (LinkUp) event()   {}
func (LinkDown) event() {}
func (Accepted) event() {}
func (Received) event() {}
func (Publish) event()  {}

// LinkUp tells that a link asked for stands. LocalIP is the address of this
// node on it.
type LinkUp struct {
	Link    LinkID
	LocalIP string
}

// LinkDown tells that a link is gone, or did not come about. It is not told of
// links that Output.Close names; if it is, it means nothing. Overflow is set if
// it was closed because the peer did not read (cluster-link-sendbuf-limit).
type LinkDown struct {
	Link     LinkID
	Overflow bool
}

// Accepted tells of a link that a peer opened: the addresses of both ends.
type Accepted struct {
	Link            LinkID
	LocalIP, PeerIP string
}

// Publish sends a message of Pub/Sub to the nodes whose clients may listen: all
// of the cluster, or those of this node's shard. Own subscribers are the
// caller's business.
type Publish struct {
	Channel, Payload []byte
	Shard            bool
}
