package server

import (
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// poller is an epoll instance with the connections it watches. A goroutine
// that waits for it waits in the runtime's own poller, and so keeps no thread.
type poller struct {
	epoll *os.File
	raw   syscall.RawConn
	fd    int

	mu     sync.Mutex // guards byFD
	byFD   []*conn    // the connections that are watched, by their sockets
	events [256]syscall.EpollEvent
	ready  [256]*conn
}

// What is watched for. A connection whose peer has gone is ready for both.
const (
	toRead      = syscall.EPOLLIN | syscall.EPOLLRDHUP
	toReadOnce  = toRead | oneShot
	toWriteOnce = syscall.EPOLLOUT | oneShot

	oneShot = 1 << 30 // EPOLLONESHOT, which package syscall lacks
)

func newPoller() (*poller, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		syscall.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	p := &poller{fd: fd, epoll: os.NewFile(uintptr(fd), "epoll")}
	if p.raw, err = p.epoll.SyscallConn(); err != nil {
		p.epoll.Close()
		return nil, err
	}
	return p, nil
}

// close ends wait.
func (p *poller) close() { p.epoll.Close() }

// watch has wait return a connection when its socket is ready. With one of the
// Once it does so a single time, until watch is called again.
func (p *poller) watch(c *conn, what uint32) error {
	fd := c.socket.fd
	p.mu.Lock()
	for len(p.byFD) <= fd {
		p.byFD = append(p.byFD, nil)
	}
	known := p.byFD[fd] == c
	p.byFD[fd] = c
	p.mu.Unlock()
	op := syscall.EPOLL_CTL_ADD
	if known {
		op = syscall.EPOLL_CTL_MOD
	}
	return os.NewSyscallError("epoll_ctl", syscall.EpollCtl(p.fd, op, fd, &syscall.EpollEvent{Events: what, Fd: int32(fd)}))
}

// forget ends that. It is called before the socket is closed, whose number may
// then be another connection's.
func (p *poller) forget(c *conn) {
	fd := c.socket.fd
	p.mu.Lock()
	known := fd < len(p.byFD) && p.byFD[fd] == c
	if known {
		p.byFD[fd] = nil
	}
	p.mu.Unlock()
	if known {
		syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_DEL, fd, nil)
	}
}

// wait returns connections whose sockets are ready, until the next call. It
// fails once the poller is closed.
func (p *poller) wait() ([]*conn, error) {
	n := 0
	err := p.raw.Read(func(fd uintptr) bool {
		n = pollNow(fd, p.events[:])
		return n > 0
	})
	if err != nil {
		return nil, err
	}
	ready := p.ready[:0]
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.events[:n] {
		if c := p.byFD[e.Fd]; c != nil {
			ready = append(ready, c)
		}
	}
	return ready, nil
}

// pollNow, readNow and writeNow are system calls without the bookkeeping of one
// that may block, which costs as much as the call: these never do, and what is
// moved at once is small.

func pollNow(fd uintptr, events []syscall.EpollEvent) int {
	n, _, e := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, fd, uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), 0, 0, 0)
	if e != 0 {
		return 0
	}
	return int(n)
}

func readNow(fd int, b []byte) (int, error) {
	n, _, e := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	return result(n, e)
}

func writeNow(fd int, b []byte) (int, error) {
	n, _, e := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	return result(n, e)
}

func result(n uintptr, e syscall.Errno) (int, error) {
	if e != 0 {
		return 0, e
	}
	return int(n), nil
}
