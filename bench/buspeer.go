//go:build linux

package main

import (
	"errors"
	"fmt"
	"syscall"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// busPeer plays a node of a server's cluster that the server knows from its
// nodes.conf, on a link to the server's cluster bus.
type busPeer struct {
	fd    int
	hello []byte // its PING
	buf   []byte // received and not yet looked at
}

// newBusPeer links up. slots are those that the node claims, by number.
func newBusPeer(in *instance, n knownNode, slots []int) (*busPeer, error) {
	fd, err := dial("tcp", fmt.Sprintf("%s:%d", in.host, in.port+busOffset))
	if err != nil {
		return nil, fmt.Errorf("cluster bus: %w", err)
	}
	claimed := &frame.Bitmap{}
	for _, slot := range slots {
		claimed.Set(uint16(slot))
	}
	hello := frame.Append(nil, &frame.Message{Type: frame.TypePing, Header: frame.Header{
		Sender: clusterstate.NodeID(n.id), CurrentEpoch: uint64(n.epoch), ConfigEpoch: uint64(n.epoch), Slots: claimed,
		Port: uint16(n.port), BusPort: uint16(n.port + busOffset), Flags: frame.FlagPrimary,
	}})
	return &busPeer{fd: fd, hello: hello}, nil
}

// ping says all of the node, and makes the server answer.
func (p *busPeer) ping() error { return writeAll(p.fd, p.hello) }

// pong waits for the server's answer, and passes over whatever else comes.
func (p *busPeer) pong() error {
	for {
		n, err := frame.Scan(p.buf, frame.MaxLen)
		if err != nil {
			return fmt.Errorf("cluster bus: %w", err)
		}
		if n == 0 {
			piece := make([]byte, 16<<10)
			got, err := readSome(p.fd, piece)
			if err != nil {
				return fmt.Errorf("cluster bus: %w", err)
			}
			if got == 0 {
				return fmt.Errorf("no PONG within %v", setupTimeout)
			}
			p.buf = append(p.buf, piece[:got]...)
			continue
		}
		m, err := frame.Decode(p.buf[:n])
		p.buf = p.buf[n:]
		if bad := (*frame.FrameError)(nil); err != nil && !errors.As(err, &bad) {
			return fmt.Errorf("cluster bus: %w", err)
		}
		if err == nil && m.Type == frame.TypePong {
			return nil
		}
	}
}

func (p *busPeer) close() { syscall.Close(p.fd) }
