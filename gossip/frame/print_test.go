package frame

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

// TestPrintIsOneLine: nothing that a peer sends breaks the line or fills the
// log.
func TestPrintIsOneLine(t *testing.T) {
	for want, m := range map[string]Message{
		`PUBLISH light channel "a\nb" message "` + strings.Repeat("m", 64) + `"… 100000 bytes`: {
			Type: TypePublish, Light: true, Publish: Publish{[]byte("a\nb"), bytes.Repeat([]byte("m"), 100000)}},
		`FAIL - :0@0 noflags epoch 0 config 0 offset 0 state ok slots - failed "x\n\x1b` + strings.Repeat("y", 37) + `"`: {
			Type: TypeFail, Failed: clusterstate.NodeID("x\n\x1b" + strings.Repeat("y", 37))},
		`MODULE - 10.0.0.1:1@3(2) master,bit15 epoch 0 config 0 offset 0 state ok mflags paused,bit07 slots 7 module 5 kind 6 payload "\x00"`: {
			Type: TypeModule, Module: Module{5, 6, []byte{0}}, Header: Header{IP: "10.0.0.1", Port: 1, OtherPort: 2, BusPort: 3,
				Flags: FlagPrimary | 1<<15, MessageFlags: Paused | 1<<7, Slots: slots(7, 7)}},
	} {
		require.Equal(t, want, m.String())
	}
}

func TestTypeNames(t *testing.T) {
	var labels []string
	for i := range Types {
		typ := Type(i)
		require.True(t, typ.Valid())
		require.NotEmpty(t, typ.String())
		labels = append(labels, typ.Label())
	}
	require.Equal(t, "ping pong meet fail publish auth-req auth-ack update mfstart module publishshard", strings.Join(labels, " "))
	require.False(t, Type(Types).Valid())
	require.Equal(t, "type 11", Type(Types).String())
	require.Equal(t, "unknown", Type(Types).Label())
}

// TestErrorTexts: an error says what was expected and what came.
func TestErrorTexts(t *testing.T) {
	for want, err := range map[string]error{
		"expected the signature of a bus frame":                     &LinkError{Fault: WrongSignature},
		"expected a frame of at least 2256 bytes, found length 100": &LinkError{TooShort, 100, HeaderLen},
		"expected a frame of at most 1000 bytes, found length 4000": &LinkError{TooLong, 4000, 1000},
		"PING: expected version 1, found 2":                         &FrameError{Fault: WrongVersion, Type: 0, Got: 2},
		"light PING: unknown to this node":                          &FrameError{Fault: UnknownType, Type: 0x8000},
		"type 77: unknown to this node":                             &FrameError{Fault: UnknownType, Type: 77},
		"light PUBLISHSHARD: expected 40 bytes, found 39":           &FrameError{WrongLength, 0x800a, 40, 39},
		"PONG: malformed extensions":                                &FrameError{Fault: BadExtension, Type: 1},
	} {
		require.EqualError(t, err, want)
	}
}
