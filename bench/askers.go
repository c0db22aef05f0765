//go:build linux

package main

import (
	"bytes"
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"
)

// askers are connections that ask one question over and over, each when it has
// the whole answer to the one before. One thread serves all of them.
type askers struct {
	command []byte
	reply   []byte // what each answer must be
	epoll   int
	all     []*asker

	ended   atomic.Bool
	timing  atomic.Bool // answers to what is asked from now on are timed
	replies atomic.Int64

	times histogram // read once run has ended
}

type asker struct {
	fd    int
	got   int   // bytes of the current answer
	asked int64 // when, zero if it is not timed
	count int
}

// comparedAnswers is how many answers of a connection go by for one that is
// compared byte by byte; of the others the length and the beginning are. To
// read every one twice would make the load generator the limit.
const comparedAnswers = 32

// openAskers connects, and asks each connection's first question. close must
// be called whatever comes back.
func openAskers(in *instance, connections int) (*askers, error) {
	a := &askers{command: appendCommand(nil, "CLUSTER", "SLOTS")}
	var err error
	if a.epoll, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return a, fmt.Errorf("epoll: %w", err)
	}
	for i := range connections {
		fd, err := dial(in.network, in.addr)
		if err != nil {
			return a, err
		}
		a.all = append(a.all, &asker{fd: fd})
		replies, err := ask(fd, a.command, 1)
		if err != nil {
			return a, err
		}
		if a.reply == nil {
			a.reply = bytes.Clone(replies[0])
		}
		if !bytes.Equal(replies[0], a.reply) {
			return a, fmt.Errorf("connection %d has another answer than the first: %.120q", i, replies[0])
		}
		if err := syscall.SetNonblock(fd, true); err != nil {
			return a, err
		}
		e := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(i)}
		if err := syscall.EpollCtl(a.epoll, syscall.EPOLL_CTL_ADD, fd, &e); err != nil {
			return a, fmt.Errorf("epoll: %w", err)
		}
	}
	return a, nil
}

// run asks until ended is set.
func (a *askers) run() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, c := range a.all {
		if err := a.ask(c); err != nil {
			return err
		}
	}
	buf := make([]byte, readSize)
	events := make([]syscall.EpollEvent, pollEvents)
	for !a.ended.Load() {
		n, err := syscall.EpollWait(a.epoll, events, pollMillis)
		if err != nil && err != syscall.EINTR {
			return fmt.Errorf("epoll: %w", err)
		}
		for _, e := range events[:max(n, 0)] {
			if err := a.read(a.all[e.Fd], buf); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *askers) ask(c *asker) error {
	c.got, c.asked = 0, 0
	if a.timing.Load() {
		c.asked = now()
	}
	return writeAll(c.fd, a.command)
}

// read takes what there is of a connection's answer.
func (a *askers) read(c *asker, buf []byte) error {
	n, err := readAnswer(c.fd, buf)
	switch {
	case n == 0:
		return err
	case n > len(a.reply)-c.got:
		return fmt.Errorf("an answer is longer than the first one, of %d bytes", len(a.reply))
	}
	compared := n
	if c.count%comparedAnswers != 0 {
		compared = min(n, 16)
	}
	if !bytes.Equal(buf[:compared], a.reply[c.got:c.got+compared]) {
		return fmt.Errorf("an answer differs from the first one after %d bytes: %.120q", c.got, buf[:compared])
	}
	if c.got += n; c.got < len(a.reply) {
		return nil
	}
	c.count++
	a.replies.Add(1)
	if c.asked != 0 {
		a.times.record(now() - c.asked)
	}
	return a.ask(c)
}

// close ends the connections.
func (a *askers) close() {
	for _, c := range a.all {
		hangUp(c.fd)
	}
	syscall.Close(a.epoll)
}
