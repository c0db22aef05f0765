package frame

import (
	"encoding/binary"
	"math"
	"strings"

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

// Places in an entry.
const (
	atPingSent     = 40
	atPongReceived = 44
	atEntryIP      = 48
	atEntryPort    = 94
	atEntryBus     = 96
	atEntryFlags   = 98
	atEntryOther   = 100
)

// readGossip reads count entries, which b is known to hold. Their ids and
// addresses are cut out of one string: gossip is most of what is read, and in
// a large cluster a hundred entries come with each ping. So whoever keeps one
// of them copies it, or keeps all.
func readGossip(b []byte, count int) []Gossip {
	if count == 0 {
		return nil
	}
	list := make([]Gossip, count)
	length := 0
	for i := range list {
		length += clusterstate.NodeIDLen + len(ipText(b[i*gossipLen+atEntryIP:]))
	}
	var texts strings.Builder
	texts.Grow(length)
	for i := range list {
		list[i].read(b[i*gossipLen:], &texts)
	}
	return list
}

// read reads one entry. The builder has the room for its texts, so that what
// it gives of them stays where it is.
func (g *Gossip) read(b []byte, texts *strings.Builder) {
	be := binary.BigEndian
	g.PingSent = be.Uint32(b[atPingSent:])
	g.PongReceived = be.Uint32(b[atPongReceived:])
	g.Port = be.Uint16(b[atEntryPort:])
	g.BusPort = be.Uint16(b[atEntryBus:])
	g.Flags = Flags(be.Uint16(b[atEntryFlags:]))
	g.OtherPort = be.Uint16(b[atEntryOther:])
	start := texts.Len()
	if id := b[:clusterstate.NodeIDLen]; !isZero(id) {
		texts.Write(id)
		g.ID = clusterstate.NodeID(texts.String()[start:])
	}
	start = texts.Len()
	texts.Write(ipText(b[atEntryIP:]))
	g.IP = texts.String()[start:]
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
