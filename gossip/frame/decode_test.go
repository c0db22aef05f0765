package frame

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

// edited is a captured frame with changes, its length made right.
func edited(t *testing.T, name string, edit func(b []byte) []byte) []byte {
	b := edit(capture(t, name))
	binary.BigEndian.PutUint32(b[atLength:], uint32(len(b)))
	return b
}

// put16 and put32 change one number of a frame.
func put16(at int, v uint16) func([]byte) []byte {
	return func(b []byte) []byte { binary.BigEndian.PutUint16(b[at:], v); return b }
}

func put32(at int, v uint32) func([]byte) []byte {
	return func(b []byte) []byte { binary.BigEndian.PutUint32(b[at:], v); return b }
}

func cut(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:len(b)-n] } }

func add(n int) func([]byte) []byte {
	return func(b []byte) []byte { return append(b, make([]byte, n)...) }
}

// TestDecodeDrops: frames that are whole and wrong. The link outlives them.
func TestDecodeDrops(t *testing.T) {
	const (
		ext     = HeaderLen + gossipLen // of r70-ping-hostname-ext
		shard   = HeaderLen + 16        // of v8-pong-to-meet
		forgot  = HeaderLen + gossipLen + 16
		lightAt = LightHeaderLen
	)
	for name, c := range map[string]struct {
		frame string
		edit  func([]byte) []byte
		fault FrameFault
	}{
		"version 0":                        {"r70-mfstart", put16(atVersion, 0), WrongVersion},
		"version 2":                        {"r70-mfstart", put16(atVersion, 2), WrongVersion},
		"type 11":                          {"r70-mfstart", put16(atType, 11), UnknownType},
		"type with another high bit":       {"r70-mfstart", put16(atType, 0x4004), UnknownType},
		"light PING":                       {"v8-publish-light", put16(atType, 0x8000), UnknownType},
		"light MFSTART of full length":     {"r70-mfstart", put16(atType, 0x8008), UnknownType},
		"MFSTART with a body":              {"r70-mfstart", add(8), WrongLength},
		"ACK with a body":                  {"r70-auth-ack", add(1), WrongLength},
		"request with a body":              {"r70-auth-request", add(1), WrongLength},
		"FAIL without a node":              {"r70-fail", cut(40), WrongLength},
		"FAIL cut":                         {"r70-fail", cut(1), WrongLength},
		"FAIL and more":                    {"r70-fail", add(1), WrongLength},
		"UPDATE cut":                       {"r70-update", cut(1), WrongLength},
		"UPDATE and more":                  {"r70-update", add(1), WrongLength},
		"PUBLISH without lengths":          {"r70-mfstart", put16(atType, uint16(TypePublish)), WrongLength},
		"PUBLISH cut":                      {"r70-publish", cut(1), WrongLength},
		"PUBLISH and more":                 {"r70-publish", add(1), WrongLength},
		"PUBLISH of 4 GB":                  {"r70-publish", put32(HeaderLen, 0xffffffff), WrongLength},
		"PUBLISH whose lengths wrap":       {"r70-publish", func(b []byte) []byte { return put32(HeaderLen+4, 0xffffffff-3)(put32(HeaderLen, 4+13)(b)) }, WrongLength},
		"light PUBLISH without lengths":    {"v8-publish-light", cut(20), WrongLength},
		"light PUBLISH cut":                {"v8-publish-light", cut(1), WrongLength},
		"light PUBLISH of 4 GB":            {"v8-publish-light", put32(lightAt+4, 0xffffffff), WrongLength},
		"MODULE without a head":            {"r70-mfstart", put16(atType, uint16(TypeModule)), WrongLength},
		"MODULE of 4 GB":                   {"r70-mfstart", func(b []byte) []byte { return put32(HeaderLen+8, 0xffffffff)(put16(atType, 9)(add(13)(b))) }, WrongLength},
		"fewer gossip entries than told":   {"r70-ping-paused", put16(atCount, 3), WrongLength},
		"more gossip entries than told":    {"r70-ping-paused", put16(atCount, 1), WrongLength},
		"65,535 gossip entries":            {"r70-ping-paused", put16(atCount, 0xffff), WrongLength},
		"gossip cut":                       {"r70-ping-paused", cut(1), WrongLength},
		"extensions without the flag":      {"r70-ping-hostname-ext", func(b []byte) []byte { b[atMessage] = 0; return b }, WrongLength},
		"extensions that are not counted":  {"r70-ping-hostname-ext", put16(atExtensions, 0), WrongLength},
		"counted but absent":               {"v8-meet", put16(atExtensions, 1), BadExtension},
		"more counted than there":          {"r70-ping-hostname-ext", put16(atExtensions, 2), BadExtension},
		"fewer counted than there":         {"v8-pong-to-meet", put16(atExtensions, 1), BadExtension},
		"65,535 extensions":                {"r70-ping-hostname-ext", put16(atExtensions, 0xffff), BadExtension},
		"extension cut":                    {"r70-ping-hostname-ext", cut(8), BadExtension},
		"extension and more":               {"r70-ping-hostname-ext", add(8), BadExtension},
		"half the head of an extension":    {"v8-meet", func(b []byte) []byte { return add(4)(put16(atExtensions, 1)(b)) }, BadExtension},
		"extension of length 0":            {"r70-ping-hostname-ext", put32(ext, 0), BadExtension},
		"extension of length 4":            {"r70-ping-hostname-ext", func(b []byte) []byte { return put32(ext, 4)(b[:ext+4+4]) }, BadExtension},
		"extension of odd length":          {"r70-ping-hostname-ext", func(b []byte) []byte { return cut(4)(put32(ext, 28)(b)) }, BadExtension},
		"extension of 4 GB":                {"r70-ping-hostname-ext", put32(ext, 0xfffffff8), BadExtension},
		"extension beyond 16 bits":         {"r70-ping-hostname-ext", func(b []byte) []byte { return put32(ext, 1<<16)(add(1<<16 - 32)(b)) }, BadExtension},
		"hostname without an end":          {"r70-ping-hostname-ext", func(b []byte) []byte { copy(b[ext+8:], strings.Repeat("x", 24)); return b }, BadExtension},
		"shard id of 32 bytes":             {"v8-pong-to-meet", func(b []byte) []byte { return cut(8)(put32(shard, 40)(b)) }, BadExtension},
		"forgotten node without a time":    {"v8-pong-forgotten-ext", func(b []byte) []byte { return append(put32(forgot, 48)(b)[:forgot+48], b[forgot+56:]...) }, BadExtension},
		"forgotten node as an empty thing": {"v8-pong-forgotten-ext", func(b []byte) []byte { return append(put32(forgot, 8)(b)[:forgot+8], b[forgot+56:]...) }, BadExtension},
	} {
		t.Run(name, func(t *testing.T) {
			raw := edited(t, c.frame, c.edit)
			n, err := Scan(raw, MaxLen)
			require.NoError(t, err)
			require.Equal(t, len(raw), n)
			m, err := Decode(raw)
			require.Nil(t, m)
			var fault *FrameError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, c.fault, fault.Fault, "%s", err)
			require.Equal(t, rawType(raw), fault.Type)
		})
	}
}

