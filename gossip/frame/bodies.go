package frame

import (
	"encoding/binary"

	"slotcast/clusterstate"
)

// Lengths of the bodies that are always the same, and of the part of a MODULE
// body before its payload.
const (
	failLen    = clusterstate.NodeIDLen
	updateLen  = 8 + clusterstate.NodeIDLen + len(Bitmap{})
	moduleHead = 8 + 4 + 1
)

// Update is what the receiver of an UPDATE has missed: the slots of a node, and
// the epoch that makes the claim good.
type Update struct {
	ConfigEpoch uint64
	Node        clusterstate.NodeID
	Slots       *Bitmap
}

func readUpdate(body []byte) Update {
	const atSlots = 8 + clusterstate.NodeIDLen
	return Update{
		ConfigEpoch: binary.BigEndian.Uint64(body),
		Node:        readID(body[8:]),
		Slots:       readBitmap(body[atSlots:updateLen]),
	}
}

func (u *Update) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, u.ConfigEpoch)
	dst = appendID(dst, u.Node)
	return appendBitmap(dst, u.Slots)
}

// Module is a message between modules, which slotcast has none of.
type Module struct {
	// ID names the module. It is the one number of the protocol that is in the
	// sender's own byte order; it is read as little-endian, which all servers
	// in use are.
	ID      uint64
	Kind    uint8
	Payload []byte
}

// moduleLen is the length that the body ought to have, by what it says itself.
func moduleLen(body []byte) uint64 {
	if len(body) < moduleHead {
		return moduleHead
	}
	return moduleHead + uint64(binary.BigEndian.Uint32(body[8:]))
}

func readModule(body []byte) Module {
	return Module{
		ID:      binary.LittleEndian.Uint64(body),
		Kind:    body[12],
		Payload: append([]byte(nil), body[moduleHead:]...),
	}
}

func (m *Module) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, m.ID)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(m.Payload)))
	dst = append(dst, m.Kind)
	return append(dst, m.Payload...)
}
