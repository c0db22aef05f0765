package dump

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample is a payload that a real server wrote.
type sample struct {
	server, key string
	payload     []byte
}

// samples were taken from redis-server 7.0.15 and valkey-server 8.
func samples(t testing.TB) (list []sample) {
	t.Helper()
	f, err := os.Open("testdata/samples.txt")
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		payload, err := hex.DecodeString(fields[len(fields)-1])
		require.NoError(t, err)
		list = append(list, sample{fields[0], fields[1], payload})
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, list)
	return list
}

func TestChecksum(t *testing.T) {
	require.Equal(t, uint64(0xe9c6d914c4b8d9ca), checksum([]byte("123456789")))
}

func TestSamplesHaveGoodFooters(t *testing.T) {
	for _, s := range samples(t) {
		body, err := Open(s.payload)
		require.NoError(t, err, "%s %s", s.server, s.key)
		require.Equal(t, s.payload[:len(s.payload)-10], body)
		for i := range s.payload {
			spoilt := bytes.Clone(s.payload)
			spoilt[i] ^= 4
			_, err := Open(spoilt)
			require.ErrorIs(t, err, ErrFooter, "%s %s with byte %d changed", s.server, s.key, i)
		}
	}
}

func TestFooterVersions(t *testing.T) {
	for v, err := range map[byte]error{0: nil, 6: nil, 10: nil, 11: nil, 12: ErrFooter, 255: ErrFooter} {
		body := []byte{0, 1, 'a', v, 0}
		sum := checksum(body)
		for i := range 8 {
			body = append(body, byte(sum>>(8*i)))
		}
		_, got := Open(body)
		require.Equal(t, err, got, "version %d", v)
	}
	for n := range 10 {
		_, err := Open(make([]byte, n))
		require.ErrorIs(t, err, ErrFooter)
	}
	_, err := Open(append([]byte("\x00\x01a\x0a\x00"), make([]byte, 8)...))
	require.ErrorIs(t, err, ErrFooter, "a zero checksum is no wildcard")
}

