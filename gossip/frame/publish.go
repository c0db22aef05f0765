package frame

import "encoding/binary"

// publishHead is what precedes the channel: two lengths.
const publishHead = 8

// Publish is a message of Pub/Sub, on a channel or on a shard channel.
type Publish struct {
	Channel, Payload []byte
}

// publishLen is the length that the body ought to have, by what it says
// itself.
func publishLen(body []byte) uint64 {
	if len(body) < publishHead {
		return publishHead
	}
	be := binary.BigEndian
	return publishHead + uint64(be.Uint32(body)) + uint64(be.Uint32(body[4:]))
}

// readPublish reads a body whose length is right. Channel and payload share an
// allocation; neither can be appended to without leaving it.
func readPublish(body []byte) Publish {
	split := binary.BigEndian.Uint32(body)
	both := append([]byte(nil), body[publishHead:]...)
	return Publish{Channel: both[:split:split], Payload: both[split:len(both):len(both)]}
}

func (p *Publish) len() int { return publishHead + len(p.Channel) + len(p.Payload) }

func (p *Publish) append(dst []byte) []byte {
	be := binary.BigEndian
	dst = be.AppendUint32(dst, uint32(len(p.Channel)))
	dst = be.AppendUint32(dst, uint32(len(p.Payload)))
	dst = append(dst, p.Channel...)
	return append(dst, p.Payload...)
}
