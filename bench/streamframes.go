//go:build linux

package main

import (
	"bytes"
	"fmt"
	"sort"
	"sync/atomic"
)

// streamFrames are messages that are all known beforehand: every subscriber
// gets the same bytes, from the first to the last. To compare a whole read with
// them costs a small part of looking at each message.
type streamFrames struct {
	want []byte
	ends []int // of each message
	// begun is when what causes the messages was sent. Two times count from
	// then for each subscriber: its first bytes go into the reader's fromWrite,
	// its last into fromDue.
	begun *atomic.Int64
}

// newStreamFrames has a message of each payload.
func newStreamFrames(header []byte, payloads [][]byte, begun *atomic.Int64) *streamFrames {
	f := &streamFrames{begun: begun}
	for _, p := range payloads {
		f.want = append(append(f.want, header...), p...)
		f.ends = append(f.ends, len(f.want))
	}
	return f
}

func (f *streamFrames) consume(r *reader, s *subscriber, b []byte) (int, error) {
	at := now()
	if s.offset == 0 {
		r.fromWrite[0].record(at - f.begun.Load())
	}
	rest := f.want[s.offset:]
	if !bytes.HasPrefix(rest, b) {
		n := 0
		for n < min(len(rest), len(b)) && rest[n] == b[n] {
			n++
		}
		from := max(n-40, 0)
		return 0, fmt.Errorf("after %d bytes %.120q, expected %.120q", s.offset+from, b[from:], rest[from:])
	}
	s.offset += len(b)
	s.received = int64(sort.SearchInts(f.ends, s.offset+1))
	if len(rest) == len(b) {
		r.fromDue[0].record(at - f.begun.Load())
	}
	return len(b), nil
}

// deliveries is of any number of commands: all messages belong together.
func (f *streamFrames) deliveries(sent []uint64) int64 { return int64(len(f.ends)) }
