package testcluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

const loopback = "127.0.0.1"

// Ports are dealt out in blocks. Whoever listens on the first port of a block
// has the others, and 10000 above them those of the cluster bus: also those of
// a node that is down for a while, which another test, in this process or in one
// beside it, must not take meanwhile. All of them are below what systems give
// to outgoing connections.
const (
	firstPort = 10240
	blockSize = 32
	blocks    = 300

	busPortOffset = 10000

	// MaxNodes is how many nodes a cluster can have.
	MaxNodes = blockSize - 1
)

// busAddr is where the bus of a node with this port listens.
func busAddr(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port+busPortOffset)) }

// claim is a block that belongs to a cluster until it is closed.
type claim struct {
	net.Listener
	port int // of the first node
}

// claimPorts finds a block that nobody has.
func claimPorts() (*claim, error) {
	for _, block := range rand.Perm(blocks) {
		port := firstPort + block*blockSize
		l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
		switch {
		case err == nil:
			return &claim{l, port + 1}, nil
		case !errors.Is(err, syscall.EADDRINUSE):
			return nil, err
		}
	}
	return nil, fmt.Errorf("expected a free port between %d and %d, found none", firstPort, firstPort+blocks*blockSize)
}
