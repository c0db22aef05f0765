//go:build linux

package main

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
	"unsafe"
)

// Connections are bare file descriptors: ten thousand subscribers read by a
// few threads with an epoll set each cost the load generator far less than a
// goroutine for every one of them, and what it saves is the server's.

// setupTimeout bounds each wait while connections are made.
const setupTimeout = 30 * time.Second

// dial connects to a host:port, or to the path of a unix socket. The
// descriptor blocks, at most for setupTimeout. What prepare does to it comes
// before the connection is asked for.
func dial(network, addr string, prepare ...func(fd int) error) (fd int, err error) {
	family := syscall.AF_INET
	var sa syscall.Sockaddr
	if network == "unix" {
		family, sa = syscall.AF_UNIX, &syscall.SockaddrUnix{Name: addr}
	} else {
		tcp, err := net.ResolveTCPAddr("tcp4", addr)
		if err != nil {
			return -1, err
		}
		in := &syscall.SockaddrInet4{Port: tcp.Port}
		copy(in.Addr[:], tcp.IP.To4())
		sa = in
	}
	fd, err = syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("socket: %w", err)
	}
	for _, option := range []int{syscall.SO_RCVTIMEO, syscall.SO_SNDTIMEO} {
		if err := setTimeout(fd, option, setupTimeout); err != nil {
			syscall.Close(fd)
			return -1, err
		}
	}
	for _, do := range prepare {
		if err := do(fd); err != nil {
			syscall.Close(fd)
			return -1, fmt.Errorf("socket options: %w", err)
		}
	}
	for {
		err = syscall.Connect(fd, sa)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		syscall.Close(fd)
		return -1, fmt.Errorf("connect to %s: %w", addr, err)
	}
	if network != "unix" {
		syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
	}
	return fd, nil
}

// hangUp closes without leaving the local port in TIME_WAIT, of which tens of
// thousands would use up all ports there are.
func hangUp(fd int) {
	syscall.SetsockoptLinger(fd, syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1})
	syscall.Close(fd)
}

// setTimeout bounds how long a read (SO_RCVTIMEO) or a write (SO_SNDTIMEO) of
// a blocking descriptor waits; after it, the call fails with EAGAIN.
func setTimeout(fd, option int, d time.Duration) error {
	tv := syscall.NsecToTimeval(d.Nanoseconds())
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, option, &tv); err != nil {
		return fmt.Errorf("socket timeout: %w", err)
	}
	return nil
}

// writeAll writes to a blocking descriptor.
func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := syscall.Write(fd, b)
		if n > 0 {
			b = b[n:]
		}
		if err != nil && err != syscall.EINTR {
			return fmt.Errorf("write: %w", err)
		}
	}
	return nil
}

var errHungUp = errors.New("the server closed the connection")

// readSome reads from a blocking descriptor. Nothing within the timeout is
// zero bytes and no error.
func readSome(fd int, b []byte) (int, error) {
	for {
		n, err := syscall.Read(fd, b)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return 0, nil
		case err != nil:
			return 0, fmt.Errorf("read: %w", err)
		case n == 0:
			return 0, errHungUp
		default:
			return n, nil
		}
	}
}

// readReady reads from a descriptor that does not block. The scheduler is not
// told of the call, since it never waits, which saves a fifth of its cost.
func readReady(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return int(n), errno
}

// readAnswer is readReady for a connection that the server must not end. Nothing
// yet is zero bytes and no error.
func readAnswer(fd int, b []byte) (int, error) {
	n, errno := readReady(fd, b)
	switch {
	case errno == syscall.EAGAIN || errno == syscall.EINTR:
		return 0, nil
	case errno != 0:
		return 0, fmt.Errorf("read: %w", errno)
	case n == 0:
		return 0, errHungUp
	}
	return n, nil
}

// ask sends commands on a blocking descriptor and waits for their replies, one
// each. The first error among the replies is returned.
func ask(fd int, commands []byte, replies int) ([][]byte, error) {
	if err := writeAll(fd, commands); err != nil {
		return nil, err
	}
	var out [][]byte
	buf := make([]byte, 0, 16<<10)
	for len(out) < replies {
		n, err := replyLen(buf)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			if err := replyError(buf[:n]); err != nil {
				return nil, err
			}
			out = append(out, buf[:n:n])
			buf = buf[n:]
			continue
		}
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, 2*cap(buf)+16<<10), buf...)
		}
		n, err = readSome(fd, buf[len(buf):cap(buf)])
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, fmt.Errorf("no reply within %v", setupTimeout)
		}
		buf = buf[:len(buf)+n]
	}
	if len(buf) > 0 {
		return nil, fmt.Errorf("%w: more than %d replies: %.60q", errNotRESP, replies, buf)
	}
	return out, nil
}
