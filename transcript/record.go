package transcript

import (
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
// varying parts afterwards; a play shows the places.
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
