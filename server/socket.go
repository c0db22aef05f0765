package server

import (
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// writeChunk is how much is written in one call: small slices are joined up
// to this, which costs less than a vector of hundreds of entries.
const writeChunk = 64 << 10

// socket reads and writes one connection. On a TCP or unix connection it
// reads without holding a buffer while it waits, and writes without waiting;
// on any other (an in-memory pipe, TLS) it falls back to plain calls.
type socket struct {
	net.Conn
	raw syscall.RawConn // nil on the fallback
	fd  int             // for people to read, -1 on the fallback
}

func newSocket(nc net.Conn) socket {
	s := socket{Conn: nc, fd: -1}
	if sc, ok := nc.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			s.raw = raw
			raw.Control(func(fd uintptr) { s.fd = int(fd) })
		}
	}
	return s
}

// rawOp is one read or write through syscall.RawConn. The callback is made
// once and the struct reused, so that a call allocates nothing.
type rawOp struct {
	buf []byte
	n   int
	err error
	// write is writeNonblocking for a reply. A worker of the flusher, which
	// writes one socket after the other for long, makes system calls that the
	// scheduler knows of: else the publishers would hardly get to run.
	write func(fd uintptr, b []byte) (int, error)
	call  func(fd uintptr) bool
}

var rawWriters = sync.Pool{New: func() any {
	op := &rawOp{}
	op.call = func(fd uintptr) bool {
		for op.n < len(op.buf) {
			n, err := op.write(fd, op.buf[op.n:])
			switch {
			case n > 0:
				op.n += n
			case err == syscall.EINTR:
			case err == syscall.EAGAIN:
				return true
			default:
				op.err = err
				return true
			}
		}
		return true
	}
	return op
}}

// tryWrite writes as much of a reply as the socket takes without waiting.
func (s *socket) tryWrite(b []byte) (int, error) {
	if s.raw == nil {
		return 0, nil
	}
	return s.rawWrite(b, writeNonblocking)
}

func scheduledWrite(fd uintptr, b []byte) (int, error) { return syscall.Write(int(fd), b) }

func (s *socket) rawWrite(b []byte, write func(uintptr, []byte) (int, error)) (int, error) {
	op := rawWriters.Get().(*rawOp)
	op.buf, op.n, op.err, op.write = b, 0, nil, write
	err := s.raw.Write(op.call)
	if op.err != nil {
		err = op.err
	}
	n := op.n
	op.buf = nil
	rawWriters.Put(op)
	return n, err
}

// tryWriteAll writes slices until the socket takes no more and returns those
// not written. scratch joins the small ones.
func (s *socket) tryWriteAll(q [][]byte, scratch []byte) (rest [][]byte, written int, err error) {
	for len(q) > 0 {
		chunk, k := join(q, scratch)
		n, err := 0, error(nil)
		if s.raw != nil {
			n, err = s.rawWrite(chunk, scheduledWrite)
		}
		written += n
		if err != nil || n < len(chunk) {
			return drop(q, n), written, err
		}
		q = q[k:]
	}
	return nil, written, nil
}

// writeAll writes slices, waiting as long as it takes, and tells progress how
// many bytes have gone each time before it waits. It lets go of each slice that
// is written, and holds no buffer while it waits: a client that reads slowly
// costs what it has not read.
func (s *socket) writeAll(q [][]byte, progress func(n int)) (rest [][]byte, err error) {
	if s.raw == nil {
		for len(q) > 0 && err == nil {
			var n int
			n, err = s.Write(q[0])
			q = advance(q, n)
			progress(n)
		}
		return q, err
	}
	var failed error
	err = s.raw.Write(func(fd uintptr) bool {
		scratch := scratches.Get().(*[writeChunk]byte)
		defer scratches.Put(scratch)
		written := 0
		defer func() { progress(written) }()
		for len(q) > 0 {
			chunk, _ := join(q, scratch[:0])
			n, err := scheduledWrite(fd, chunk)
			switch {
			case n > 0:
				q = advance(q, n)
				written += n
			case errors.Is(err, syscall.EINTR):
			case errors.Is(err, syscall.EAGAIN):
				return false
			default:
				failed = err
				return true
			}
		}
		return true
	})
	if failed != nil {
		err = failed
	}
	return q, err
}

var scratches = sync.Pool{New: func() any { return new([writeChunk]byte) }}

// advance takes n written bytes off q, whose headers are the writer's own.
func advance(q [][]byte, n int) [][]byte {
	for len(q) > 0 && n >= len(q[0]) {
		n -= len(q[0])
		q[0] = nil
		q = q[1:]
	}
	if n > 0 {
		q[0] = q[0][n:]
	}
	return q
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

// drop returns q without its first n bytes, in new headers: the slices
// themselves are shared.
func drop(q [][]byte, n int) [][]byte {
	for len(q) > 0 && n >= len(q[0]) {
		n -= len(q[0])
		q = q[1:]
	}
	if len(q) == 0 {
		return nil
	}
	rest := append([][]byte(nil), q...)
	rest[0] = rest[0][n:]
	return rest
}

var rawReaders = sync.Pool{New: func() any {
	op := &rawOp{}
	op.call = func(fd uintptr) bool {
		fresh := op.buf == nil
		if fresh {
			op.buf = getReadBuffer()
		}
		for {
			n, err := readNonblocking(fd, op.buf[len(op.buf):cap(op.buf)])
			switch {
			case err == syscall.EINTR:
				continue
			case err == syscall.EAGAIN:
				if fresh {
					putReadBuffer(op.buf)
					op.buf = nil
				}
				return false
			case err != nil:
				op.err = err
			default:
				op.n = max(n, 0)
			}
			return true
		}
	}
	return op
}}

// read waits until there is something to read, appends it to buf, and returns
// the longer buf. A nil buf is taken from the pool only once the socket is
// readable. At the end of the stream it returns n == 0 and no error.
func (s *socket) read(buf []byte) (out []byte, n int, err error) {
	if s.raw == nil {
		if buf == nil {
			buf = getReadBuffer()
		}
		n, err = s.Conn.Read(buf[len(buf):cap(buf)])
		if n > 0 {
			err = nil
		}
		return buf[:len(buf)+n], n, err
	}
	op := rawReaders.Get().(*rawOp)
	op.buf, op.n, op.err = buf, 0, nil
	err = s.raw.Read(op.call)
	if op.err != nil {
		err = op.err
	}
	out, n = op.buf, op.n
	if n > 0 {
		out = out[:len(out)+n]
	}
	op.buf = nil
	rawReaders.Put(op)
	return out, n, err
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
