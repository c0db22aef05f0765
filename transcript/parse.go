package transcript

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var (
	connLine = regexp.MustCompile(`^([a-z][a-z0-9]*)(>>|~>|>|<2|<3|<) ?(.*)$`)
	connWord = regexp.MustCompile(`^([a-z][a-z0-9]*) (quiet|close|closed)$`)
	byTarget = regexp.MustCompile(`^(redis|slotcast)\s+(.*)$`)
	quotes   = regexp.MustCompile(`^"([^"]+)"$`)
)

// ParseFile reads and parses the transcript at path.
func ParseFile(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	return Parse(path, string(text))
}

// Parse reads a transcript. An error names the file and the line.
func Parse(path, text string) (*File, error) {
	p := parser{file: &File{Path: path, lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}}
	for p.at = 0; p.at < len(p.file.lines); p.at++ {
		if err := p.line(strings.TrimSpace(p.file.lines[p.at])); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, p.at+1, err)
		}
	}
	if len(p.blocks) > 0 {
		return nil, fmt.Errorf("%s: %q has no end", path, p.blocks[len(p.blocks)-1].line)
	}
	if p.file.Title == "" {
		return nil, fmt.Errorf("%s: a transcript opens with a comment on what it shows", path)
	}
	return p.file, nil
}

type parser struct {
	file    *File
	at      int // index of the line being read
	blocks  []block
	differs bool // the step at hand has a differs marker
	left    bool // the section of the step at hand has ended, or another begun
}

// A block is an open only or protocol section.
type block struct {
	line     string
	only     string
	protocol int
}

func (p *parser) line(line string) error {
	if comment, ok := strings.CutPrefix(line, "#"); ok {
		if p.file.Title == "" {
			p.file.Title = strings.TrimSpace(comment)
		}
		return nil
	}
	if line == "" {
		return nil
	}
	if p.file.Title == "" {
		return fmt.Errorf("a transcript opens with a comment on what it shows")
	}
	if found := connWord.FindStringSubmatch(line); found != nil {
		what := map[string]kind{"quiet": quiet, "close": hangUp, "closed": eof}[found[2]]
		return p.step(Step{kind: what, conn: found[1]})
	}
	if found := connLine.FindStringSubmatch(line); found != nil {
		return p.connection(found[1], found[2], found[3])
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "server":
		return p.server(rest)
	case "nodes":
		return p.nodes()
	case "only", "protocol":
		return p.open(word, rest)
	case "end":
		if len(p.blocks) == 0 {
			return fmt.Errorf("nothing is open that could end here")
		}
		p.blocks = p.blocks[:len(p.blocks)-1]
		p.left = true
		return nil
	case "differs":
		return p.marker(rest)
	}
	return fmt.Errorf("%q is no line of a transcript", line)
}

func (p *parser) connection(conn, sign, rest string) error {
	switch sign {
	case ">", "~>":
		args, err := words(rest)
		if err != nil {
			return err
		}
		if len(args) == 0 {
			return fmt.Errorf("no command")
		}
		return p.step(Step{kind: map[string]kind{">": send, "~>": ask}[sign], conn: conn, words: args})
	case ">>":
		bytes, err := wire(rest)
		if err != nil {
			return err
		}
		return p.step(Step{kind: raw, conn: conn, words: []pattern{bytes}})
	}
	return p.expect(conn, strings.TrimPrefix(sign, "<"), rest)
}

func (p *parser) step(s Step) error {
	s.Line, s.last = p.at+1, p.at+1
	for _, b := range p.blocks {
		if b.only != "" {
			s.only = b.only
		}
		if b.protocol != 0 {
			s.protocol = b.protocol
		}
	}
	p.differs, p.left = false, false
	p.file.Steps = append(p.file.Steps, s)
	return nil
}

func (p *parser) current() (*Step, error) {
	if len(p.file.Steps) == 0 {
		return nil, fmt.Errorf("there is no step before this line")
	}
	if p.left {
		return nil, fmt.Errorf("the step before this line is of another section")
	}
	return &p.file.Steps[len(p.file.Steps)-1], nil
}

func (p *parser) expect(conn, version, rest string) error {
	s, err := p.current()
	if err != nil {
		return err
	}
	e := expectation{line: p.at + 1, conn: conn, text: rest}
	switch version {
	case "2":
		e.protocol = 2
	case "3":
		e.protocol = 3
	}
	if found := byTarget.FindStringSubmatch(rest); found != nil {
		if !p.differs {
			return fmt.Errorf("an expectation of one target alone needs a differs line with its reason")
		}
		e.target, e.text = found[1], found[2]
	}
	if e.want, err = wire(e.text); err != nil {
		return err
	}
	s.last = p.at + 1
	if n := len(s.expects); n > 0 {
		before := &s.expects[n-1]
		if before.conn == e.conn && before.target == e.target && before.protocol == e.protocol {
			before.want = append(before.want, e.want...)
			before.text += " " + e.text
			return nil
		}
	}
	s.expects = append(s.expects, e)
	return nil
}

func (p *parser) server(rest string) error {
	s := Step{kind: fresh}
	if after, ok := strings.CutPrefix(rest, "state=fail"); ok {
		s.down, rest = true, after
	}
	args, err := words(rest)
	if err != nil {
		return err
	}
	for _, a := range args {
		text, err := a.literalText(nil)
		if err != nil {
			return err
		}
		s.args = append(s.args, text)
	}
	return p.step(s)
}

func (p *parser) nodes() error {
	s, err := p.current()
	if err != nil || s.kind != fresh {
		return fmt.Errorf("a cluster file belongs to the server line before it")
	}
	for p.at++; p.at < len(p.file.lines); p.at++ {
		line := strings.TrimSpace(p.file.lines[p.at])
		if line == "end" {
			s.last = p.at + 1
			return nil
		}
		s.nodes += line + "\n"
	}
	return fmt.Errorf("the cluster file has no end")
}

func (p *parser) open(word, rest string) error {
	b := block{line: word + " " + rest}
	switch {
	case word == "protocol" && rest == "2":
		b.protocol = 2
	case word == "protocol" && rest == "3":
		b.protocol = 3
	case word == "only" && rest == "slotcast":
		b.only = "slotcast"
	case word == "only" && strings.HasPrefix(rest, "redis "):
		b.only = "redis"
		found := quotes.FindStringSubmatch(strings.TrimPrefix(rest, "redis "))
		if found == nil {
			return fmt.Errorf("a section of Redis alone needs its reason in quotes")
		}
		p.file.Reasons = append(p.file.Reasons, found[1])
	default:
		return fmt.Errorf("no such section: %s %s", word, rest)
	}
	p.blocks = append(p.blocks, b)
	p.left = true
	return nil
}

func (p *parser) marker(rest string) error {
	found := quotes.FindStringSubmatch(rest)
	if found == nil {
		return fmt.Errorf("a difference needs its reason in quotes")
	}
	s, err := p.current()
	if err != nil {
		return err
	}
	s.last = p.at + 1
	p.differs = true
	p.file.Reasons = append(p.file.Reasons, found[1])
	return nil
}
