package frame

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

var mutations = flag.Int("mutations", 20000, "how many damaged frames TestDamagedFrames tries")

// damage changes a few bytes, mostly where numbers are, and the end of a frame.
func damage(random *rand.Rand, b []byte) []byte {
	places := []int{atLength, atVersion, atType, atCount, atSender, atPrimary, atIP, atExtensions, atMessage, LightHeaderLen, HeaderLen}
	for range 1 + random.IntN(3) {
		at := random.IntN(len(b))
		if random.IntN(4) > 0 {
			at = min(places[random.IntN(len(places))]+random.IntN(16), len(b)-1)
		}
		switch random.IntN(4) {
		case 0:
			b[at] = byte(random.Uint32())
		case 1:
			b[at] ^= 1 << random.IntN(8)
		case 2:
			b[at] += byte(random.IntN(5)) - 2
		case 3:
			b[at] = 0xff
		}
	}
	switch random.IntN(8) {
	case 0:
		b = b[:random.IntN(len(b))]
	case 1:
		b = append(b, make([]byte, random.IntN(200))...)
	}
	if len(b) >= atVersion && random.IntN(2) == 0 {
		binary.BigEndian.PutUint32(b[atLength:], uint32(len(b)))
	}
	return b
}

// TestDamagedFrames: whatever becomes of a captured frame, it is refused or
// gives a message that can be written and read again, and Scan and Decode agree
// on which faults end the link.
func TestDamagedFrames(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var originals [][]byte
	for _, c := range captures {
		originals = append(originals, capture(t, c.name))
	}
	var buf, written []byte
	read, dropped, closed := 0, 0, 0
	for i := range *mutations {
		buf = damage(random, append(buf[:0], originals[i%len(originals)]...))
		n, scanErr := Scan(buf, MaxLen)
		m, err := Decode(buf)
		switch err := err.(type) {
		case nil:
			read++
			require.Equal(t, len(buf), n)
			written = Append(written[:0], m)
			again, err := Decode(written)
			require.NoError(t, err)
			if i%50 == 0 { // the comparison is slow
				require.Equal(t, m, again)
			}
		case *FrameError:
			dropped++
			if tooLong, ok := scanErr.(*LinkError); ok {
				require.Equal(t, TooLong, tooLong.Fault)
			}
		case *LinkError:
			closed++
			require.Equal(t, err, scanErr)
		default:
			require.Fail(t, "an error of another kind", "%v", err)
		}
	}
	for _, n := range []int{read, dropped, closed} {
		require.Greater(t, n, *mutations/50, "the damage is too much alike")
	}
}
