//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// framing cuts what a subscriber receives into messages. It holds no state of
// any subscriber, so all of a kind that one reader reads share one.
type framing interface {
	// consume takes the whole messages off the front of b, reports them to r
	// and s, and returns how many bytes they were.
	consume(r *reader, s *subscriber, b []byte) (int, error)
	// deliveries is how many messages a subscriber gets when the publishers
	// have sent so many commands each.
	deliveries(sent []uint64) int64
}

// A payload begins with a word of 8 bytes: the publisher's number in the upper
// 16 bits, the message's below. The rest is filling.
const (
	wordSize     = 8
	sequenceBits = 48
	sequenceMask = 1<<sequenceBits - 1
)

func messageWord(publisher int, sequence uint64) uint64 {
	return uint64(publisher)<<sequenceBits | sequence
}

// probeOf chooses the subscriber whose copy of a message is timed: any of n
// with equal chance, the same whoever asks.
func probeOf(word uint64, n int) int {
	h := word + 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	h ^= h >> 31
	return int((h >> 32) * uint64(n) >> 32)
}

// fixedFrames are messages of one length, so that the next begins where
// arithmetic says. Only the word in each is looked at; it would not match its
// predecessor if the boundaries were wrong.
type fixedFrames struct {
	header []byte // up to the first byte of the payload
	size   int
}

func newFixedFrames(header []byte, payload int) *fixedFrames {
	frame := appendBulk(bytes.Clone(header), string(make([]byte, payload)))
	return &fixedFrames{header: frame[:len(frame)-payload-2], size: len(frame)}
}

func (f *fixedFrames) consume(r *reader, s *subscriber, b []byte) (int, error) {
	if n := min(len(b), len(f.header)); !bytes.Equal(b[:n], f.header[:n]) {
		return 0, fmt.Errorf("a message that begins %.80q, expected %q", b, f.header)
	}
	used := 0
	for ; len(b)-used >= f.size; used += f.size {
		word := binary.LittleEndian.Uint64(b[used+len(f.header):])
		publisher, sequence := int(word>>sequenceBits), word&sequenceMask
		if publisher >= len(s.next) || b[used] != f.header[0] {
			return 0, fmt.Errorf("a message where none can be: %.80q", b[used:])
		}
		if sequence == s.next[publisher] {
			s.next[publisher]++
		} else {
			s.outOfOrder(publisher, sequence)
		}
		if r.times(word, s.number) {
			r.timed(publisher, sequence)
		}
	}
	s.received += int64(used / f.size)
	return used, nil
}

func (f *fixedFrames) deliveries(sent []uint64) int64 {
	sum := int64(0)
	for _, n := range sent {
		sum += int64(n)
	}
	return sum
}
