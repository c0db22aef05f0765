package frame

import (
	"encoding/binary"

	"slotcast/clusterstate"
)

// Lengths of the two headers, which are also the least lengths of a frame.
const (
	HeaderLen      = 2256
	LightHeaderLen = 16
)

// signature opens every frame.
const signature = "RCmb"

// version is the one version of the protocol there has been.
const version = 1

// Places in the header. The first three are at the same place in the light
// header, which has nothing else.
const (
	atLength     = 4
	atVersion    = 8
	atPort       = 10
	atType       = 12
	atCount      = 14
	atEpoch      = 16
	atConfig     = 24
	atOffset     = 32
	atSender     = 40
	atSlots      = 80
	atPrimary    = 2128
	atIP         = 2168
	atExtensions = 2214
	reservedLen  = 30
	atOtherPort  = 2246
	atBusPort    = 2248
	atFlags      = 2250
	atState      = 2252
	atMessage    = 2253
)

// Header is what the sender of a frame says of itself in every frame.
type Header struct {
	Sender clusterstate.NodeID

	// Primary is the id of the sender's primary, empty if the sender is a
	// primary itself or knows none.
	Primary clusterstate.NodeID

	// CurrentEpoch is the sender's epoch of the cluster.
	CurrentEpoch uint64

	// ConfigEpoch and Slots are the sender's own, or, from a replica, those of
	// its primary.
	ConfigEpoch uint64
	Slots       *Bitmap

	// Offset is how far replication is: what a primary has produced, or what a
	// replica has processed.
	Offset uint64

	// IP is the announced address; empty leaves it to the receiver to look
	// where the frame came from.
	IP string

	// Port is the client port that goes with the bus, which is the TLS port if
	// the bus speaks TLS; OtherPort is the other one, 0 for none.
	Port, OtherPort, BusPort uint16

	Flags        Flags
	MessageFlags MessageFlags

	// StateFail tells that the cluster is down in the sender's view.
	StateFail bool
}

// readHeader reads a full header. What is reserved in it is not looked at.
func readHeader(b []byte) Header {
	be := binary.BigEndian
	return Header{
		Sender:       readID(b[atSender:]),
		Primary:      readID(b[atPrimary:]),
		CurrentEpoch: be.Uint64(b[atEpoch:]),
		ConfigEpoch:  be.Uint64(b[atConfig:]),
		Slots:        readBitmap(b[atSlots:atPrimary]),
		Offset:       be.Uint64(b[atOffset:]),
		IP:           string(ipText(b[atIP:])),
		Port:         be.Uint16(b[atPort:]),
		OtherPort:    be.Uint16(b[atOtherPort:]),
		BusPort:      be.Uint16(b[atBusPort:]),
		Flags:        Flags(be.Uint16(b[atFlags:])),
		MessageFlags: MessageFlags(b[atMessage]),
		StateFail:    b[atState] != 0,
	}
}

// append appends a full header. The length and the counts are 0 in it.
func (h *Header) append(dst []byte, t Type) []byte {
	be := binary.BigEndian
	dst = appendHead(dst, h.Port, uint16(t))
	dst = be.AppendUint64(dst, h.CurrentEpoch)
	dst = be.AppendUint64(dst, h.ConfigEpoch)
	dst = be.AppendUint64(dst, h.Offset)
	dst = appendID(dst, h.Sender)
	dst = appendBitmap(dst, h.Slots)
	dst = appendID(dst, h.Primary)
	dst = appendIP(dst, h.IP)
	dst = appendZeros(dst, 2+reservedLen)
	dst = be.AppendUint16(dst, h.OtherPort)
	dst = be.AppendUint16(dst, h.BusPort)
	dst = be.AppendUint16(dst, uint16(h.Flags))
	state := byte(0)
	if h.StateFail {
		state = 1
	}
	return append(dst, state, byte(h.MessageFlags), 0, 0)
}

// appendHead appends the 16 bytes that both headers begin with.
func appendHead(dst []byte, port, rawType uint16) []byte {
	be := binary.BigEndian
	dst = append(dst, signature...)
	dst = be.AppendUint32(dst, 0)
	dst = be.AppendUint16(dst, version)
	dst = be.AppendUint16(dst, port)
	dst = be.AppendUint16(dst, rawType)
	return be.AppendUint16(dst, 0)
}
