package frame

import (
	"encoding/binary"
	"math"
	"slices"

	"slotcast/clusterstate"
)

// Message is one frame's meaning. Which of the parts after the header count
// follows from the type; the others are zero.
type Message struct {
	Type Type

	// Light tells that the frame has the light header, and so says nothing of
	// its sender: Header is zero, and the link alone tells who it is.
	Light bool
	Header

	Gossip     []Gossip   // TypePing, TypePong, TypeMeet
	Extensions Extensions // the same

	Failed  clusterstate.NodeID // TypeFail
	Publish Publish             // TypePublish, TypePublishShard
	Update  Update              // TypeUpdate
	Module  Module              // TypeModule
}

// Decode reads one whole frame. The error is a *FrameError if the frame is to
// be dropped, a *LinkError if it is not a frame at all.
func Decode(b []byte) (*Message, error) {
	n, err := Scan(b, math.MaxInt)
	if err != nil {
		return nil, err
	}
	if n == 0 || n != len(b) {
		return nil, notWhole(b)
	}
	raw := rawType(b)
	if v := binary.BigEndian.Uint16(b[atVersion:]); v != version {
		return nil, &FrameError{Fault: WrongVersion, Type: raw, Got: uint64(v)}
	}
	m := &Message{Type: Type(raw &^ lightBit), Light: raw&lightBit != 0}
	if !m.Type.Valid() || m.Light && !m.Type.publishes() {
		return nil, &FrameError{Fault: UnknownType, Type: raw}
	}
	if err := checkLength(b, m); err != nil {
		return nil, err
	}
	if m.Light {
		m.Publish = readPublish(b[LightHeaderLen:])
		return m, nil
	}
	m.Header = readHeader(b)
	m.readBody(b)
	return m, nil
}

// readBody reads what follows the full header. Lengths have been checked.
func (m *Message) readBody(b []byte) {
	body := b[HeaderLen:]
	switch m.Type {
	case TypePing, TypePong, TypeMeet:
		count := int(binary.BigEndian.Uint16(b[atCount:]))
		m.Gossip = readGossip(body, count)
		m.Extensions = readExtensions(body[count*gossipLen:], extensionCount(b))
	case TypeFail:
		m.Failed = readID(body)
	case TypePublish, TypePublishShard:
		m.Publish = readPublish(body)
	case TypeUpdate:
		m.Update = readUpdate(body)
	case TypeModule:
		m.Module = readModule(body)
	}
}

// Append appends the frame of a message, which must be of a valid type. It
// allocates nothing but the room in dst. Of more gossip than a frame can count
// the first 65,535 entries are taken.
func Append(dst []byte, m *Message) []byte {
	start := len(dst)
	dst = slices.Grow(dst, m.len())
	if m.Light && m.Type.publishes() {
		dst = appendHead(dst, 0, uint16(m.Type)|lightBit)
	} else {
		dst = m.Header.append(dst, m.Type)
	}
	switch m.Type {
	case TypePing, TypePong, TypeMeet:
		dst = m.appendPing(dst, start)
	case TypeFail:
		dst = appendID(dst, m.Failed)
	case TypePublish, TypePublishShard:
		dst = m.Publish.append(dst)
	case TypeUpdate:
		dst = m.Update.append(dst)
	case TypeModule:
		dst = m.Module.append(dst)
	}
	binary.BigEndian.PutUint32(dst[start+atLength:], uint32(len(dst)-start))
	return dst
}

// appendPing appends gossip and extensions to the header that begins at start,
// and enters their numbers there.
func (m *Message) appendPing(dst []byte, start int) []byte {
	gossip := m.Gossip[:min(len(m.Gossip), maxCount)]
	for i := range gossip {
		dst = gossip[i].append(dst)
	}
	dst, extensions := m.Extensions.append(dst)
	binary.BigEndian.PutUint16(dst[start+atCount:], uint16(len(gossip)))
	binary.BigEndian.PutUint16(dst[start+atExtensions:], uint16(extensions))
	if extensions > 0 {
		dst[start+atMessage] |= byte(HasExtensions)
	}
	return dst
}

// len is how long the frame is going to be, or a little more.
func (m *Message) len() int {
	n := HeaderLen
	switch m.Type {
	case TypePing, TypePong, TypeMeet:
		n += len(m.Gossip)*gossipLen + m.Extensions.len()
	case TypeFail:
		n += failLen
	case TypePublish, TypePublishShard:
		n += m.Publish.len()
	case TypeUpdate:
		n += updateLen
	case TypeModule:
		n += moduleHead + len(m.Module.Payload)
	}
	return n
}
