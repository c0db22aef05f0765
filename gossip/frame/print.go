package frame

import (
	"strconv"

	"slotcast/clusterstate"
)

// shownText is how much of a text is printed, in bytes. Logs and scripts have
// no use for a message of megabytes.
const shownText = 64

// String is the message on one line. Ids are cut to eight characters; whatever
// a peer made up is quoted.
func (m *Message) String() string {
	p := printer{make([]byte, 0, 256)}
	p.b = append(p.b, m.Type.String()...)
	if m.Light {
		p.word("light")
	} else {
		p.header(&m.Header)
	}
	switch m.Type {
	case TypePing, TypePong, TypeMeet:
		for i := range m.Gossip {
			p.gossip(&m.Gossip[i])
		}
		p.extensions(&m.Extensions)
	case TypeFail:
		p.word("failed")
		p.id(m.Failed)
	case TypePublish, TypePublishShard:
		p.text("channel", m.Publish.Channel)
		p.text("message", m.Publish.Payload)
	case TypeUpdate:
		p.word("node")
		p.id(m.Update.Node)
		p.number("config", m.Update.ConfigEpoch)
		p.slots(m.Update.Slots)
	case TypeModule:
		p.number("module", m.Module.ID)
		p.number("kind", uint64(m.Module.Kind))
		p.text("payload", m.Module.Payload)
	}
	return string(p.b)
}

type printer struct{ b []byte }

func (p *printer) word(s string) {
	p.b = append(p.b, ' ')
	p.b = append(p.b, s...)
}

func (p *printer) number(name string, n uint64) {
	p.word(name)
	p.b = append(p.b, ' ')
	p.b = strconv.AppendUint(p.b, n, 10)
}

func (p *printer) text(name string, s []byte) {
	p.word(name)
	p.b = append(p.b, ' ')
	p.b = strconv.AppendQuote(p.b, string(s[:min(len(s), shownText)]))
	if len(s) > shownText {
		p.b = append(p.b, "… "...)
		p.b = strconv.AppendInt(p.b, int64(len(s)), 10)
		p.b = append(p.b, " bytes"...)
	}
}

func (p *printer) id(id clusterstate.NodeID) {
	p.b = append(p.b, ' ')
	switch {
	case id == "":
		p.b = append(p.b, '-')
	case id.Valid():
		p.b = append(p.b, id[:8]...)
	default:
		p.b = strconv.AppendQuote(p.b, string(id))
	}
}

func (p *printer) slots(b *Bitmap) {
	p.word("slots ")
	p.b = appendRanges(p.b, b)
}

// address prints ip:port@busport, and the other port in brackets if there is
// one.
func (p *printer) address(ip string, port, busPort, otherPort uint16) {
	p.word(ip)
	p.b = append(p.b, ':')
	p.b = strconv.AppendUint(p.b, uint64(port), 10)
	p.b = append(p.b, '@')
	p.b = strconv.AppendUint(p.b, uint64(busPort), 10)
	if otherPort != 0 {
		p.b = append(p.b, '(')
		p.b = strconv.AppendUint(p.b, uint64(otherPort), 10)
		p.b = append(p.b, ')')
	}
}

func (p *printer) header(h *Header) {
	p.id(h.Sender)
	p.address(h.IP, h.Port, h.BusPort, h.OtherPort)
	p.word(h.Flags.String())
	if h.Primary != "" {
		p.word("of")
		p.id(h.Primary)
	}
	p.number("epoch", h.CurrentEpoch)
	p.number("config", h.ConfigEpoch)
	p.number("offset", h.Offset)
	if h.StateFail {
		p.word("state fail")
	} else {
		p.word("state ok")
	}
	if h.MessageFlags != 0 {
		p.word("mflags " + h.MessageFlags.String())
	}
	p.slots(h.Slots)
}

func (p *printer) gossip(g *Gossip) {
	p.word("|")
	p.id(g.ID)
	p.address(g.IP, g.Port, g.BusPort, g.OtherPort)
	p.word(g.Flags.String())
	p.number("ping", uint64(g.PingSent))
	p.number("pong", uint64(g.PongReceived))
}

func (p *printer) extensions(e *Extensions) {
	for _, t := range [...]struct{ name, text string }{
		{"hostname", e.Hostname}, {"nodename", e.Nodename}, {"client-ipv4", e.ClientIPv4}, {"client-ipv6", e.ClientIPv6},
	} {
		if t.text != "" {
			p.word("| " + t.name + " ")
			p.b = append(p.b, t.text[:min(len(t.text), 255)]...)
		}
	}
	for _, f := range e.Forgotten {
		p.word("| forgotten")
		p.id(f.ID)
		p.number("ttl", f.TTL)
	}
	if e.ShardID != "" {
		p.word("| shard")
		p.id(clusterstate.NodeID(e.ShardID))
	}
	for _, u := range e.Unknown {
		p.number("| extension", uint64(u.Type))
		p.number("bytes", uint64(len(u.Payload)))
	}
}
