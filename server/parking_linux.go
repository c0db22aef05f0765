package server

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// parking holds the connections that have been idle for a while. A goroutine
// that waits costs more than everything else that belongs to an idle
// connection, so a parked one has none: one goroutine watches all of them, and
// gives a connection a fresh one when its client sends something.
type parking struct {
	server *Server
	epoll  *os.File // an epoll instance, itself watched by the runtime's poller
	fd     int      // its number
	raw    syscall.RawConn
	done   sync.WaitGroup
	count  atomic.Int64 // connections parked so far
}

// open starts watching; close ends it.
func (p *parking) open(s *Server) error {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		syscall.Close(fd)
		return err
	}
	p.server, p.fd, p.epoll = s, fd, os.NewFile(uintptr(fd), "epoll")
	if p.raw, err = p.epoll.SyscallConn(); err != nil {
		p.epoll.Close()
		return err
	}
	p.done.Add(1)
	go func() { // ends when close closes the instance
		defer p.done.Done()
		p.watch()
	}()
	return nil
}

func (p *parking) close() {
	p.epoll.Close()
	p.done.Wait()
}

// park takes a connection over from its goroutine, which then ends. It is false
// when the goroutine has to go on. The count of running goroutines stays up for
// a parked connection: the next goroutine takes it over.
func (p *parking) park(c *conn) bool {
	if c.socket.raw == nil {
		return false
	}
	event := syscall.EpollEvent{
		Events: syscall.EPOLLIN | syscall.EPOLLRDHUP | epollOneShot,
		Fd:     int32(c.id), Pad: int32(c.id >> 32),
	}
	op := syscall.EPOLL_CTL_ADD
	if c.watched {
		op = syscall.EPOLL_CTL_MOD
	}
	c.watched = true
	c.parked.Store(true) // from here on unpark may start another goroutine
	ok := false
	err := c.socket.raw.Control(func(fd uintptr) {
		ok = syscall.EpollCtl(p.fd, op, int(fd), &event) == nil
	})
	if (err != nil || !ok || c.ended()) && c.parked.CompareAndSwap(true, false) {
		return false
	}
	p.count.Add(1)
	return true
}

// epollOneShot is EPOLLONESHOT, which package syscall lacks.
const epollOneShot = 1 << 30

// watch gives goroutines to the connections whose clients send something.
func (p *parking) watch() {
	var events [256]syscall.EpollEvent
	for {
		n := 0
		err := p.raw.Read(func(fd uintptr) bool {
			n, _ = syscall.EpollWait(int(fd), events[:], 0)
			return n > 0
		})
		if err != nil {
			return
		}
		for _, e := range events[:n] {
			id := int64(uint32(e.Fd)) | int64(e.Pad)<<32
			if c := p.server.conns.find(id); c != nil {
				c.unpark()
			}
		}
	}
}

// parkedSoFar counts the connections that gave their goroutines up.
func (p *parking) parkedSoFar() int64 { return p.count.Load() }
