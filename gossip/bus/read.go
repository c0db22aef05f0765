package bus

import (
	"errors"
	"net"
	"os"

	"slotcast/gossip"
	"slotcast/gossip/frame"
)

// firstBuffer holds a frame with gossip entries; it grows with longer ones as
// their bytes come, so that nobody is given memory for a length alone.
const firstBuffer = 8 << 10

// read cuts the stream into frames until it ends.
func (lk *link) read(nc net.Conn) {
	defer lk.end()
	buf := make([]byte, 0, firstBuffer)
	for {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := nc.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if n > 0 {
			rest, ok := lk.frames(nc, buf)
			if !ok {
				return
			}
			if len(rest) < len(buf) {
				lk.extend()
			}
			buf = keep(buf, rest)
		}
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				lk.bus.faults.report("link closed, no frame came in time", "peer", lk.addr)
			}
			return
		}
	}
}

// keep moves what is left to the front, into a small buffer if it fits again.
func keep(buf, rest []byte) []byte {
	if cap(buf) > firstBuffer && len(rest) < firstBuffer {
		return append(make([]byte, 0, firstBuffer), rest...)
	}
	return buf[:copy(buf[:cap(buf)], rest)]
}

// frames reports every whole frame. It is not ok when the link must be closed.
func (lk *link) frames(nc net.Conn, buf []byte) (rest []byte, ok bool) {
	for len(buf) > 0 {
		n, err := lk.scan(buf)
		if err != nil {
			lk.bus.faults.report("link closed", "peer", lk.addr, "error", err)
			return nil, false
		}
		if n == 0 {
			break
		}
		m, err := frame.Decode(buf[:n])
		buf = buf[n:]
		var dropped *frame.FrameError
		switch {
		case err == nil:
			lk.hear()
			lk.introduce(nc)
			lk.bus.o.Report(gossip.Received{Link: lk.id, Message: m})
		case errors.As(err, &dropped):
			lk.bus.o.Log.Debug("cluster bus: frame dropped", "peer", lk.addr, "error", err)
		default:
			lk.bus.faults.report("link closed", "peer", lk.addr, "error", err)
			return nil, false
		}
	}
	return buf, true
}

// scan finds the next frame. A stranger's is not to be long; but the frame
// before it may have told that it is none, and that may not have got through
// to here yet.
func (lk *link) scan(buf []byte) (int, error) {
	n, err := frame.Scan(buf, lk.frameLimit())
	var fault *frame.LinkError
	if errors.As(err, &fault) && fault.Fault == frame.TooLong && lk.told {
		lk.bus.o.Settle()
		return frame.Scan(buf, lk.frameLimit())
	}
	return n, err
}

func (lk *link) frameLimit() int {
	lk.mu.Lock()
	defer lk.mu.Unlock()
	if lk.known {
		return frame.MaxLen
	}
	return strangerLimit
}

// hear notes that the peer speaks the language of the bus.
func (lk *link) hear() {
	if lk.heard {
		return
	}
	lk.heard = true
	if !lk.id.Inbound() {
		lk.bus.mu.Lock()
		lk.bus.backoff.answered(lk.addr)
		lk.bus.mu.Unlock()
	}
}
