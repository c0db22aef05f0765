package keyspace

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The encodings are those that redis-server 7.0.15 answers for the same commands.
func TestEncodings(t *testing.T) {
	for text, want := range map[string]string{
		"0": "int", "123": "int", "-9223372036854775808": "int", "9223372036854775807": "int",
		"9223372036854775808": "embstr", "-9223372036854775809": "embstr", "-0": "embstr", "0123": "embstr",
		"": "embstr", "-": "embstr", "+1": "embstr", " 1": "embstr", "1 ": "embstr",
		strings.Repeat("a", 44): "embstr", strings.Repeat("a", 45): "raw", strings.Repeat("1", 45): "raw",
	} {
		v := NewString([]byte(text))
		require.Equal(t, want, v.Encoding(), "%q", text)
		require.Equal(t, text, string(v.Bytes(nil)))
		require.Equal(t, len(text), v.Len())
		require.Equal(t, "string", v.Kind().String())
	}
	require.Equal(t, "int", NewInt(5).Encoding())
	require.Equal(t, "embstr", NewText([]byte("5")).Encoding())
	require.Equal(t, "raw", OwnRaw([]byte("5")).Encoding())

	s := New(Options{}).Slot(0)
	write := func(key string, offset int, data string) string {
		return s.WriteAt([]byte(key), offset, []byte(data), 0, Cause{}).Value().Encoding()
	}
	set(s, "number", "12", 0, 0)
	require.Equal(t, "raw", write("number", 2, "3"))
	set(s, "text", "abc", 0, 0)
	require.Equal(t, "raw", write("text", 3, ""))
	require.Equal(t, "raw", write("missing", 2, "x"))
	n, ok := s.Lookup([]byte("number"), 0, 0).Value().(*String).Int()
	require.True(t, ok)
	require.EqualValues(t, 123, n)
}

func TestParseIntAgreesWithStrconv(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	check := func(text string) {
		want, err := strconv.ParseInt(text, 10, 64)
		canonical := err == nil && strconv.FormatInt(want, 10) == text
		got, ok := ParseInt([]byte(text))
		if ok != canonical || ok && got != want {
			t.Fatalf("%q: want %d %v, got %d %v", text, want, canonical, got, ok)
		}
	}
	for range 200_000 {
		b := make([]byte, r.IntN(22))
		for i := range b {
			b[i] = "0123456789-9992+ "[r.IntN(17)]
		}
		check(string(b))
		check(strconv.FormatInt(int64(r.Uint64())>>r.IntN(64), 10))
		check(fmt.Sprint("922337203685477580", r.IntN(100)))
		check(fmt.Sprint("-922337203685477580", r.IntN(100)))
	}
}

// TestWritesAgreeWithTwin writes at random into a string, shares it at random,
// and looks that what was shared stays what it was.
func TestWritesAgreeWithTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	ks := New(Options{})
	s := ks.Slot(0)
	key := []byte("k")
	e := set(s, "k", "12", 0, 0)
	twin := []byte("12")
	type held struct {
		value Value
		text  string
	}
	var shared []held
	for range 3000 {
		offset := r.IntN(len(twin) + 10)
		if r.IntN(2) == 0 {
			offset = len(twin)
		}
		data := []byte(strings.Repeat("x", r.IntN(5)) + "y")
		for len(twin) < offset+len(data) {
			twin = append(twin, 0)
		}
		copy(twin[offset:], data)
		s.WriteAt(key, offset, data, 0, Cause{})
		require.Equal(t, string(twin), text(e))
		require.Equal(t, e.Size(), ks.Bytes())
		if r.IntN(50) == 0 {
			shared = append(shared, held{e.Share(), string(twin)})
		}
	}
	require.NotEmpty(t, shared)
	for _, h := range shared {
		require.Equal(t, h.text, string(h.value.(*String).Bytes(nil)))
	}
}

func TestGapIsZero(t *testing.T) {
	s := New(Options{}).Slot(0)
	e := s.Set([]byte("k"), OwnRaw([]byte("abcdefgh")[:2]), 0, 0, Cause{})
	s.WriteAt([]byte("k"), 4, []byte("x"), 0, Cause{})
	require.Equal(t, "ab\x00\x00x", text(e))
}

// TestSmallWritesDoNotCopy counts allocations: a million APPENDs of one byte
// double the room a few times, a SETBIT on a large value allocates nothing, and
// a shared value is copied once.
func TestSmallWritesDoNotCopy(t *testing.T) {
	s := New(Options{}).Slot(0)
	key, one := []byte("k"), []byte{1}
	e := s.WriteAt(key, 0, one, 0, Cause{})
	copies, room := 0, cap(e.value.(*String).b)
	for i := 1; i < 1_000_000; i++ {
		s.WriteAt(key, i, one, 0, Cause{})
		if c := cap(e.value.(*String).b); c != room {
			copies, room = copies+1, c
		}
	}
	require.Less(t, copies, 60)
	require.Zero(t, testing.AllocsPerRun(100, func() { s.WriteAt(key, 500, one, 0, Cause{}) }))

	before := e.Share()
	s.WriteAt(key, 500, []byte{2}, 0, Cause{})
	require.NotSame(t, before, e.Value())
	after := e.Value()
	s.WriteAt(key, 501, []byte{2}, 0, Cause{})
	require.Same(t, after, e.Value())
}
