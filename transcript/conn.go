package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// patience is how long an expected byte may take. It only bounds a failure:
// a play that succeeds waits for nothing but the server.
const patience = 10 * time.Second

// A conn is one client of a play.
type conn struct {
	name string
	net  net.Conn
	in   *bufio.Reader
}

func dial(name, addr string) (*conn, error) {
	c, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, fmt.Errorf("connection %s: %w", name, err)
	}
	return &conn{name: name, net: c, in: bufio.NewReaderSize(c, 64<<10)}, nil
}

func (c *conn) send(bytes string) error {
	if err := c.net.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return fmt.Errorf("connection %s: %w", c.name, err)
	}
	if _, err := io.WriteString(c.net, bytes); err != nil {
		return fmt.Errorf("connection %s: %w", c.name, err)
	}
	return nil
}

func command(args ...string) string {
	var b strings.Builder
	b.WriteString("*" + strconv.Itoa(len(args)) + "\r\n")
	for _, a := range args {
		b.WriteString("$" + strconv.Itoa(len(a)) + "\r\n" + a + "\r\n")
	}
	return b.String()
}

// ask sends a command and takes one whole reply.
func (c *conn) ask(args ...string) (reply []byte, err error) {
	if err := c.send(command(args...)); err != nil {
		return nil, err
	}
	return c.reply()
}

func (c *conn) reply() (reply []byte, err error) {
	if err := c.net.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, fmt.Errorf("connection %s: %w", c.name, err)
	}
	_, _, err = readReply(func() (byte, error) {
		b, err := c.in.ReadByte()
		if err == nil {
			reply = append(reply, b)
		}
		return b, err
	})
	if err != nil {
		return reply, fmt.Errorf("connection %s: no whole reply, got %s: %w", c.name, quote(reply), err)
	}
	return reply, nil
}

// take reads what pattern describes.
func (c *conn) take(want pattern, known map[string]string, protocol int) (got []byte, err error) {
	if err := c.net.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, fmt.Errorf("connection %s: %w", c.name, err)
	}
	m := match{from: c.in, known: known, protocol: protocol}
	if err := m.pattern(want); err != nil {
		// The rest of what came makes the failure readable.
		return append(m.got, c.available(100*time.Millisecond)...), err
	}
	return m.got, nil
}

// available reads until nothing has come for the given time.
func (c *conn) available(silence time.Duration) []byte {
	var got []byte
	buf := make([]byte, 64<<10)
	for {
		if c.net.SetReadDeadline(time.Now().Add(silence)) != nil {
			return got
		}
		n, err := c.in.Read(buf)
		got = append(got, buf[:n]...)
		if err != nil {
			return got
		}
	}
}

// ended reads to the end of the connection and returns what came before it.
func (c *conn) ended() (rest []byte, err error) {
	if err := c.net.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, fmt.Errorf("connection %s: %w", c.name, err)
	}
	rest, err = io.ReadAll(c.in)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return rest, fmt.Errorf("connection %s: the server has not closed it", c.name)
	}
	// A reset is an end as well: the server closed with unread bytes.
	return rest, nil
}

// leave half-closes the connection and reads the rest, so that the server
// has let go of this client when it returns.
func (c *conn) leave() (rest []byte, err error) {
	defer func() { _ = c.net.Close() }()
	if half, ok := c.net.(*net.TCPConn); ok {
		if err := half.CloseWrite(); err != nil {
			return nil, nil // the server has closed it already
		}
	}
	return c.ended()
}
