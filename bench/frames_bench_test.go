//go:build linux

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// streams are what one read may bring, by kind of channel.
func streams() map[string]func() (framing, []byte) {
	return map[string]func() (framing, []byte){
		"fixed": func() (framing, []byte) {
			f := newFixedFrames(mustKind("channel").listeners[0].header(2), 64)
			var b []byte
			for n := range uint64(200) {
				b = append(b, fixedFrame(f, n)...)
			}
			return f, b
		},
		"rows": func() (framing, []byte) {
			f := newRowFrames(mustKind("slots").listeners[0].header(3), nestedRow, 100)
			return f, rowStream(f, 2)
		},
	}
}

// Taking messages off a stream that has been seen before allocates nothing:
// what the load generator spends, the server lacks.
func TestConsumeDoesNotAllocate(t *testing.T) {
	for name, stream := range streams() {
		f, b := stream()
		r, s := testReader(2, 1), &subscriber{frames: f, next: make([]uint64, 1)}
		consume := func() {
			s.received, s.next[0] = 0, 0
			if used, err := f.consume(r, s, b); err != nil || used != len(b) {
				t.Errorf("%s: %d of %d bytes: %v", name, used, len(b), err)
			}
		}
		consume()
		require.Zero(t, testing.AllocsPerRun(20, consume), name)
	}
}

func BenchmarkConsume(b *testing.B) {
	for name, stream := range streams() {
		b.Run(name, func(b *testing.B) {
			f, text := stream()
			r, s := testReader(2, 1), &subscriber{frames: f, next: make([]uint64, 1)}
			messages := int64(0)
			for b.Loop() {
				s.received, s.next[0] = 0, 0
				if _, err := f.consume(r, s, text); err != nil {
					b.Fatal(err)
				}
				messages += s.received
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(messages), "ns/message")
		})
	}
	b.Run("rows parsed", func(b *testing.B) {
		f := newRowFrames(mustKind("slots").listeners[0].header(3), nestedRow, 1)
		text := rowStream(f, 2)[len(rowStream(f, 1)):]
		for b.Loop() {
			if n, err := f.parse(text, 0, true); err != nil || n == 0 {
				b.Fatal(n, err)
			}
		}
	})
}
