package frame

// Flags are the flags of a node as one node tells them of itself or of
// another: the low 16 bits of what it keeps.
type Flags uint16

const (
	FlagPrimary Flags = 1 << iota
	FlagReplica
	FlagPFail // the teller suspects a failure
	FlagFail  // a majority does
	FlagMyself
	FlagHandshake
	FlagNoAddr
	FlagMeet // the teller still has to send it a MEET
	FlagMigrateTo
	FlagNoFailover
	FlagExtensions  // private bookkeeping of Valkey
	FlagLightHeader // in a node's own flags: it reads light frames
	FlagLightModule // the same, for MODULE; Valkey 9
	// FlagPrimaryFailed: the node found, as a replica, that its primary has
	// failed. Valkey 9 sets it, and keeps it when the node has been elected.
	FlagPrimaryFailed
)

var flagNames = [...]string{
	"master", "slave", "fail?", "fail", "myself", "handshake", "noaddr",
	"meet", "migrate-to", "nofailover", "extensions", "light", "light-module", "primary-failed",
}

// Has tells whether any of the flags is set.
func (f Flags) Has(flags Flags) bool { return f&flags != 0 }

// String is the flags as CLUSTER NODES spells them; bits that it does not show
// have names of their own here.
func (f Flags) String() string { return string(appendBits(nil, uint16(f), flagNames[:])) }

// MessageFlags say something of the message itself.
type MessageFlags uint8

const (
	// Paused: the sender is a primary that holds back writes for a manual
	// failover. Its offset stands still.
	Paused MessageFlags = 1 << iota
	// ForceAck, in an TypeAuthRequest: vote although the primary has not failed.
	ForceAck
	// HasExtensions: extensions follow, or the sender would understand them.
	// Append sets it where there are any: without it a receiver takes the
	// frame to be longer than it ought to be.
	HasExtensions
)

var messageFlagNames = [...]string{"paused", "forceack", "ext"}

// Has tells whether any of the flags is set.
func (f MessageFlags) Has(flags MessageFlags) bool { return f&flags != 0 }

func (f MessageFlags) String() string {
	return string(appendBits(nil, uint16(f), messageFlagNames[:]))
}

// appendBits appends the names of the bits with commas between, "noflags" if
// there are none. Bits without a name are shown by their number.
func appendBits(b []byte, bits uint16, names []string) []byte {
	if bits == 0 {
		return append(b, "noflags"...)
	}
	start := len(b)
	for i := range 16 {
		if bits&(1<<i) == 0 {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		if i < len(names) {
			b = append(b, names[i]...)
		} else {
			b = append(b, "bit"...)
			b = append(b, '0'+byte(i/10), '0'+byte(i%10))
		}
	}
	return b
}
