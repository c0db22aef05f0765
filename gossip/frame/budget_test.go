package frame

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
)

// bigPing is the PING of a node with a hostname in a cluster of about a hundred.
func bigPing(entries int) *Message {
	m := &Message{Type: TypePing, Header: Header{
		Sender: nab3a, CurrentEpoch: 9, ConfigEpoch: 2, Slots: slots(5461, 10922), IP: "10.0.0.1",
		Port: 7000, BusPort: 17000, Flags: FlagPrimary | FlagMyself, MessageFlags: HasExtensions,
	}}
	for i := range entries {
		m.Gossip = append(m.Gossip, Gossip{
			ID: clusterstate.NodeID(fmt.Sprintf("%040x", i)), PongReceived: 1796057720, IP: fmt.Sprintf("10.0.0.%d", i%250),
			Port: 7000, BusPort: 17000, Flags: FlagPrimary,
		})
	}
	m.Extensions = Extensions{Hostname: "node2.example.com", ShardID: shard}
	return m
}

// allocated is how many bytes f allocates, all that it throws away included.
// The runtime's own goroutines allocate now and then, so the least of several
// runs is the truth.
func allocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// TestAllocationBudget holds the cost of a PING with any number of entries: one
// allocation for each of message, slots, sender, address, list of gossip, its
// texts, hostname and shard. Writing takes none.
func TestAllocationBudget(t *testing.T) {
	for _, entries := range []int{10, 100} {
		raw := Append(nil, bigPing(entries))
		require.Equal(t, 8.0, testing.AllocsPerRun(100, func() {
			if _, err := Decode(raw); err != nil {
				panic(err)
			}
		}))
	}
	raw := Append(nil, bigPing(10))
	buf := make([]byte, 0, len(raw))
	for _, c := range captures {
		require.Zero(t, testing.AllocsPerRun(10, func() { buf = Append(buf[:0], &c.want) }), c.name)
	}
	m := bigPing(10)
	require.Zero(t, testing.AllocsPerRun(100, func() { buf = Append(buf[:0], m) }))
	require.Equal(t, 1.0, testing.AllocsPerRun(100, func() { _ = Append(nil, m) }), "room is made once")
}

// memoryBound is what Decode may allocate for n bytes: a small multiple, and a
// message.
func memoryBound(n int) uint64 { return uint64(6*n) + 1024 }

// TestMemoryIsBoundedByInput: frames that make the most of what they send, and
// those that tell of more than they send.
func TestMemoryIsBoundedByInput(t *testing.T) {
	many := func(extension string) []byte {
		list := make([]string, maxCount)
		for i := range list {
			list[i] = extension
		}
		return pong(list...)
	}
	frames := map[string][]byte{
		"gossip":              Append(nil, bigPing(maxCount)),
		"unknown extensions":  many(rawExtension(9, "")),
		"unknown with a word": many(rawExtension(9, "12345678")),
		"forgotten nodes":     many(rawExtension(ExtForgottenNode, string(nab3a)+"12345678")),
		"shard ids":           many(rawExtension(ExtShardID, shard)),
		"hostnames":           many(rawExtension(ExtHostname, "1234567\x00")),
		"publish":             Append(nil, &Message{Type: TypePublish, Light: true, Publish: Publish{Payload: make([]byte, 1<<20)}}),
		"told of 4 GB":        put32(LightHeaderLen, 0xffffffff)(capture(t, "v8-publish-light")),
		"told of gossip":      put16(atCount, 0xffff)(capture(t, "r70-ping-handshake")),
		"told of extensions":  put16(atExtensions, 0xffff)(capture(t, "r70-meet")),
	}
	for _, c := range captures {
		frames[c.name] = capture(t, c.name)
	}
	for name, raw := range frames {
		got := allocated(func() {
			if _, err := Decode(raw); (err != nil) != strings.HasPrefix(name, "told") {
				panic(fmt.Sprint(name, ": ", err))
			}
		})
		require.LessOrEqual(t, got, memoryBound(len(raw)), "%s: %d bytes", name, len(raw))
	}
}

// BenchmarkPing is what a PING with ten entries costs its receiver and its
// sender.
func BenchmarkPing(b *testing.B) {
	raw := Append(nil, bigPing(10))
	m, err := Decode(raw)
	require.NoError(b, err)
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			if _, err := Decode(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(raw)))
		buf := make([]byte, 0, len(raw))
		for b.Loop() {
			buf = Append(buf[:0], m)
		}
	})
	b.Run("both", func(b *testing.B) {
		b.ReportAllocs()
		buf := make([]byte, 0, len(raw))
		for b.Loop() {
			m, err := Decode(raw)
			if err != nil {
				b.Fatal(err)
			}
			buf = Append(buf[:0], m)
		}
		require.Equal(b, uint32(len(raw)), binary.BigEndian.Uint32(buf[atLength:]))
	})
}
