package frame

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// head makes the first bytes of a frame.
func head(length uint32, rawType uint16) []byte {
	b := appendHead(nil, 0, rawType)
	binary.BigEndian.PutUint32(b[atLength:], length)
	return b
}

// TestScanRefuses: what ends a link, and after how many bytes it does. Up to
// the byte before, more is asked for.
func TestScanRefuses(t *testing.T) {
	const limit = 1 << 20
	for name, c := range map[string]struct {
		bytes []byte
		after int
		want  LinkError
	}{
		"another protocol":       {[]byte("*1\r\n$4\r\nPING\r\n"), 1, LinkError{Fault: WrongSignature}},
		"almost the signature":   {[]byte("RCma0000"), 4, LinkError{Fault: WrongSignature}},
		"length 0":               {head(0, 0), 8, LinkError{TooShort, 0, LightHeaderLen}},
		"below any header":       {head(15, 0x8004), 8, LinkError{TooShort, 15, LightHeaderLen}},
		"below the full header":  {head(2255, uint16(TypePing)), 14, LinkError{TooShort, 2255, HeaderLen}},
		"light length, no light": {head(24, uint16(TypePublish)), 14, LinkError{TooShort, 24, HeaderLen}},
		"above the limit":        {head(limit+1, uint16(TypePublish)), 8, LinkError{TooLong, limit + 1, limit}},
		"the greatest length":    {head(math.MaxUint32, 0x8004), 8, LinkError{TooLong, math.MaxUint32, limit}},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range c.bytes {
				got, err := Scan(c.bytes[:n], limit)
				require.Zero(t, got)
				if n < c.after {
					require.NoError(t, err, "after %d bytes", n)
					continue
				}
				var link *LinkError
				require.ErrorAs(t, err, &link)
				require.Equal(t, c.want, *link)
				require.NotEmpty(t, err.Error())
			}
		})
	}
}

// TestScanWaits: as long as a byte is missing there is no frame, and what
// follows the frame does not matter.
func TestScanWaits(t *testing.T) {
	for _, name := range []string{"v8-publish-light", "r70-ping-gossip3"} {
		raw := capture(t, name)
		for n := range raw {
			got, err := Scan(raw[:n], len(raw))
			require.NoError(t, err)
			require.Zero(t, got)
		}
		got, err := Scan(append(raw[:len(raw):len(raw)], "GET"...), len(raw))
		require.NoError(t, err)
		require.Equal(t, len(raw), got)
		_, err = Scan(raw, len(raw)-1)
		require.Equal(t, &LinkError{TooLong, uint64(len(raw)), uint64(len(raw) - 1)}, err)
	}
	_, err := Scan(head(16, 0x8004), -1)
	require.Equal(t, &LinkError{TooLong, 16, 0}, err)
}

// TestScanKeepsTheLink: a frame that Decode will drop is a frame all the same.
func TestScanKeepsTheLink(t *testing.T) {
	raw := capture(t, "r70-mfstart")
	binary.BigEndian.PutUint16(raw[atVersion:], 9)
	binary.BigEndian.PutUint16(raw[atType:], 99)
	n, err := Scan(raw, MaxLen)
	require.NoError(t, err)
	require.Equal(t, len(raw), n)
	for _, raw := range [][]byte{head(16, 0x8004), head(16, 0x8000|99)} {
		n, err := Scan(raw, MaxLen)
		require.NoError(t, err)
		require.Equal(t, 16, n)
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	raw := capture(t, "r70-ping-gossip3")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, n := range []int{3, 8, len(raw)} {
			if _, err := Scan(raw[:n], MaxLen); err != nil {
				panic(err)
			}
		}
	}))
}
