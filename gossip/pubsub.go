package gossip

import (
	"bytes"

	"slotcast/gossip/frame"
)

// family is the name of the channels on which this node tells of slots. Each
// node speaks there for itself, to its own subscribers: such a message never
// goes out, and one that comes in is a forgery.
const family = "__cluster-slots__"

func reserved(channel []byte) bool {
	rest, is := bytes.CutPrefix(channel, []byte(family))
	return is && (len(rest) == 0 || rest[0] == ':')
}

func (in Publish) apply(_ *Node, t *turn) error {
	if reserved(in.Channel) {
		return &ReservedError{string(in.Channel)}
	}
	t.send(intent{kind: publishKind(in.Shard), publish: &in})
	return nil
}

func publishKind(shard bool) frame.Type {
	if shard {
		return frame.TypePublishShard
	}
	return frame.TypePublish
}

// emitPublish sends a message in two forms: those who read light frames are
// spared the header of two kilobytes.
func (n *Node) emitPublish(t *turn, m *frame.Message, p *Publish) {
	m.Publish = frame.Publish{Channel: p.Channel, Payload: p.Payload}
	for _, light := range [...]bool{true, false} {
		admits := func(to *peer) bool { return to.light == light && (!p.Shard || n.inMyShard(to)) }
		m.Light = light
		var encoded []byte
		for _, to := range n.table.rows {
			if to.up && admits(to) {
				encoded = frame.Append(nil, m)
				break
			}
		}
		if encoded != nil {
			n.deal(t, 0, m.Type, encoded, admits)
		}
	}
}

// inMyShard tells whether a node serves the slots that this one serves.
func (n *Node) inMyShard(p *peer) bool {
	me, node := n.view.Myself(), n.view.Node(p.id)
	if me.Replica {
		return node.ID == me.Primary || node.Replica && node.Primary == me.Primary
	}
	return node.Replica && node.Primary == me.ID
}

// deliver takes a message of Pub/Sub from a node of the cluster.
func (n *Node) deliver(t *turn, m *frame.Message) {
	if reserved(m.Publish.Channel) {
		n.forged++
		return
	}
	t.out.Deliver = append(t.out.Deliver, Message{
		Channel: m.Publish.Channel, Payload: m.Publish.Payload, Shard: m.Type == frame.TypePublishShard,
	})
}

// Forged returns how many messages to the reserved family came in.
func (n *Node) Forged() uint64 { return n.forged }
