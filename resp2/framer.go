package resp2

import "math"

// Limits bound one request. They are given at every call, because CONFIG SET
// and AUTH change them while a connection lives.
type Limits struct {
	// Bulk is the greatest length of one argument in bytes
	// (proto-max-bulk-len).
	Bulk int64
	// Args is the greatest number of arguments of one request.
	Args int
	// Inline is the greatest length in bytes of an inline command or of a
	// length line, without its line end.
	Inline int
	// Unauthenticated narrows Bulk and Args to what a client that still has to
	// AUTH may send, with error texts of their own.
	Unauthenticated bool
}

// DefaultLimits are Redis's defaults, but for Args: Redis 7.0 admits counts up
// to 2^31-1.
var DefaultLimits = Limits{Bulk: 512 << 20, Args: 1 << 20, Inline: 64 << 10}

// What is enough for an AUTH or a HELLO, as in Redis.
const (
	unauthenticatedArgs = 10
	unauthenticatedBulk = 16384
)

// ProtocolError is a fault of framing. It is fatal to its connection: the
// client is sent "-ERR " and this text, and nothing after it is read. Its text
// may hold any byte the client sent; AppendError cleans it.
type ProtocolError string

func (e ProtocolError) Error() string { return "Protocol error: " + string(e) }

// The faults of a request, in Redis's words. "expected '$'" is built where it
// is found, since it quotes a byte.
const (
	errMultibulkLength          = ProtocolError("invalid multibulk length")
	errMultibulkUnauthenticated = ProtocolError("unauthenticated multibulk length")
	errMultibulkTooBig          = ProtocolError("too big mbulk count string")
	errBulkLength               = ProtocolError("invalid bulk length")
	errBulkUnauthenticated      = ProtocolError("unauthenticated bulk length")
	errBulkTooBig               = ProtocolError("too big bulk count string")
	errInlineTooBig             = ProtocolError("too big inline request")
	errUnbalancedQuotes         = ProtocolError("unbalanced quotes in request")
)

// leastArgument is the length of the shortest argument, "$0\r\n\r\n".
const leastArgument = 6

// Framer finds the end of each request in a stream of bytes. It remembers how
// far it has come in a request of which only a part has arrived, so that the
// cost is linear in the bytes of the stream however they are cut. The zero
// Framer is ready at the start of a stream.
type Framer struct {
	pos     int   // bytes of the request that are vetted
	scan    int   // bytes, at least pos, known to hold no end of the line at pos
	seen    int   // length of the buffer at the last call
	left    int   // arguments still to be vetted, once counted
	bulk    int64 // length of the argument at pos, once sized
	counted bool  // the count of arguments was read
	sized   bool  // the length of the argument at pos was read
}

// Next looks at buf, which begins at the first byte not consumed yet and may
// hold more than at the last call, but the same bytes before that.
//
// n > 0: buf[:n] is one whole request for Parse. The caller drops these bytes;
// the next call begins anew. A request without arguments (*0, a negative count,
// a blank line) is such a request too. n == 0 without an error: more bytes are
// needed. The error is a ProtocolError.
//
// Where a request has other bytes than CR LF behind an argument, or another
// than LF behind the CR of a length line, Redis skips them unseen. Next writes
// CR LF over them, so that redcon, which insists on them, sees the same request.
func (f *Framer) Next(buf []byte, lim Limits) (n int, err error) {
	if len(buf) == 0 {
		return 0, nil
	}
	f.seen = len(buf)
	if buf[0] == '*' {
		n, err = f.multibulk(buf, lim)
	} else {
		n, err = f.inline(buf, lim)
	}
	if n > 0 || err != nil {
		*f = Framer{}
	}
	return n, err
}

// Want is how many bytes, at least, the request still lacks of which a part was
// seen; 1 if that is all that is known. It rests on lengths that a client has
// merely announced: use it to choose the size of the next read among sizes that
// are affordable anyway, never to allocate beyond a small multiple of what has
// arrived.
func (f *Framer) Want() int {
	if !f.counted {
		return 1
	}
	// Counted from pos. Half of the range keeps the sum from overflowing.
	need := int64(f.left) * leastArgument
	if f.sized {
		need += min(f.bulk, math.MaxInt/2) - int64(len("$0\r\n"))
	}
	return int(max(1, need-int64(f.seen-f.pos)))
}

