package clustertest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// A client is one connection to a node. It belongs to one goroutine.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

// errorReply is an error as the server words it, its code included.
type errorReply string

func dial(addr string) (*client, error) {
	conn, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, in: bufio.NewReader(conn)}, nil
}

func (c *client) close() { c.conn.Close() }

// do sends a command and returns its reply. err is a fault of the connection.
func (c *client) do(args ...string) (any, error) {
	if err := c.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	if err := c.send(args...); err != nil {
		return nil, err
	}
	return c.read()
}

func (c *client) send(args ...string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	_, err := io.WriteString(c.conn, b.String())
	return err
}

// read reads one reply or push of either protocol: a string, an int, nil, an
// errorReply or a list. A map is the list of its keys and values, as RESP2 has
// it.
func (c *client) read() (any, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(line[1:], "\r\n")
	switch line[0] {
	case '+':
		return text, nil
	case '-':
		return errorReply(text), nil
	case '_':
		return nil, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil, fmt.Errorf("expected a length or a number, got %q", line)
	}
	switch line[0] {
	case ':':
		return n, nil
	case '$', '=':
		if n < 0 {
			return nil, nil
		}
		bulk := make([]byte, n+2)
		if _, err := io.ReadFull(c.in, bulk); err != nil {
			return nil, err
		}
		if line[0] == '=' {
			return string(bulk[len("txt:"):n]), nil
		}
		return string(bulk[:n]), nil
	case '%':
		n *= 2
	case '*', '>', '~':
	default:
		return nil, fmt.Errorf("expected a reply, got %q", line)
	}
	if n < 0 {
		return nil, nil
	}
	list := make([]any, n)
	for i := range list {
		if list[i], err = c.read(); err != nil {
			return nil, err
		}
	}
	return list, nil
}