func TestDecodeSamples(t *testing.T) {
	texts := map[string]string{"s{t}": "hello", "n{t}": "12345", "big{t}": strings.Repeat("a", 100)}
	for _, s := range samples(t) {
		body, err := Open(s.payload)
		require.NoError(t, err)
		v, err := Decode(body, 1<<20)
		text, isString := texts[s.key]
		if !isString {
			var unsupported *UnsupportedError
			require.ErrorAs(t, err, &unsupported, "%s %s", s.server, s.key)
			require.Equal(t, Type(s.payload[0]), unsupported.Type)
			require.True(t, strings.HasPrefix(err.Error(), "Bad data format: a "), err.Error())
			continue
		}
		require.NoError(t, err, "%s %s", s.server, s.key)
		require.Equal(t, text, string(v.Text), "%s %s", s.server, s.key)
		if s.key != "big{t}" && s.server == "redis-7.0.15" {
			require.Equal(t, s.payload, AppendString(nil, v.Text), "written as the server wrote it")
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, body := range []string{
		"", "\x00", "\x16\x00", "\x08\x00", "\xf5\x01a",
		"\x00\x05hell", "\x00\x05hello!", "\x00\x40", "\x00\x40\x02h", "\x00\x80\x00\x00\x00",
		"\x00\x81\xff\xff\xff\xff\xff\xff\xff\xff", "\x00\xbf\x00\x00\x00\x02hi", "\x00\x82",
		"\x00\xc0", "\x00\xc1\x00", "\x00\xc2\x00\x00\x00", "\x00\xc4", "\x00\xff",
		"\x00\xc3\x02", "\x00\xc3\x02\x02\x00a", "\x00\xc3\x02\x00\x00a", "\x00\xc3\xc0\x02\x00a", "\x00\xc3\x02\xc0\x00a",
		"\x00\xc3\x03\x05\x20\x00\x00", "\x00\xc3\x02\x08\x00a", "\x00\xc3\x01\x01\x00", "\x00\xc3\x01\x09\xe0", "\x00\xc3\x02\x09\xe0\x00",
		"\x00\xc3\x80\xff\xff\xff\xff\x01\x00a",
	} {
		_, err := Decode([]byte(body), 1<<20)
		require.ErrorIs(t, err, ErrFormat, "%q", body)
	}
}

// TestCompressedTextKeepsTheLimit is about a short payload of a long string.
func TestCompressedTextKeepsTheLimit(t *testing.T) {
	stream := "\x00a"
	n := 1
	for range 10 {
		stream += "\xe0\xff\x00"
		n += 264
	}
	body := fmt.Appendf(nil, "\x00\xc3%c%c%c%s", len(stream), 0x40|n>>8, n&0xff, stream)
	v, err := Decode(body, int64(n))
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("a", n), string(v.Text))
	require.True(t, v.Owned)
	_, err = Decode(body, int64(n)-1)
	require.ErrorIs(t, err, ErrFormat)
}

// TestStringsComeBack covers both sides of every bound in the encodings.
func TestStringsComeBack(t *testing.T) {
	texts := []string{"", "0", "-0", "00", "+1", "1.5", " 1", "1_0"}
	for _, n := range []int64{1 << 7, 1 << 15, 1 << 31, 1 << 40} {
		for d := int64(-2); d <= 2; d++ {
			texts = append(texts, fmt.Sprint(n+d), fmt.Sprint(-n+d))
		}
	}
	for _, n := range []int{1, 11, 12, 20, 21, 63, 64, 16383, 16384, 100000} {
		texts = append(texts, strings.Repeat("x", n))
	}
	for _, text := range texts {
		const before = "before"
		b := AppendString([]byte(before), []byte(text))
		require.Equal(t, before, string(b[:len(before)]))
		body, err := Open(b[len(before):])
		require.NoError(t, err)
		require.Equal(t, len(body)-1, StringSize([]byte(text)))
		v, err := Decode(body, 1<<20)
		require.NoError(t, err)
		require.Equal(t, String, v.Type)
		require.Equal(t, text, string(v.Text))
	}
}

func TestLibraries(t *testing.T) {
	empty := Seal(nil)
	require.Equal(t, "0a005d9b5c400f7fa2da", hex.EncodeToString(empty), "as redis-server 7.0.15 writes it")
	for _, c := range []struct {
		body    string
		sources []string
		err     error
	}{
		{"", nil, nil},
		{"\xf5\x01a", []string{"a"}, nil},
		{"\xf5\x01a\xf5\xc0\x05", []string{"a", "5"}, nil},
		{"\xf5\xc3\x05\x04\x00a\x20\x00", nil, ErrLibrary},
		{"\xf5", nil, ErrLibrary},
		{"\xf5\x02a", nil, ErrLibrary},
		{"\xf5\x01a\xf5", []string{"a"}, ErrLibrary},
		{"\x00\x01a", nil, ErrNotLibrary},
		{"\xf6\x01a", nil, ErrNotLibrary},
		{"\xf5\x01a\x00", []string{"a"}, ErrNotLibrary},
	} {
		sources, err := Libraries([]byte(c.body), 1<<20)
		var got []string
		for _, s := range sources {
			got = append(got, string(s))
		}
		require.Equal(t, c.sources, got, "%q", c.body)
		require.Equal(t, c.err, err, "%q", c.body)
	}
}

// dumbExpand is LZF byte by byte.
func dumbExpand(from []byte) (text []byte, ok bool) {
	for i := 0; i < len(from); {
		c := int(from[i])
		i++
		if c < 32 {
			if i+c+1 > len(from) {
				return nil, false
			}
			text = append(text, from[i:i+c+1]...)
			i += c + 1
			continue
		}
		n := c >> 5
		if n == 7 {
			if i == len(from) {
				return nil, false
			}
			n += int(from[i])
			i++
		}
		if i == len(from) {
			return nil, false
		}
		back := (c&31)<<8 + int(from[i]) + 1
		i++
		if back > len(text) {
			return nil, false
		}
		for range n + 2 {
			text = append(text, text[len(text)-back])
		}
	}
	return text, true
}

// FuzzDecode holds the reader to its promises, whatever it is given: no panic, no
// more memory than the announced bound, and what it reads is written in a form
// that it reads again.
func FuzzDecode(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.payload[:len(s.payload)-footerSize])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		sources, _ := Libraries(body, 1<<20)
		total := 0
		for _, s := range sources {
			total += len(s)
		}
		require.LessOrEqual(t, total, 88*len(body)+264*len(sources))
		v, err := Decode(body, 1<<20)
		if err != nil {
			return
		}
		require.LessOrEqual(t, cap(v.Text), 88*len(body)+264)
		again, err := Open(AppendString(nil, v.Text))
		require.NoError(t, err)
		w, err := Decode(again, 1<<20)
		require.NoError(t, err)
		require.Equal(t, string(v.Text), string(w.Text))
	})
}

func FuzzExpand(f *testing.F) {
	f.Add([]byte("\x01aa\xe0\x57\x00\x01aa"), uint(100))
	f.Fuzz(func(t *testing.T, from []byte, n uint) {
		if len(from) > 1<<12 {
			return
		}
		want, ok := dumbExpand(from)
		if ok {
			got, ok := expand(from, uint64(len(want)))
			require.True(t, ok)
			require.Equal(t, want, append([]byte(nil), got...))
		}
		got, fits := expand(from, uint64(n))
		require.Equal(t, ok && uint64(n) == uint64(len(want)), fits)
		require.LessOrEqual(t, cap(got), 88*len(from)+264)
	})
}
