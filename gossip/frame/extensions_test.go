package frame

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

// rawExtension is one extension as bytes, the payload filled up.
func rawExtension(t ExtensionType, payload string) string {
	payload += strings.Repeat("\x00", (8-len(payload)%8)%8)
	b := binary.BigEndian.AppendUint32(nil, uint32(extensionHead+len(payload)))
	b = binary.BigEndian.AppendUint16(b, uint16(t))
	return string(append(b, 0, 0)) + payload
}

// pong is a PONG without gossip that carries the extensions.
func pong(extensions ...string) []byte {
	b := Append(nil, &Message{Type: TypePong, Header: Header{Sender: nab3a, MessageFlags: HasExtensions}})
	b = append(b, strings.Join(extensions, "")...)
	binary.BigEndian.PutUint16(b[atExtensions:], uint16(len(extensions)))
	binary.BigEndian.PutUint32(b[atLength:], uint32(len(b)))
	return b
}

const shard = "3acdbd03cd6851fd6fee0e237f157a041fe5d8da"

// TestUnknownExtensionsStay: extensions of kinds that are yet to be invented
// are read over, and come back where they were, at the front, in between and
// at the end.
func TestUnknownExtensionsStay(t *testing.T) {
	raw := pong(
		rawExtension(6, ""),
		rawExtension(ExtHostname, "host-1\x00"),
		rawExtension(700, "\x01\x02\x03\x04\x05\x06\x07\x08"),
		rawExtension(7, "zone-a\x00"),
		rawExtension(ExtForgottenNode, string(n4ff2)+"\x00\x00\x00\x00\x00\x00\x00\x3c"),
		rawExtension(ExtForgottenNode, string(na044)+"\x00\x00\x00\x00\x00\x00\x00\x01"),
		rawExtension(ExtShardID, shard),
		rawExtension(0xffff, "last"),
	)
	m, err := Decode(raw)
	require.NoError(t, err)
	require.Equal(t, Extensions{
		Hostname:  "host-1",
		Forgotten: []Forgotten{{n4ff2, 60}, {na044, 1}},
		ShardID:   shard,
		Unknown: []UnknownExtension{
			{6, 0, []byte{}}, {700, 2, []byte{1, 2, 3, 4, 5, 6, 7, 8}}, {7, 3, []byte("zone-a\x00\x00")}, {0xffff, 7, []byte("last\x00\x00\x00\x00")},
		},
	}, m.Extensions)
	require.Equal(t, raw, Append(nil, m))
	require.Contains(t, m.String(), "| extension 700 bytes 8 | extension 7 bytes 8")
}

// TestExtensionsInAnyOrder: order and repetition matter to nobody but the last
// of a kind, and what is written is in the usual order.
func TestExtensionsInAnyOrder(t *testing.T) {
	raw := pong(
		rawExtension(ExtShardID, shard),
		rawExtension(ExtHostname, "old\x00"),
		rawExtension(99, ""),
		rawExtension(ExtHumanNodename, "name\x00"),
		rawExtension(ExtHostname, "new\x00"),
		rawExtension(100, ""),
	)
	m, err := Decode(raw)
	require.NoError(t, err)
	require.Equal(t, Extensions{
		Hostname: "new", Nodename: "name", ShardID: shard,
		Unknown: []UnknownExtension{{99, 2, []byte{}}, {100, 4, []byte{}}},
	}, m.Extensions)
	written := Append(nil, m)
	require.Equal(t, pong(
		rawExtension(ExtHostname, "new\x00"),
		rawExtension(ExtHumanNodename, "name\x00"),
		rawExtension(99, ""),
		rawExtension(ExtShardID, shard),
		rawExtension(100, ""),
	), written)
	again, err := Decode(written)
	require.NoError(t, err)
	require.Equal(t, m, again)
}

// TestUnusableExtensions: what could not stand in nodes.conf is as if it had
// not been sent; the rest of the message counts.
func TestUnusableExtensions(t *testing.T) {
	for name, raw := range map[string]string{
		"empty hostname":           rawExtension(ExtHostname, "\x00"),
		"hostname with underscore": rawExtension(ExtHostname, "a_b\x00"),
		"hostname of 256":          rawExtension(ExtHostname, strings.Repeat("x", 256)+"\x00"),
		"nodename of two words":    rawExtension(ExtHumanNodename, "two words\x00"),
		"nodename with a line":     rawExtension(ExtHumanNodename, "a\nvars\x00"),
		"address with a comma":     rawExtension(ExtClientIPv4, "10.0.0.1,shard-id=x\x00"),
		"address with a control":   rawExtension(ExtClientIPv6, "fd00::2\x1b\x00"),
		"shard id in upper case":   rawExtension(ExtShardID, strings.ToUpper(shard)),
		"shard id of zeros":        rawExtension(ExtShardID, strings.Repeat("\x00", 40)),
	} {
		t.Run(name, func(t *testing.T) {
			m, err := Decode(pong(raw))
			require.NoError(t, err)
			require.Equal(t, nab3a, m.Sender)
			require.Equal(t, Extensions{}, m.Extensions)
		})
	}
	m, err := Decode(pong(rawExtension(ExtShardID, shard), rawExtension(ExtShardID, "bad"+strings.Repeat("\x00", 37))))
	require.NoError(t, err)
	require.Empty(t, m.Extensions.ShardID, "the last one counts")
}

