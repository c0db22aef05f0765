package testcluster

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// Error is an error that a node has answered, its code included: "MOVED 5461
// 127.0.0.1:10241".
type Error string

func (e Error) Error() string { return string(e) }

// conn is a connection for commands. It speaks RESP2.
type conn struct {
	net.Conn
	in       *bufio.Reader
	patience time.Duration // for a reply
}

func dial(addr, password string, patience time.Duration) (*conn, error) {
	nc, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	c := &conn{nc, bufio.NewReader(nc), patience}
	if password != "" {
		if _, err := c.do("AUTH", password); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

func (c *conn) close() { c.Conn.Close() }

func (c *conn) do(args ...string) (any, error) {
	if err := c.SetDeadline(time.Now().Add(c.patience)); err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	if _, err := io.WriteString(c, b.String()); err != nil {
		return nil, err
	}
	reply, err := c.read()
	if err != nil {
		return nil, err
	}
	if e, is := reply.(Error); is {
		return nil, e
	}
	return reply, nil
}

// read reads one reply. Errors inside of one are elements of it.
func (c *conn) read() (any, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(line[1:], "\r\n")
	switch line[0] {
	case '+':
		return text, nil
	case '-':
		return Error(text), nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("expected a reply, got %q", line)
	}
	switch {
	case line[0] == ':':
		return n, nil
	case n < 0:
		return nil, nil
	case line[0] == '$':
		bulk := make([]byte, n+2)
		if _, err := io.ReadFull(c.in, bulk); err != nil {
			return nil, err
		}
		return string(bulk[:n]), nil
	case line[0] == '*':
		list := make([]any, n)
		for i := range list {
			if list[i], err = c.read(); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return nil, fmt.Errorf("expected a reply, got %q", line)
}
