package transcript

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// silence is how long the recorder waits for more. A play never waits like
// this: it knows what comes.
const silence = 60 * time.Millisecond

// slowest is how long it waits for the first word of the connection that
// spoke, which may have none to hear.
const slowest = 500 * time.Millisecond

// Record plays the transcript at path against redis-server in both protocols
// and writes what came back below every step that has no expectation yet.
// With all it first drops the expectations that hold nothing but bytes, so
// that they are recorded anew. What varies from run to run must be replaced by
// placeholders afterwards; a play shows the places.
func Record(path string, all bool) error {
	f, err := ParseFile(path)
	if err != nil {
		return err
	}
	if all {
		if f, err = Parse(path, f.withoutPlainExpectations()); err != nil {
			return err
		}
	}
	heard := map[*Step]map[int][]saying{}
	for _, protocol := range protocols {
		if err := f.listen(protocol, heard); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(f.with(heard)), 0o644)
}

// A saying is what one connection received after a step.
type saying struct {
	conn    string
	bytes   []byte
	shrinks bool // bytes is the integer reply of the largest value it can have
}

// steady gives the reply of TTL and PTTL the round value from which it
// shrinks, so that it is the same in every run.
func steady(s *Step, said []saying) []saying {
	if len(s.words) == 0 || len(said) != 1 {
		return said
	}
	name, err := s.words[0].literalText(nil)
	if err != nil || !strings.EqualFold(name, "TTL") && !strings.EqualFold(name, "PTTL") {
		return said
	}
	text, whole := strings.CutSuffix(string(said[0].bytes), "\r\n")
	n, err := atoi(strings.TrimPrefix(text, ":"))
	if !whole || err != nil || n < 10 {
		return said
	}
	unit := 1
	for n/unit >= 10 {
		unit *= 10
	}
	n = (n + unit - 1) / unit * unit
	return []saying{{conn: said[0].conn, bytes: []byte(strconv.Itoa(n)), shrinks: true}}
}

// listen plays the file once and notes what came where nothing is expected.
func (f *File) listen(protocol int, heard map[*Step]map[int][]saying) error {
	if !f.playable("redis", protocol) {
		return nil
	}
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	var ends []func()
	defer func() {
		for _, end := range slices.Backward(ends) {
			end()
		}
	}()
	p := play{file: f, target: "redis", protocol: protocol, conns: map[string]*conn{}, known: map[string]string{}}
	shared := ""
	p.start = func(s *Step) (string, error) {
		if s == nil && shared != "" {
			return shared, nil
		}
		dir, err := os.MkdirTemp("", "transcript")
		if err != nil {
			return "", fmt.Errorf("record: %w", err)
		}
		ends = append(ends, func() { _ = os.RemoveAll(dir) })
		var directive Step
		if s != nil {
			directive = *s
		}
		args, err := redisArgs(dir, directive.args, directive.nodes)
		if err != nil {
			return "", err
		}
		server, err := startProcess(program, dir, args)
		if err != nil {
			return "", err
		}
		ends = append(ends, server.stop)
		if s == nil {
			shared = server.addr
		}
		return server.addr, nil
	}
	defer p.abandon()
	for i := range f.Steps {
		s := &f.Steps[i]
		if !s.plays("redis", protocol) {
			continue
		}
		if len(s.expects) > 0 || s.kind == fresh || s.kind == quiet || s.kind == eof {
			if err := p.step(s); err != nil {
				return err
			}
			continue
		}
		if err := p.do(s); err != nil {
			return p.at(s.Line, err)
		}
		if heard[s] == nil {
			heard[s] = map[int][]saying{}
		}
		heard[s][protocol] = steady(s, p.collect(s.conn))
	}
	return p.finish(nil)
}

// collect reads from all connections, the one that spoke first, until none
// has more.
func (p *play) collect(first string) []saying {
	names := append([]string(nil), p.order...)
	sort.SliceStable(names, func(i, j int) bool { return names[i] == first && names[j] != first })
	said := map[string][]byte{}
	if c := p.conns[first]; c != nil && c.net.SetReadDeadline(time.Now().Add(slowest)) == nil {
		_, _ = c.in.Peek(1)
	}
	for more := true; more; {
		more = false
		for _, name := range names {
			got := p.conns[name].available(silence)
			said[name] = append(said[name], got...)
			more = more || len(got) > 0
		}
	}
	var out []saying
	for _, name := range names {
		if len(said[name]) > 0 {
			out = append(out, saying{conn: name, bytes: said[name]})
		}
	}
	return out
}

