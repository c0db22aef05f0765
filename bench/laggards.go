//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// laggards are subscribers that do not take what they are sent. All of them have
// a socket as they would have over a network, with segments that fit Ethernet
// and a small window: on loopback, with segments of 64 KB, the kernel would take
// megabytes for each before a server notices anything.
type laggards struct {
	admin int // connection that asks the server about them
	kinds []laggardKind
	all   [][]laggard // by kind
	stop  chan struct{}
	slow  sync.WaitGroup // reads of the slow ones
}

// laggardKind is a way not to take what is sent.
type laggardKind struct {
	key, label string
	// begin is done to the socket once it has subscribed, nil for nothing.
	begin func(fd int) error
	slow  bool // reads a byte each second
}

type laggard struct {
	fd int
	id string // by CLIENT ID
}

var laggardKinds = []laggardKind{
	{key: "never", label: "never read"},
	{key: "slow", label: "read a byte a second", slow: true},
	{key: "vanished", label: "vanished", begin: vanish},
}

// vanish makes a socket what the peer of a machine without power is: the kernel
// drops what comes for it before TCP sees it, and nothing is ever answered, no
// data acknowledged, no reset sent.
func vanish(fd int) error {
	const returnNothing = 0x06 // BPF_RET | BPF_K, with zero bytes to keep
	//lint:ignore SA1019 golang.org/x/sys/unix would be a dependency for one call
	if err := syscall.AttachLsf(fd, []syscall.SockFilter{{Code: returnNothing}}); err != nil {
		return fmt.Errorf("socket filter: %w", err)
	}
	return nil
}

const (
	ethernetSegment = 1448
	laggardWindow   = 4096 // what is asked for; the kernel makes twice as much of it
)

// openLaggards connects so many of each kind. They use TCP even where others
// use a unix socket, over which nobody vanishes. close must be called whatever
// comes back.
func openLaggards(in *instance, l listener, each int) (*laggards, error) {
	g := &laggards{admin: -1, kinds: laggardKinds, all: make([][]laggard, len(laggardKinds)), stop: make(chan struct{})}
	addr := fmt.Sprintf("%s:%d", in.host, in.port)
	var err error
	if g.admin, err = dial("tcp", addr); err != nil {
		return g, err
	}
	var slow []int
	for k, kind := range g.kinds {
		for range each {
			one, err := openLaggard(addr, l)
			if err != nil {
				return g, fmt.Errorf("subscriber that is to %s: %w", kind.label, err)
			}
			g.all[k] = append(g.all[k], one)
			if kind.begin != nil {
				if err := kind.begin(one.fd); err != nil {
					return g, err
				}
			}
			if kind.slow {
				slow = append(slow, one.fd)
			}
		}
	}
	g.slow.Add(1)
	go func() { // ends with stop
		defer g.slow.Done()
		g.read(slow)
	}()
	return g, nil
}

func openLaggard(addr string, l listener) (one laggard, err error) {
	one.fd, err = dial("tcp", addr, func(fd int) error {
		return errors.Join(
			syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, ethernetSegment),
			syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUF, laggardWindow))
	})
	if err != nil {
		return one, err
	}
	// Messages may follow the confirmation, which therefore comes last.
	replies, err := ask(one.fd, appendCommand(nil, "CLIENT", "ID"), 1)
	if err == nil {
		one.id = string(bytes.Trim(replies[0], ":\r\n"))
		err = one.subscribe(l)
	}
	if err != nil {
		hangUp(one.fd)
	}
	return one, err
}

// subscribe waits for the confirmation and reads no further.
func (one laggard) subscribe(l listener) error {
	if err := writeAll(one.fd, appendCommand(nil, l.subscribe, l.name)); err != nil {
		return err
	}
	first := make([]byte, 1)
	switch n, err := readSome(one.fd, first); {
	case err != nil:
		return err
	case n == 0:
		return fmt.Errorf("no confirmation within %v", setupTimeout)
	case first[0] == '-':
		return errors.New("refused")
	}
	return nil
}

// read takes a byte from each of the slow ones every second.
func (g *laggards) read(fds []int) {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	b := make([]byte, 1)
	for {
		select {
		case <-g.stop:
			return
		case <-every.C:
			for _, fd := range fds {
				// One that the server has closed has nothing, or an end: neither matters.
				syscall.Recvfrom(fd, b, syscall.MSG_DONTWAIT)
			}
		}
	}
}

// left asks the server how many of each kind it has not closed. The answer costs
// it a millisecond, so it is asked seldom.
func (g *laggards) left() ([]int, error) {
	words := []string{"CLIENT", "LIST", "ID"}
	kindOf := map[string]int{}
	for k, list := range g.all {
		for _, one := range list {
			words = append(words, one.id)
			kindOf[one.id] = k
		}
	}
	replies, err := ask(g.admin, appendCommand(nil, words...), 1)
	if err != nil {
		return nil, fmt.Errorf("CLIENT LIST: %w", err)
	}
	left := make([]int, len(g.kinds))
	for line := range bytes.Lines(replies[0]) {
		rest, ok := bytes.CutPrefix(line, []byte("id="))
		if !ok {
			continue
		}
		id, _, _ := bytes.Cut(rest, []byte(" "))
		if _, err := strconv.Atoi(string(id)); err == nil {
			left[kindOf[string(id)]]++
		}
	}
	return left, nil
}

// close hangs up on whoever is left.
func (g *laggards) close() {
	close(g.stop)
	g.slow.Wait()
	for _, list := range g.all {
		for _, one := range list {
			hangUp(one.fd)
		}
	}
	if g.admin >= 0 {
		hangUp(g.admin)
	}
}
