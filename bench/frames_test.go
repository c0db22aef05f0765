//go:build linux

package main

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// testReader is a reader of a fleet with so many subscribers and publishers
// that have nothing to do with a network.
func testReader(subscribers, publishers int) *reader {
	f := &fleet{}
	for range publishers {
		p := &publisher{fleet: f}
		p.times.slots = make([]struct {
			due, written atomic.Int64
		}, 1024)
		p.sent.Store(1024)
		f.publishers = append(f.publishers, p)
	}
	f.windows[0].to.Store(1)
	return &reader{fleet: f, subscribers: subscribers}
}

// feed gives a subscriber a stream in pieces of one size, as sockets do.
func feed(t *testing.T, r *reader, s *subscriber, stream []byte, size int) error {
	t.Helper()
	var tail []byte
	for len(stream) > 0 {
		n := min(size, len(stream))
		b := append(tail, stream[:n]...)
		stream = stream[n:]
		used, err := s.frames.consume(r, s, b)
		if err != nil {
			return err
		}
		tail = append([]byte(nil), b[used:]...)
	}
	require.Empty(t, tail, "what is left of a whole stream")
	return nil
}

func TestFixedFramesCountCheckAndChooseProbes(t *testing.T) {
	const payload, subscribers = 24, 3
	for _, resp := range []int{2, 3} {
		for _, kind := range channelKinds[:3] {
			header := kind.listeners[0].header(resp)
			var stream []byte
			// Two publishers, 20 messages each.
			probes := make([]uint64, subscribers)
			for n := range uint64(20) {
				for p := range 2 {
					m := newMessages(kind.publish, p, payload)
					command := m.append(nil, n)
					stream = append(stream, header...)
					stream = append(stream, command[len(command)-payload-2-len("$24\r\n"):]...)
					probes[probeOf(messageWord(p, n), subscribers)]++
				}
			}
			for size := 1; size < 300; size += 7 {
				for number := range subscribers {
					r := testReader(subscribers, 2)
					s := &subscriber{number: number, frames: newFixedFrames(header, payload), next: make([]uint64, 2)}
					require.NoError(t, feed(t, r, s, stream, size))
					require.Equal(t, int64(40), s.received)
					require.Equal(t, []uint64{20, 20}, s.next)
					require.Zero(t, s.repeated)
					require.Equal(t, probes[number], r.fromDue[0].count, "timed at subscriber %d", number)
				}
			}
		}
	}
}

func TestHeaders(t *testing.T) {
	kind := func(name string) listener { return mustKind(name).listeners[0] }
	require.Equal(t, "*3\r\n$7\r\nmessage\r\n$13\r\nbench:channel\r\n", string(kind("channel").header(2)))
	require.Equal(t, ">3\r\n$7\r\nmessage\r\n$13\r\nbench:channel\r\n", string(kind("channel").header(3)))
	require.Equal(t, "*4\r\n$8\r\npmessage\r\n$7\r\nbench:*\r\n$13\r\nbench:channel\r\n", string(kind("pattern").header(2)))
	require.Equal(t, ">3\r\n$8\r\nsmessage\r\n$13\r\nbench:channel\r\n", string(kind("shard").header(3)))
	require.Equal(t, "*3\r\n$7\r\nmessage\r\n$22\r\n__cluster-slots__:json\r\n", string(kind("slots:json").header(2)))
}

func fixedFrame(f *fixedFrames, n uint64) []byte {
	m := newMessages("PUBLISH", 0, f.size-len(f.header)-2)
	command := m.append(nil, n)
	return append(append([]byte(nil), f.header...), command[m.at:]...)
}

