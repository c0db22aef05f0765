package frame

import (
	"encoding/binary"
	"math"

	"slotcast/clusterstate"
)

// gossipLen is the length of a gossip entry.
const gossipLen = 104

// maxCount is how many entries, and how many extensions, a frame has room to
// count.
const maxCount = math.MaxUint16

// Gossip is what the sender says of one other node.
type Gossip struct {
	ID clusterstate.NodeID

	// PingSent is when the sender sent the ping that still waits for its pong,
	// 0 if none does, PongReceived when the last pong came; unix seconds of
	// the sender's clock.
	PingSent, PongReceived uint32

	IP                       string
	Port, OtherPort, BusPort uint16 // as in Header

	// Flags are the sender's for that node.
	Flags Flags
}

// ValidGossip tells whether all ids of the gossip are ids. Valkey passes over
// the whole of it otherwise, since the sender cannot be trusted to have meant
// any of it; an unknown id that is none must in no case become a node.
func (m *Message) ValidGossip() bool {
	for i := range m.Gossip {
		if !m.Gossip[i].ID.Valid() {
			return false
		}
	}
	return true
}

// readGossip reads count entries, which b is known to hold.
func readGossip(b []byte, count int) []Gossip {
	if count == 0 {
		return nil
	}
	list := make([]Gossip, count)
	for i := range list {
		list[i] = readEntry(b[i*gossipLen:])
	}
	return list
}

// readEntry cuts id and address out of one string: gossip is most of what is
// read, and this halves its allocations. Who keeps one of them keeps the other
// too, and not the frame.
func readEntry(b []byte) Gossip {
	const atIP = 48
	be := binary.BigEndian
	g := Gossip{
		PingSent:     be.Uint32(b[40:]),
		PongReceived: be.Uint32(b[44:]),
		Port:         be.Uint16(b[94:]),
		BusPort:      be.Uint16(b[96:]),
		Flags:        Flags(be.Uint16(b[98:])),
		OtherPort:    be.Uint16(b[100:]),
	}
	text := string(b[:atIP+len(ipText(b[atIP:]))])
	g.IP = text[atIP:]
	if !isZero(b[:clusterstate.NodeIDLen]) {
		g.ID = clusterstate.NodeID(text[:clusterstate.NodeIDLen])
	}
	return g
}

func (g *Gossip) append(dst []byte) []byte {
	be := binary.BigEndian
	dst = appendID(dst, g.ID)
	dst = be.AppendUint32(dst, g.PingSent)
	dst = be.AppendUint32(dst, g.PongReceived)
	dst = appendIP(dst, g.IP)
	dst = be.AppendUint16(dst, g.Port)
	dst = be.AppendUint16(dst, g.BusPort)
	dst = be.AppendUint16(dst, uint16(g.Flags))
	dst = be.AppendUint16(dst, g.OtherPort)
	return be.AppendUint16(dst, 0)
}