// with returns the file's text with what was heard written in.
func (f *File) with(heard map[*Step]map[int][]saying) string {
	below := map[int][]string{}
	for i := range f.Steps {
		s := &f.Steps[i]
		if by := heard[s]; by != nil {
			indent := f.lines[s.Line-1][:len(f.lines[s.Line-1])-len(strings.TrimLeft(f.lines[s.Line-1], " \t"))]
			for _, line := range expectationLines(by, s.protocol) {
				below[s.last] = append(below[s.last], indent+line)
			}
		}
	}
	var out []string
	for i, line := range f.lines {
		out = append(out, line)
		out = append(out, below[i+1]...)
	}
	return strings.Join(out, "\n") + "\n"
}

// expectationLines states what both protocols gave, once where it is equal.
func expectationLines(by map[int][]saying, only int) []string {
	var out []string
	if only != 0 {
		for _, s := range by[only] {
			out = append(out, said(s, "<")...)
		}
		return out
	}
	names := map[string]bool{}
	var order []string
	for _, protocol := range protocols {
		for _, s := range by[protocol] {
			if !names[s.conn] {
				names[s.conn] = true
				order = append(order, s.conn)
			}
		}
	}
	for _, name := range order {
		two, three := of(by[2], name), of(by[3], name)
		if bytes.Equal(two.bytes, three.bytes) {
			out = append(out, said(two, "<")...)
			continue
		}
		if len(two.bytes) > 0 {
			out = append(out, said(two, "<2")...)
		}
		if len(three.bytes) > 0 {
			out = append(out, said(three, "<3")...)
		}
	}
	return out
}

func of(said []saying, conn string) saying {
	for _, s := range said {
		if s.conn == conn {
			return s
		}
	}
	return saying{conn: conn}
}

// widest is the length of text after which a recorded line is broken.
const widest = 96

// said spells what a connection received. Text too wide for one line is
// broken between whole replies first, then between their elements, so that a
// string stays with its length.
func said(s saying, sign string) []string {
	if s.shrinks {
		return []string{fmt.Sprintf(`%s%s ":<%s%s>\r\n"`, s.conn, sign, atMostPrefix, s.bytes)}
	}
	if len(s.bytes) <= widest {
		return []string{s.conn + sign + " " + quote(s.bytes)}
	}
	var out []string
	var line []byte
	flush := func() {
		if len(line) > 0 {
			out = append(out, s.conn+sign+" "+quote(line))
			line = nil
		}
	}
	var open []int // elements still to come, of each array that is open
	for rest := s.bytes; len(rest) > 0; {
		n, inside := token(rest)
		if len(line)+n > widest || len(open) == 0 {
			flush()
		}
		line = append(line, rest[:n]...)
		rest = rest[n:]
		if inside > 0 {
			open = append(open, inside)
			continue
		}
		for len(open) > 0 {
			last := len(open) - 1
			if open[last]--; open[last] > 0 {
				break
			}
			open = open[:last]
		}
	}
	flush()
	return out
}

// token is the length of the first element in b, header and body, and for an
// array, map, set or push the number of elements inside.
func token(b []byte) (n, inside int) {
	n = bytes.Index(b, []byte("\r\n")) + 2
	if n < 3 {
		return len(b), 0
	}
	count, err := atoi(string(b[1 : n-2]))
	if err != nil || count < 0 {
		return n, 0
	}
	switch b[0] {
	case '$', '=', '!':
		return min(n+count+2, len(b)), 0
	case '*', '~', '>':
		return n, count
	case '%', '|':
		return n, 2 * count
	}
	return n, 0
}

// withoutPlainExpectations returns the file's text without the expectations
// of steps where all of them are plain bytes of every target.
func (f *File) withoutPlainExpectations() string {
	drop := map[int]bool{}
	for i := range f.Steps {
		s := &f.Steps[i]
		plain := s.only == "" && s.kind != ask && s.kind != fresh
		for j := range s.expects {
			plain = plain && s.expects[j].target == "" && !s.expects[j].want.varies()
		}
		if plain {
			for line := s.Line + 1; line <= s.last; line++ {
				drop[line] = connLine.MatchString(strings.TrimSpace(f.lines[line-1]))
			}
		}
	}
	var out []string
	for i, line := range f.lines {
		if !drop[i+1] {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n") + "\n"
}