// TestSecretIsNoAddress: what Redis 8 sends as type 4 is not what Valkey does.
func TestSecretIsNoAddress(t *testing.T) {
	for _, secret := range []string{strings.Repeat("f", 40), strings.Repeat("\x00", 40), "10.0.0.1" + strings.Repeat("\x00", 32)} {
		raw := pong(rawExtension(ExtShardID, shard), rawExtension(ExtClientIPv4, secret))
		m, err := Decode(raw)
		require.NoError(t, err)
		require.Equal(t, Extensions{ShardID: shard, Unknown: []UnknownExtension{{ExtClientIPv4, 1, []byte(secret)}}}, m.Extensions)
		require.Equal(t, raw, Append(nil, m))
	}
	_, err := Decode(pong(rawExtension(ExtClientIPv4, strings.Repeat("f", 32))))
	require.Error(t, err, "an address without end")
}

// TestTextsOfEveryLength: the padding is right whatever the length is.
func TestTextsOfEveryLength(t *testing.T) {
	for n := 1; n <= 255; n++ {
		want := Message{Type: TypeMeet, Header: Header{MessageFlags: HasExtensions}}
		want.Extensions.Hostname = strings.Repeat("h", n)
		want.Extensions.Nodename = strings.Repeat("n", n)
		want.Extensions.ClientIPv4 = strings.Repeat("4", min(n, len("255.255.255.255")))
		want.Extensions.ClientIPv6 = strings.Repeat("6", n)
		raw := Append(nil, &want)
		require.Len(t, raw, HeaderLen+3*(8+(n+1+7)/8*8)+8+(min(n, 15)+1+7)/8*8)
		got, err := Decode(raw)
		require.NoError(t, err)
		require.Equal(t, &want, got)
	}
}

// TestExtensionsAnnounceThemselves: the flag is set where there are extensions,
// and left as it is where there are none.
func TestExtensionsAnnounceThemselves(t *testing.T) {
	m := Message{Type: TypePing}
	require.Zero(t, Append(nil, &m)[atMessage])
	m.Extensions.ShardID = shard
	require.Equal(t, byte(HasExtensions), Append(nil, &m)[atMessage])
	m.MessageFlags = Paused
	require.Equal(t, byte(Paused|HasExtensions), Append(nil, &m)[atMessage])
	require.Equal(t, Paused, m.MessageFlags, "a message is not altered by writing it")
	m.Extensions = Extensions{}
	m.MessageFlags = HasExtensions
	require.Equal(t, byte(HasExtensions), Append(nil, &m)[atMessage])
}

// TestCountWithoutFlag: a count that no flag announces is a count of nothing.
func TestCountWithoutFlag(t *testing.T) {
	raw := edited(t, "r70-pong-to-meet", put16(atExtensions, 3))
	m, err := Decode(raw)
	require.NoError(t, err)
	require.Equal(t, Extensions{}, m.Extensions)
	require.Equal(t, capture(t, "r70-pong-to-meet"), Append(nil, m))
}

// TestExtensionsBeyondTheFrame: what the 16 bits of length and of count cannot
// hold is left out, and the message is good without it.
func TestExtensionsBeyondTheFrame(t *testing.T) {
	greatest := strings.Repeat("n", maxExtension-extensionHead-1)
	m := Message{Type: TypePing, Header: Header{MessageFlags: HasExtensions}}
	m.Extensions.Nodename = greatest
	got, err := Decode(Append(nil, &m))
	require.NoError(t, err)
	require.Equal(t, &m, got)

	m.Extensions.Nodename += "n"
	m.Extensions.ShardID = shard
	m.Extensions.Unknown = []UnknownExtension{{Type: 99, Payload: make([]byte, maxExtension)}}
	got, err = Decode(Append(nil, &m))
	require.NoError(t, err)
	require.Equal(t, Extensions{ShardID: shard}, got.Extensions)

	m.Extensions = Extensions{Forgotten: make([]Forgotten, maxCount+1), ShardID: shard}
	got, err = Decode(Append(nil, &m))
	require.NoError(t, err)
	require.Len(t, got.Extensions.Forgotten, maxCount)
	require.Empty(t, got.Extensions.ShardID)
	require.Equal(t, clusterstate.NodeID(""), got.Extensions.Forgotten[0].ID)
}