func TestFixedFramesNoticeLossRepetitionAndNonsense(t *testing.T) {
	f := newFixedFrames(mustKind("channel").listeners[0].header(2), 8)
	stream := func(numbers ...uint64) (b []byte) {
		for _, n := range numbers {
			b = append(b, fixedFrame(f, n)...)
		}
		return b
	}
	s := &subscriber{frames: f, next: make([]uint64, 1)}
	require.NoError(t, feed(t, testReader(9, 1), s, stream(0, 1, 4, 4, 5), 50))
	require.Equal(t, int64(5), s.received)
	require.Equal(t, int64(1), s.repeated)
	require.Equal(t, int64(2), f.deliveries([]uint64{6})-s.received+s.repeated, "2 and 3 are lost")

	for _, bad := range [][]byte{
		[]byte("-ERR"),
		append(stream(0), stream(1)[1:]...),
		append(stream(0), fixedFrame(f, messageWord(7, 0))...), // there is no publisher 7
	} {
		s := &subscriber{frames: f, next: make([]uint64, 1)}
		err := feed(t, testReader(9, 1), s, append(bad, stream(2)...), len(bad)+200)
		require.Error(t, err, "%q", bad)
	}
}

// Every subscriber is the probe of its share of the messages.
func TestProbesAreSpreadEvenly(t *testing.T) {
	const n, each = 50, 400
	var hits [n]int
	for i := range uint64(n * each) {
		hits[probeOf(messageWord(3, i), n)]++
	}
	for number, got := range hits {
		require.InDelta(t, each, got, each/2, "subscriber %d", number)
	}
}

// rowStream is what a subscriber to a form receives of so many commands.
func rowStream(f *rowFrames, commands int) (b []byte) {
	for c := range commands {
		for place := range f.rows {
			slot := rowSlot(place)
			var payload string
			switch {
			case f.form == nestedRow && c%2 == 0:
				payload = fmt.Sprintf("*2\r\n:%d\r\n:%d\r\n", slot, slot)
			case f.form == nestedRow:
				payload = fmt.Sprintf("*3\r\n:%d\r\n:%d\r\n*4\r\n$9\r\n127.0.0.1\r\n:1\r\n$2\r\nid\r\n%%1\r\n$1\r\ne\r\n$1\r\n0\r\n", slot, slot)
			case f.form == jsonRow && c%2 == 0:
				payload = string(appendBulk(nil, fmt.Sprintf("[%d,%d]", slot, slot)))
			case f.form == jsonRow:
				payload = string(appendBulk(nil, fmt.Sprintf(`[%d,%d,["127.0.0.1",1,"id",{}]]`, slot, slot)))
			case c%2 == 0:
				continue // nobody is told to go nowhere
			default:
				payload = string(appendBulk(nil, fmt.Sprintf("MOVED %d 127.0.0.1:1", slot)))
			}
			b = append(append(b, f.header...), payload...)
		}
	}
	return b
}

func TestRowFramesCountCheckAndChooseProbes(t *testing.T) {
	for form, name := range map[rowForm]string{nestedRow: "slots", jsonRow: "slots:json", movedText: "slots:moved"} {
		const commands = 7
		f := newRowFrames(mustKind(name).listeners[0].header(3), form, 11)
		stream := rowStream(f, commands)
		for size := 1; size < 400; size += 13 {
			timed := uint64(0)
			for number := range 2 {
				r := testReader(2, 1)
				s := &subscriber{number: number, frames: f}
				require.NoError(t, feed(t, r, s, stream, size), name)
				require.Equal(t, f.deliveries([]uint64{commands}), s.received, name)
				timed += r.fromDue[0].count
			}
			require.Equal(t, uint64(f.deliveries([]uint64{commands}))/11, timed, "%s: each change is timed once", name)
		}
		// A row that is left out is noticed by the next.
		first, err := replyLen(stream)
		require.NoError(t, err)
		s := &subscriber{frames: f}
		require.ErrorContains(t, feed(t, testReader(2, 1), s, stream[first:], 4096), "expected", name)
	}
}

func TestRowFramesTellAssignedFromNot(t *testing.T) {
	for form, name := range map[rowForm]string{nestedRow: "slots", jsonRow: "slots:json"} {
		f := newRowFrames(mustKind(name).listeners[0].header(2), form, 1)
		stream := rowStream(f, 2)
		second := stream[len(rowStream(f, 1)):]
		s := &subscriber{frames: f}
		require.Error(t, feed(t, testReader(1, 1), s, second, 4096), name)
	}
}
