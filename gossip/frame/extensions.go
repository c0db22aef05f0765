package frame

import (
	"bytes"
	"encoding/binary"

	"slotcast/clusterstate"
)

// ExtensionType is the kind of one extension. The values are those on the wire.
type ExtensionType uint16

const (
	ExtHostname ExtensionType = iota
	ExtHumanNodename
	ExtForgottenNode
	ExtShardID
	ExtClientIPv4
	ExtClientIPv6
)

const (
	extensionHead = 8
	forgottenLen  = clusterstate.NodeIDLen + 8

	// secretLen is the payload of type 4 in Redis 8.
	secretLen = 40

	// maxExtension is the greatest length of an extension, its head included.
	// The field has 32 bits, but Redis 7 takes the low 16 of them.
	maxExtension = 1<<16 - 8
)

// Extensions is what a PING, PONG or MEET says beyond header and gossip. For
// the texts and the shard id, empty means that the extension is absent, which
// a receiver takes as "unset"; a text that could not be kept in nodes.conf is
// taken as absent too.
type Extensions struct {
	Hostname string
	Nodename string // human nodename, for logs

	// ClientIPv4 and ClientIPv6 are addresses for clients of the one or the
	// other kind.
	ClientIPv4, ClientIPv6 string

	// Forgotten are the nodes that the sender was told to forget.
	Forgotten []Forgotten

	// ShardID is the shard of the sender, always a valid id.
	ShardID string

	// Unknown are extensions of a newer kind. They have no meaning here, and
	// are kept so that a frame can be shown, and be written as it came.
	Unknown []UnknownExtension
}

// Forgotten is a node that is not to be known for a while.
type Forgotten struct {
	ID  clusterstate.NodeID
	TTL uint64 // seconds left
}

// UnknownExtension is an extension of a kind that this package does not know.
type UnknownExtension struct {
	Type    ExtensionType
	Index   uint16 // its place among all extensions of its frame
	Payload []byte // with the padding
}

// nextExtension splits the first extension off b. Not ok is an extension that
// does not fit, or whose length is no length of an extension. The length of 8
// bytes at least is stricter than Redis, which accepts 0.
func nextExtension(b []byte) (t ExtensionType, payload, rest []byte, ok bool) {
	if len(b) < extensionHead {
		return 0, nil, nil, false
	}
	n := binary.BigEndian.Uint32(b)
	if n%8 != 0 || n < extensionHead || n > maxExtension || uint64(n) > uint64(len(b)) {
		return 0, nil, nil, false
	}
	return ExtensionType(binary.BigEndian.Uint16(b[4:])), b[extensionHead:n], b[n:], true
}

// known tells whether an extension has a meaning here. Type 4 was given to two
// things: to the address for IPv4 clients by Valkey, and by Redis 8 to a secret
// that its nodes share, forty bytes of which none needs to be NUL. No address
// is that long.
func known(t ExtensionType, payload []byte) bool {
	return t < ExtClientIPv4 || t == ExtClientIPv4 && len(payload) != secretLen || t == ExtClientIPv6
}

// checkExtensions finds out whether count extensions fill b exactly, and each
// is long enough for what it is to hold.
func checkExtensions(b []byte, count int) bool {
	for range count {
		t, payload, rest, ok := nextExtension(b)
		if !ok {
			return false
		}
		switch {
		case !known(t, payload):
		case t == ExtForgottenNode:
			ok = len(payload) >= forgottenLen
		case t == ExtShardID:
			ok = len(payload) >= clusterstate.NodeIDLen
		default:
			ok = bytes.IndexByte(payload, 0) >= 0
		}
		if !ok {
			return false
		}
		b = rest
	}
	return len(b) == 0
}

// readExtensions reads what checkExtensions found good. Of several of one kind
// the last counts, but for forgotten nodes.
func readExtensions(b []byte, count int) Extensions {
	e := makeRoom(b, count)
	written := 0 // how many of the known kinds were written if e were
	for i := range count {
		t, payload, rest, _ := nextExtension(b)
		b = rest
		if !known(t, payload) {
			e.Unknown = append(e.Unknown, UnknownExtension{t, uint16(i), bytes.Clone(payload)})
			continue
		}
		switch t {
		case ExtHostname:
			e.Hostname = readText(payload)
			if !clusterstate.ValidHostname(e.Hostname) {
				e.Hostname = ""
			}
		case ExtHumanNodename:
			e.Nodename = readText(payload)
		case ExtClientIPv4:
			e.ClientIPv4 = readText(payload)
		case ExtClientIPv6:
			e.ClientIPv6 = readText(payload)
		case ExtForgottenNode:
			ttl := binary.BigEndian.Uint64(payload[clusterstate.NodeIDLen:])
			e.Forgotten = append(e.Forgotten, Forgotten{readID(payload), ttl})
			written++
		case ExtShardID:
			e.ShardID = ""
			if id := readID(payload); id.Valid() {
				e.ShardID = string(id)
			}
		}
	}
	for _, text := range [...]string{e.Hostname, e.Nodename, e.ClientIPv4, e.ClientIPv6, e.ShardID} {
		if text != "" {
			written++
		}
	}
	// Where known ones were dropped, unknown ones move to the front.
	for i := range e.Unknown {
		u := &e.Unknown[i]
		u.Index = min(u.Index, uint16(written+i))
	}
	return e
}

// makeRoom makes the lists as long as they are going to be, so that no more is
// allocated than needed.
func makeRoom(b []byte, count int) Extensions {
	forgotten, unknown := 0, 0
	for range count {
		t, payload, rest, _ := nextExtension(b)
		b = rest
		if t == ExtForgottenNode {
			forgotten++
		} else if !known(t, payload) {
			unknown++
		}
	}
	var e Extensions
	if forgotten > 0 {
		e.Forgotten = make([]Forgotten, 0, forgotten)
	}
	if unknown > 0 {
		e.Unknown = make([]UnknownExtension, 0, unknown)
	}
	return e
}

func readText(payload []byte) string {
	text := payload[:bytes.IndexByte(payload, 0)]
	if !plain(text) {
		return ""
	}
	return string(text)
}