func (f *Framer) inline(buf []byte, lim Limits) (int, error) {
	end, err := f.find('\n', buf, lim, errInlineTooBig)
	return end + 1, err
}

func (f *Framer) multibulk(buf []byte, lim Limits) (int, error) {
	if !f.counted {
		line, err := f.lengthLine(buf, lim, errMultibulkTooBig)
		if line == nil || err != nil {
			return 0, err
		}
		count, ok := parseLength(line[1:])
		switch {
		case !ok || count > int64(lim.Args):
			return 0, errMultibulkLength
		case count > unauthenticatedArgs && lim.Unauthenticated:
			return 0, errMultibulkUnauthenticated
		case count <= 0:
			return f.pos, nil
		}
		f.left, f.counted = int(count), true
	}
	for f.left > 0 {
		if !f.sized {
			line, err := f.lengthLine(buf, lim, errBulkTooBig)
			if line == nil || err != nil {
				return 0, err
			}
			if line[0] != '$' {
				return 0, ProtocolError("expected '$', got '" + string(line[:1]) + "'")
			}
			length, ok := parseLength(line[1:])
			switch {
			case !ok || length < 0 || length > lim.Bulk:
				return 0, errBulkLength
			case length > unauthenticatedBulk && lim.Unauthenticated:
				return 0, errBulkUnauthenticated
			}
			f.bulk, f.sized = length, true
		}
		// A subtraction, since bulk+2 could overflow.
		if int64(len(buf)-f.pos)-2 < f.bulk {
			return 0, nil
		}
		end := f.pos + int(f.bulk)
		putLineEnd(buf[end : end+2])
		f.pos, f.scan = end+2, end+2
		f.left--
		f.sized = false
	}
	return f.pos, nil
}

// lengthLine consumes the line at pos, up to a CR and the byte behind it, and
// returns it with its CR, so that even an empty one has a first byte; nil when
// it is not complete.
func (f *Framer) lengthLine(buf []byte, lim Limits, tooBig ProtocolError) ([]byte, error) {
	end, err := f.find('\r', buf, lim, tooBig)
	if end < 0 || end+1 == len(buf) {
		return nil, err
	}
	line := buf[f.pos : end+1]
	putLineEnd(buf[end : end+2])
	f.pos, f.scan = end+2, end+2
	return line, nil
}

// find returns the index of the first end in the line at pos, -1 when there is
// none yet. Redis searches a C string, so an end behind a NUL is never found,
// and such a line fails when it has grown too big.
func (f *Framer) find(end byte, buf []byte, lim Limits, tooBig ProtocolError) (int, error) {
	limit := len(buf)
	// Redis notices after each read, so how much it lets pass depends on how
	// the bytes arrive. Here it is as if they came one by one.
	tooLong := len(buf)-f.pos > lim.Inline
	if tooLong {
		limit = f.pos + lim.Inline + 1
	}
	i := f.scan
	for i < limit && buf[i] != end && buf[i] != 0 {
		i++
	}
	f.scan = i
	switch {
	case i < limit && buf[i] == end:
		return i, nil
	case tooLong:
		return -1, tooBig
	}
	return -1, nil
}

func putLineEnd(b []byte) {
	// Nearly always there already, and not writing keeps the cache line clean.
	if b[0] != '\r' {
		b[0] = '\r'
	}
	if b[1] != '\n' {
		b[1] = '\n'
	}
}

// parseLength reads a decimal as strictly as Redis does: no plus sign, no
// blank, no leading zero, no "-0", nothing beyond an int64. It wants the CR
// that ends the line, and nothing else behind the number.
func parseLength(line []byte) (int64, bool) {
	text := line[:max(0, len(line)-1)]
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	if len(text) == 1 && text[0] == '0' {
		return 0, !negative
	}
	// 19 digits never overflow a uint64.
	if len(text) == 0 || len(text) > 19 || text[0] == '0' {
		return 0, false
	}
	var n uint64
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + uint64(c-'0')
	}
	switch {
	case negative && n <= 1<<63:
		return -int64(n), true
	case !negative && n <= math.MaxInt64:
		return int64(n), true
	}
	return 0, false
}
