package clusterstate

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// NodesConf is the content of the cluster configuration file, nodes.conf.
type NodesConf struct {
	Nodes         []NodeLine
	CurrentEpoch  uint64
	LastVoteEpoch uint64
}

// CorruptError says why a nodes.conf is refused.
type CorruptError struct {
	Line   int // from 1; 0 if it is the file as a whole
	Reason string
}

func (e *CorruptError) Error() string {
	if e.Line == 0 {
		return "nodes.conf: " + e.Reason
	}
	return fmt.Sprintf("nodes.conf line %d: %s", e.Line, e.Reason)
}

// ParseNodesConf reads a nodes.conf as Redis 7.0, Redis 7.2 or Valkey 8 write
// it. The error is a *CorruptError. An empty text is not a file but a fresh
// node, and refused here.
func ParseNodesConf(text []byte) (NodesConf, error) {
	p := confParser{known: make(map[NodeID]int)}
	for len(text) > 0 {
		p.line++
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		if err := p.parseLine(strings.TrimSuffix(string(line), "\r")); err != nil {
			return NodesConf{}, &CorruptError{p.line, err.Error()}
		}
	}
	if err := p.check(); err != nil {
		return NodesConf{}, err
	}
	return p.conf, nil
}

type confParser struct {
	conf   NodesConf
	line   int
	lines  []int          // line number of each node
	known  map[NodeID]int // index in conf.Nodes
	owners [Slots]NodeID
	myself bool
}

func (p *confParser) parseLine(line string) error {
	for i := range len(line) {
		if c := line[i]; c < ' ' && c != '\t' || c == 0x7f {
			return fmt.Errorf("expected text, found byte 0x%02x at column %d", c, i+1)
		}
	}
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return nil
	}
	if fields[0] == "vars" {
		return p.parseVars(fields[1:])
	}
	n, err := parseNodeLine(fields)
	if err != nil {
		return err
	}
	if _, twice := p.known[n.ID]; twice {
		return fmt.Errorf("node %s stands on two lines", n.ID)
	}
	if n.Has(LineMyself) {
		if p.myself {
			return fmt.Errorf("a second line is flagged myself")
		}
		p.myself = true
	}
	for _, r := range n.Slots {
		for s := int(r.Start); s <= int(r.End); s++ {
			if p.owners[s] != "" {
				return fmt.Errorf("slot %d is assigned to %s and to %s", s, p.owners[s], n.ID)
			}
			p.owners[s] = n.ID
		}
	}
	p.known[n.ID] = len(p.conf.Nodes)
	p.conf.Nodes = append(p.conf.Nodes, n)
	p.lines = append(p.lines, p.line)
	p.conf.CurrentEpoch = max(p.conf.CurrentEpoch, n.ConfigEpoch)
	return nil
}

func (p *confParser) parseVars(fields []string) error {
	if len(fields)%2 != 0 {
		return fmt.Errorf("vars: expected pairs of name and value, found %d words", len(fields))
	}
	for i := 0; i < len(fields); i += 2 {
		var to *uint64
		switch fields[i] {
		case "currentEpoch":
			to = &p.conf.CurrentEpoch
		case "lastVoteEpoch":
			to = &p.conf.LastVoteEpoch
		default:
			continue // a later version may keep more here
		}
		n, err := strconv.ParseUint(fields[i+1], 10, 64)
		if err != nil {
			return fmt.Errorf("vars: %s: expected a number, found %q", fields[i], fields[i+1])
		}
		*to = max(*to, n)
	}
	return nil
}

// check looks at what only the whole file shows.
func (p *confParser) check() error {
	if !p.myself {
		return &CorruptError{0, "no line is flagged myself"}
	}
	for i := range p.conf.Nodes {
		n := &p.conf.Nodes[i]
		refs := []NodeID{n.Primary}
		for _, o := range n.Migrating {
			refs = append(refs, o.Node)
		}
		for _, o := range n.Importing {
			refs = append(refs, o.Node)
		}
		for _, id := range refs {
			if _, ok := p.known[id]; id != "" && !ok {
				return &CorruptError{p.lines[i], fmt.Sprintf("names node %s, which has no line", id)}
			}
		}
	}
	return nil
}

// Append appends the file's text, in the form of Redis 7.2.
func (c *NodesConf) Append(b []byte) []byte {
	for i := range c.Nodes {
		b = c.Nodes[i].AppendFile(b)
		b = append(b, '\n')
	}
	b = append(b, "vars currentEpoch "...)
	b = strconv.AppendUint(b, c.CurrentEpoch, 10)
	b = append(b, " lastVoteEpoch "...)
	b = strconv.AppendUint(b, c.LastVoteEpoch, 10)
	return append(b, '\n')
}
