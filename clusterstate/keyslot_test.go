package clusterstate

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// slowSlot is the oracle: one bit at a time, and the hash tag by splitting.
func slowSlot(key []byte) uint16 {
	if _, rest, ok := bytes.Cut(key, []byte("{")); ok {
		if tag, _, ok := bytes.Cut(rest, []byte("}")); ok && len(tag) > 0 {
			key = tag
		}
	}
	var crc uint32
	for _, c := range key {
		for bit := 7; bit >= 0; bit-- {
			crc = crc<<1 | uint32(c>>bit&1)
			if crc&0x10000 != 0 {
				crc ^= 0x11021
			}
		}
	}
	for range 16 {
		crc <<= 1
		if crc&0x10000 != 0 {
			crc ^= 0x11021
		}
	}
	return uint16(crc % Slots)
}

func TestKeySlot(t *testing.T) {
	require.Equal(t, uint16(0x31C3&16383), KeySlot([]byte("123456789")))
	require.Equal(t, uint16(15495), KeySlot([]byte("a")))
	require.Equal(t, KeySlot([]byte("{a")), KeySlot([]byte("x{{a}}b")))
	require.NotEqual(t, KeySlot([]byte("")), KeySlot([]byte("{}x")))

	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		key := make([]byte, random.IntN(12))
		for i := range key {
			key[i] = "{}abc\x00\xff"[random.IntN(7)]
		}
		require.Equal(t, slowSlot(key), KeySlot(key), "%q", key)
	}
}

func BenchmarkKeySlot(b *testing.B) {
	key := []byte("user:{1000042}:profile")
	b.ReportAllocs()
	for b.Loop() {
		KeySlot(key)
	}
}
