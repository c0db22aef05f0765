package server

import (
	"errors"
	"os"
	"sync"
	"time"
)

// errNothingYet says that a socket has nothing to read, but is open.
var errNothingYet = errors.New("nothing to read yet")

// writeChunk is how much is written in one call: small slices are joined up
// to this, which costs less than a vector of hundreds of entries.
const writeChunk = 64 << 10

// writeTurn is how much of one connection's is written before it is the next
// one's turn. A client that reads as fast as the server writes would else have a
// loop, or a worker of the flusher, for as long as its reply lasts.
const writeTurn = 4 * writeChunk

// sharedTurn is that for a reply that was encoded before, at its first turn: to
// make it took no time, and to hand it on to a worker costs as much as to write
// half of it.
const sharedTurn = 4 * writeTurn

// writeAll writes slices until the socket takes no more, or limit bytes are
// written, and returns those not written, in the array of q. scratch joins the
// small ones.
func (s *socket) writeAll(q [][]byte, limit int, scratch []byte) (rest [][]byte, written int, err error) {
	for len(q) > 0 && written < limit {
		chunk, k := join(q, scratch)
		whole := len(chunk)
		chunk = chunk[:min(whole, limit-written)]
		n, err := s.scheduledWrite(chunk)
		written += n
		if err != nil || n < whole {
			return drop(q, n), written, err
		}
		clear(q[:k])
		q = q[k:]
	}
	return q, written, nil
}

func total(q [][]byte) int {
	n := 0
	for _, b := range q {
		n += len(b)
	}
	return n
}

// join returns the bytes of the first k slices: the first alone when it is
// large or the only one, else as many as fit into scratch.
func join(q [][]byte, scratch []byte) (chunk []byte, k int) {
	if len(q) == 1 || len(q[0]) >= cap(scratch)/4 || len(q[0])+len(q[1]) > cap(scratch) {
		return q[0], 1
	}
	scratch = scratch[:0]
	for k < len(q) && len(scratch)+len(q[k]) <= cap(scratch) {
		scratch = append(scratch, q[k]...)
		k++
	}
	return scratch, k
}

// drop returns q without its first n bytes, in the same array.
func drop(q [][]byte, n int) [][]byte {
	for len(q) > 0 && n >= len(q[0]) {
		n -= len(q[0])
		q[0] = nil
		q = q[1:]
	}
	if len(q) > 0 {
		q[0] = q[0][n:]
	}
	return q
}

// aLongTimeAgo as a deadline ends a read that waits.
var aLongTimeAgo = time.Unix(1, 0)

// interrupted reports an error that a deadline caused.
func interrupted(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// readBufferSize is what a read can bring at once. A connection holds such a
// buffer only while it has unprocessed bytes.
const readBufferSize = 16 << 10

var readBuffers = sync.Pool{New: func() any { return new([readBufferSize]byte) }}

func getReadBuffer() []byte { return readBuffers.Get().(*[readBufferSize]byte)[:0] }

// putReadBuffer gives a buffer back; one that grew is left to the collector.
func putReadBuffer(b []byte) {
	if cap(b) == readBufferSize {
		readBuffers.Put((*[readBufferSize]byte)(b[:readBufferSize]))
	}
}
