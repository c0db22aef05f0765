package frame

import (
	"encoding/binary"
	"strings"
)

// MaxLen is a limit for Scan that no sound frame reaches. Redis has none, so a
// peer that names a length of 4 GB would be given the memory for it, byte by
// byte. A frame of 64 MiB is a message in Pub/Sub that a sane deployment does
// not send.
const MaxLen = HeaderLen + 64<<20

// Scan returns the length of the frame that buf begins with, once all of it is
// there, and 0 as long as more bytes are needed. The error is a *LinkError, and
// comes as early as the bytes show it: after 14 at the latest, so that nothing
// is gathered for a length beyond the limit. The limit may be another at each
// call, and lower as long as nobody knows who is at the other end.
func Scan(buf []byte, limit int) (int, error) {
	head := buf[:min(len(buf), len(signature))]
	if !strings.HasPrefix(signature, string(head)) {
		return 0, &LinkError{Fault: WrongSignature}
	}
	if len(buf) < atVersion {
		return 0, nil
	}
	length := uint64(binary.BigEndian.Uint32(buf[atLength:]))
	if length > uint64(max(limit, 0)) {
		return 0, &LinkError{Fault: TooLong, Length: length, Bound: uint64(max(limit, 0))}
	}
	if length < LightHeaderLen {
		return 0, &LinkError{Fault: TooShort, Length: length, Bound: LightHeaderLen}
	}
	if length < HeaderLen {
		// Only now does it matter which header it is.
		if len(buf) < atCount {
			return 0, nil
		}
		if rawType(buf)&lightBit == 0 {
			return 0, &LinkError{Fault: TooShort, Length: length, Bound: HeaderLen}
		}
	}
	if uint64(len(buf)) < length {
		return 0, nil
	}
	return int(length), nil
}

func rawType(b []byte) uint16 { return binary.BigEndian.Uint16(b[atType:]) }
