package frame

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// noise is what the fuzzer's own machinery may allocate meanwhile.
const noise = 64 << 10

// FuzzDecode reads any bytes as a frame. They give an error of one of the two
// kinds, or a message that allocates no more than its frame allows, prints, and
// is the same once it was written and read again.
func FuzzDecode(f *testing.F) {
	for _, c := range captures {
		f.Add(capture(f, c.name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m *Message
		var err error
		used := allocated(func() { m, err = Decode(b) })
		require.LessOrEqual(t, used, memoryBound(len(b))+noise)
		if err != nil {
			require.Nil(t, m)
			require.NotEmpty(t, err.Error())
			if _, ok := err.(*LinkError); !ok {
				require.IsType(t, &FrameError{}, err)
			}
			return
		}
		require.NotContains(t, m.String(), "\n")
		written := Append(nil, m)
		require.LessOrEqual(t, len(written), len(b), "nothing is added")
		again, err := Decode(written)
		require.NoError(t, err)
		require.Equal(t, m, again)
		require.Equal(t, written, Append(nil, again))
	})
}

// FuzzFields takes a captured frame, puts bytes over it at a place, and makes
// its length right, so that the fuzzer gets past the first checks.
func FuzzFields(f *testing.F) {
	for i := range captures {
		f.Add(uint8(i), uint16(atCount), []byte{0, 1}, int16(0))
		f.Add(uint8(i), uint16(HeaderLen), []byte{0xff, 0xff, 0xff, 0xff}, int16(8))
	}
	f.Fuzz(func(t *testing.T, which uint8, at uint16, over []byte, longer int16) {
		b := capture(t, captures[int(which)%len(captures)].name)
		if longer > 0 {
			b = append(b, make([]byte, longer)...)
		} else {
			b = b[:max(len(b)+int(longer), LightHeaderLen)]
		}
		copy(b[min(int(at), len(b)):], over)
		binary.BigEndian.PutUint32(b[atLength:], uint32(len(b)))
		m, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Decode(Append(nil, m))
		require.NoError(t, err)
		require.Equal(t, m, again)
	})
}

// scanned is what comes of a stream: the lengths of its frames, and the error
// that ends it.
type scanned struct {
	lengths []int
	err     error
}

// scanAll scans what is there, and returns the rest.
func (s *scanned) scanAll(buf []byte, limit int) []byte {
	for s.err == nil {
		n, err := Scan(buf, limit)
		if s.err = err; err != nil || n == 0 {
			break
		}
		s.lengths = append(s.lengths, n)
		buf = buf[n:]
	}
	return buf
}

// FuzzScan cuts a stream into pieces: however they come, the same frames are
// found, and the same error.
func FuzzScan(f *testing.F) {
	var all []byte
	for _, c := range captures {
		all = append(all, capture(f, c.name)...)
	}
	f.Add(all, []byte{255, 255, 255, 1, 2, 3}, uint16(8192))
	f.Add(all[:5000], []byte{1}, uint16(3000))
	f.Add(append(capture(f, "v8-publish-light"), "RCmb------------"...), []byte{3}, uint16(100))
	f.Fuzz(func(t *testing.T, stream, cuts []byte, limit uint16) {
		var whole, cut scanned
		rest := whole.scanAll(stream, int(limit))
		var buf []byte
		for i := 0; len(stream) > 0 && cut.err == nil; i++ {
			n := len(stream)
			if len(cuts) > 0 {
				n = min(n, 1+int(cuts[i%len(cuts)]))
			}
			buf = append(buf, stream[:n]...)
			stream = stream[n:]
			buf = cut.scanAll(buf, int(limit))
			if cut.err == nil {
				require.Less(t, len(buf), max(int(limit), atVersion), "nothing is gathered beyond the limit")
			}
		}
		require.Equal(t, whole, cut)
		if whole.err == nil {
			require.Equal(t, len(rest), len(buf))
		}
	})
}
