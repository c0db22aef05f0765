package transcript

import (
	"fmt"
	"net"
	"strconv"
	"time"
)

// A play is one run through a file against one server, in one protocol.
type play struct {
	file     *File
	target   string
	protocol int
	// start gives the address of the process that a server step asks for,
	// or, with nil, that of the shared one.
	start func(s *Step) (addr string, err error)

	addr     string
	conns    map[string]*conn
	order    []string
	known    map[string]string
	markers  int
	compared int // exchanges whose reply was compared
}

// run plays the whole file. Its error names the line.
func (p *play) run() error {
	p.conns = map[string]*conn{}
	p.known = map[string]string{}
	defer p.abandon()
	for i := range p.file.Steps {
		s := &p.file.Steps[i]
		if !s.plays(p.target, p.protocol) {
			continue
		}
		if err := p.step(s); err != nil {
			return err
		}
	}
	return p.finish(nil)
}

func (p *play) step(s *Step) error {
	if err := p.do(s); err != nil {
		return p.at(s.Line, err)
	}
	held := 0
	for i := range s.expects {
		e := &s.expects[i]
		if !e.holds(p.target, p.protocol) {
			continue
		}
		held++
		if s.kind == ask && e.conn == s.conn {
			continue // do has compared it
		}
		if err := p.compare(e); err != nil {
			return err
		}
	}
	if held > 0 {
		p.compared++
	}
	return nil
}

func (p *play) at(line int, err error) error {
	return fmt.Errorf("%s:%d: %s, RESP%d: %w", p.file.Path, line, p.target, p.protocol, err)
}

func (p *play) compare(e *expectation) error {
	c, err := p.conn(e.conn)
	if err != nil {
		return p.at(e.line, err)
	}
	got, err := c.take(e.want, p.known, p.protocol)
	if err != nil {
		return p.at(e.line, fmt.Errorf("connection %s: %w\n want %s\n got  %s", e.conn, err, e.text, quote(got)))
	}
	return nil
}

// do carries out what the step says; it compares nothing, save for ask,
// quiet and closed, which are comparisons themselves.
func (p *play) do(s *Step) error {
	if s.kind == fresh {
		return p.server(s)
	}
	c, err := p.conn(s.conn)
	if err != nil {
		return err
	}
	switch s.kind {
	case send, ask:
		args := make([]string, len(s.words))
		for i, w := range s.words {
			if args[i], err = w.literalText(p.known); err != nil {
				return err
			}
		}
		if s.kind == ask {
			return p.until(s, c, args)
		}
		return c.send(command(args...))
	case raw:
		text, err := s.words[0].literalText(p.known)
		if err != nil {
			return err
		}
		return c.send(text)
	case quiet:
		return p.quiet(c)
	case hangUp:
		p.forget(s.conn)
		return unexpected(c.leave())
	case eof:
		p.forget(s.conn)
		rest, err := c.ended()
		_ = c.net.Close()
		return unexpected(rest, err)
	}
	return fmt.Errorf("no such step")
}

func unexpected(rest []byte, err error) error {
	if len(rest) > 0 {
		return fmt.Errorf("bytes that nobody expected: %s", quote(rest))
	}
	return err
}

// until asks again until the reply is the expected one. What it waits for
// is the passing of time in the server, which sends no word of it.
func (p *play) until(s *Step, c *conn, args []string) error {
	var want *expectation
	for i := range s.expects {
		if s.expects[i].conn == s.conn && s.expects[i].holds(p.target, p.protocol) {
			want = &s.expects[i]
		}
	}
	if want == nil {
		return fmt.Errorf("no expectation that could come true")
	}
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(patience); ; <-again.C {
		got, err := c.ask(args...)
		if err != nil {
			return err
		}
		m := match{known: p.known, protocol: p.protocol}
		if whole, _ := m.inMemory(want.want, string(got)); whole {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("never came true\n want %s\n got  %s", want.text, quote(got))
		}
	}
}

func (p *play) quiet(c *conn) error {
	p.markers++
	marker := "marker-" + strconv.Itoa(p.markers)
	got, err := c.ask("PING", marker)
	if err != nil {
		return err
	}
	bulk := "$" + strconv.Itoa(len(marker)) + "\r\n" + marker + "\r\n"
	if g := string(got); g != bulk && g != "*2\r\n$4\r\npong\r\n"+bulk {
		got = append(got, c.available(100*time.Millisecond)...)
		return fmt.Errorf("connection %s is not quiet: %s", c.name, quote(got))
	}
	return nil
}

// conn returns the named connection, opened at its first use.
func (p *play) conn(name string) (*conn, error) {
	if c := p.conns[name]; c != nil {
		return c, nil
	}
	if p.addr == "" {
		addr, err := p.start(nil)
		if err != nil {
			return nil, err
		}
		if err := p.serve(addr); err != nil {
			return nil, err
		}
		if err := awaitCluster(addr, ""); err != nil {
			return nil, err
		}
		if err := clean(addr); err != nil {
			return nil, err
		}
	}
	c, err := dial(name, p.addr)
	if err != nil {
		return nil, err
	}
	p.conns[name] = c
	p.order = append(p.order, name)
	if p.protocol == 3 {
		reply, err := c.ask("HELLO", "3")
		if err != nil {
			return nil, err
		}
		if reply[0] != '%' {
			return nil, fmt.Errorf("connection %s: HELLO 3 is answered with %s", name, quote(reply))
		}
	}
	return c, nil
}

func (p *play) forget(name string) {
	delete(p.conns, name)
	for i, n := range p.order {
		if n == name {
			p.order = append(p.order[:i], p.order[i+1:]...)
			return
		}
	}
}

// finish half-closes every connection and fails if one had more to say.
func (p *play) finish(s *Step) error {
	line := len(p.file.lines)
	if s != nil {
		line = s.Line
	}
	for len(p.order) > 0 {
		name := p.order[0]
		c := p.conns[name]
		p.forget(name)
		if err := unexpected(c.leave()); err != nil {
			return p.at(line, fmt.Errorf("at the end of connection %s: %w", name, err))
		}
	}
	return nil
}

func (p *play) abandon() {
	for _, c := range p.conns {
		_ = c.net.Close()
	}
}

func (p *play) serve(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address of the server: %w", err)
	}
	p.addr = addr
	p.known["port"] = port
	return nil
}