// TestDecodeWantsOneWholeFrame: neither less nor more.
func TestDecodeWantsOneWholeFrame(t *testing.T) {
	raw := capture(t, "r70-fail")
	for n := range raw {
		_, err := Decode(raw[:n])
		require.IsType(t, &FrameError{}, err, "%d bytes", n)
	}
	_, err := Decode(append(raw, 0))
	require.EqualError(t, err, "FAIL: expected 2296 bytes, found 2297")
	_, err = Decode([]byte("PING"))
	require.IsType(t, &LinkError{}, err)
}

// TestDecodeSharesNothing: a message outlives the buffer that it was read from.
func TestDecodeSharesNothing(t *testing.T) {
	for _, c := range captures {
		raw := capture(t, c.name)
		m, err := Decode(raw)
		require.NoError(t, err)
		for i := range raw {
			raw[i] = 0xff
		}
		require.Equal(t, &c.want, m, c.name)
	}
	raw := pong(rawExtension(99, "12345678"))
	m, err := Decode(raw)
	require.NoError(t, err)
	clear(raw)
	require.Equal(t, "12345678", string(m.Extensions.Unknown[0].Payload))
}

// TestPublishPartsAreApart: who appends to the channel does not write over the
// payload.
func TestPublishPartsAreApart(t *testing.T) {
	m, err := Decode(capture(t, "r70-publish"))
	require.NoError(t, err)
	_ = append(m.Publish.Channel, "----"...)
	require.Equal(t, "hello bus", string(m.Publish.Payload))
}

