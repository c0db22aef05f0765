package frame

import "fmt"

// LinkError is a fault after which the rest of the stream cannot be told apart
// into frames: the link is to be closed.
type LinkError struct {
	Fault LinkFault

	// Length is the length that the frame names, Bound the one it was to keep;
	// both 0 for a wrong signature.
	Length, Bound uint64
}

// LinkFault is what ends a link.
type LinkFault uint8

const (
	WrongSignature LinkFault = iota + 1
	TooShort                 // shorter than its header
	TooLong                  // longer than the limit
)

func (e *LinkError) Error() string {
	switch e.Fault {
	case TooShort:
		return fmt.Sprintf("expected a frame of at least %d bytes, found length %d", e.Bound, e.Length)
	case TooLong:
		return fmt.Sprintf("expected a frame of at most %d bytes, found length %d", e.Bound, e.Length)
	}
	return "expected the signature of a bus frame"
}

// FrameError is a fault of one frame, which is to be dropped; the link is kept,
// since the next frame may be fine.
type FrameError struct {
	Fault FrameFault
	Type  uint16 // as on the wire, the light bit included

	// Want and Got are the lengths for WrongLength; Got is the version for
	// WrongVersion.
	Want, Got uint64
}

// FrameFault is what makes a frame worthless.
type FrameFault uint8

const (
	WrongVersion FrameFault = iota + 1
	UnknownType
	WrongLength  // not the length that follows from type and counts
	BadExtension // one is malformed, or together they do not fill the frame
)

func (e *FrameError) Error() string {
	t := Type(e.Type &^ lightBit)
	light := ""
	if e.Type&lightBit != 0 {
		light = "light "
	}
	switch e.Fault {
	case WrongVersion:
		return fmt.Sprintf("%s%s: expected version %d, found %d", light, t, version, e.Got)
	case UnknownType:
		return fmt.Sprintf("%s%s: unknown to this node", light, t)
	case WrongLength:
		return fmt.Sprintf("%s%s: expected %d bytes, found %d", light, t, e.Want, e.Got)
	}
	return fmt.Sprintf("%s%s: malformed extensions", light, t)
}
