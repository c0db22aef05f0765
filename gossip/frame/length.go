package frame

import "encoding/binary"

// checkLength compares the length of a frame with the one that follows from its
// type and the counts in it. Nothing is read, and nothing allocated, for a
// frame that fails here.
func checkLength(b []byte, m *Message) error {
	want := uint64(HeaderLen)
	body := b[min(len(b), HeaderLen):]
	if m.Light {
		want, body = LightHeaderLen, b[LightHeaderLen:]
	}
	switch m.Type {
	case TypePing, TypePong, TypeMeet:
		return checkPing(b)
	case TypeFail:
		want += failLen
	case TypePublish, TypePublishShard:
		want += publishLen(body)
	case TypeUpdate:
		want += uint64(updateLen)
	case TypeModule:
		want += moduleLen(body)
	}
	return checkTotal(b, want)
}

func checkTotal(b []byte, want uint64) error {
	if got := uint64(len(b)); got != want {
		return &FrameError{Fault: WrongLength, Type: rawType(b), Want: want, Got: got}
	}
	return nil
}

// checkPing checks gossip and extensions. The length of extensions is not told
// anywhere but in themselves, so they have to fill what the gossip leaves.
func checkPing(b []byte) error {
	want := HeaderLen + int(binary.BigEndian.Uint16(b[atCount:]))*gossipLen
	count := extensionCount(b)
	if count == 0 || len(b) < want {
		return checkTotal(b, uint64(want))
	}
	if !checkExtensions(b[want:], count) {
		return &FrameError{Fault: BadExtension, Type: rawType(b), Got: uint64(len(b))}
	}
	return nil
}

// extensionCount is the number of extensions of a PING, PONG or MEET. Without
// the flag that announces them there are none, whatever the count says.
func extensionCount(b []byte) int {
	if !MessageFlags(b[atMessage]).Has(HasExtensions) {
		return 0
	}
	return int(binary.BigEndian.Uint16(b[atExtensions:]))
}

// notWhole is the error for a beginning of a frame, or for more than a frame.
func notWhole(b []byte) error {
	e := &FrameError{Fault: WrongLength, Want: LightHeaderLen, Got: uint64(len(b))}
	if len(b) >= atCount {
		e.Type = rawType(b)
	}
	if len(b) >= atVersion {
		e.Want = uint64(binary.BigEndian.Uint32(b[atLength:]))
	}
	return e
}