// TestIDs: an id of zeros is none, any other that is no id stays one that
// nobody has.
func TestIDs(t *testing.T) {
	upper := strings.ToUpper(string(nab3a))
	for name, c := range map[string]struct {
		bytes string
		want  clusterstate.NodeID
	}{
		"good":       {string(nab3a), nab3a},
		"none":       {strings.Repeat("\x00", 40), ""},
		"upper case": {upper, clusterstate.NodeID(upper)},
		"cut":        {"abc" + strings.Repeat("\x00", 37), clusterstate.NodeID("abc" + strings.Repeat("\x00", 37))},
	} {
		t.Run(name, func(t *testing.T) {
			raw := edited(t, "r70-ping-paused", func(b []byte) []byte {
				copy(b[atSender:], c.bytes)
				copy(b[atPrimary:], c.bytes)
				copy(b[HeaderLen+gossipLen:], c.bytes)
				return b
			})
			m, err := Decode(raw)
			require.NoError(t, err)
			require.Equal(t, c.want, m.Sender)
			require.Equal(t, c.want, m.Primary)
			require.Equal(t, c.want, m.Gossip[1].ID)
			require.Equal(t, name == "good", m.Gossip[1].ID.Valid())
			require.Equal(t, name == "good", m.ValidGossip())
			require.Equal(t, raw, Append(nil, m))
		})
	}
}

// TestAddresses: an address ends at the first NUL, whatever stands behind it,
// and one that could not be kept is none.
func TestAddresses(t *testing.T) {
	long := strings.Repeat("1", ipLen-1)
	for field, want := range map[string]string{
		"10.0.0.1\x00":                "10.0.0.1",
		"10.0.0.1\x00200\x00":         "10.0.0.1",
		"fd00::2\x00":                 "fd00::2",
		"host-1.example\x00":          "host-1.example",
		"\x00":                        "",
		long + "\x00":                 long,
		long + "1":                    "",
		"10.0.0.1\n0 :0@0 master\x00": "",
		"10.0.0.1,evil\x00":           "",
		"10.0.0.1 \x00":               "",
		"\x7f\x00":                    "",
		"\xc3\xa9\x00":                "",
		"10.0.0.1\r\x00\x00\x00\x00":  "",
	} {
		raw := edited(t, "r70-ping-paused", func(b []byte) []byte {
			for _, at := range []int{atIP, HeaderLen + 48} {
				copy(b[at:at+ipLen], bytes.Repeat([]byte{0}, ipLen))
				copy(b[at:at+ipLen], field)
			}
			return b
		})
		m, err := Decode(raw)
		require.NoError(t, err)
		require.Equal(t, want, m.IP, "%q", field)
		require.Equal(t, want, m.Gossip[0].IP, "%q", field)
		again, err := Decode(Append(nil, m))
		require.NoError(t, err)
		require.Equal(t, m, again)
	}
}

// TestModule holds the layout of the one message that was not captured.
func TestModule(t *testing.T) {
	m := Message{Type: TypeModule, Module: Module{ID: 0x0102030405060708, Kind: 7, Payload: []byte("hello")}}
	raw := Append(nil, &m)
	require.Len(t, raw, 2269+5)
	require.Equal(t, "0807060504030201"+"00000005"+"07"+hex.EncodeToString([]byte("hello")), hex.EncodeToString(raw[HeaderLen:]))
	got, err := Decode(raw)
	require.NoError(t, err)
	require.Equal(t, &m, got)
}

// TestOddMessagesStillMakeFrames: what no peer would send is written so that it
// can be read.
func TestOddMessagesStillMakeFrames(t *testing.T) {
	long := strings.Repeat("x", 100)
	m := Message{Type: TypePing, Light: true, Header: Header{Sender: clusterstate.NodeID(long), Primary: "short", IP: long}}
	m.Gossip = make([]Gossip, maxCount+1)
	raw := Append(nil, &m)
	require.Len(t, raw, HeaderLen+maxCount*gossipLen)
	got, err := Decode(raw)
	require.NoError(t, err)
	require.False(t, got.Light, "only Pub/Sub has the light header")
	require.Len(t, got.Gossip, maxCount)
	require.Equal(t, clusterstate.NodeID(long[:40]), got.Sender)
	require.Empty(t, got.IP)

	for n, want := range map[int]string{ipLen - 1: long[:ipLen-1], ipLen: ""} {
		raw := Append(nil, &Message{Type: TypeMFStart, Header: Header{IP: long[:n]}})
		require.Equal(t, want, strings.TrimRight(string(raw[atIP:atIP+ipLen]), "\x00"))
	}
}
