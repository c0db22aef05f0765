package server

import (
	"fmt"
	"strings"
	"sync"
)

// docs is what docLines says of one command.
type docs struct {
	complexity, summary string
	arguments           []docArgument
	syscmd              bool
	deprecated, instead string // the release, and what to use since
}

// docArgument is an argument in COMMAND DOCS.
type docArgument struct {
	name, kind          string
	token               string
	hasToken            bool
	keySpec             string // the index of the key spec, of a key
	since, deprecated   string
	optional            bool
	multiple, multiWord bool
	arguments           []docArgument
}

// commandDocumentation is docLines, parsed when somebody asks for it.
var commandDocumentation = sync.OnceValue(func() map[string]docs {
	all := make(map[string]docs)
	for line := range strings.SplitSeq(strings.TrimSpace(docLines), "\n") {
		name, d, err := parseDocLine(line)
		if err != nil {
			// A test reads every line, so a mistake does not get here.
			panic("server: " + err.Error())
		}
		all[name] = d
	}
	return all
})

func parseDocLine(line string) (name string, d docs, err error) {
	fields := strings.Split(line, " | ")
	if len(fields) < 3 || len(fields) > 5 {
		return "", docs{}, fmt.Errorf("documentation line %q has %d fields", line, len(fields))
	}
	name, d = fields[0], docs{complexity: fields[1], summary: fields[2]}
	if d.complexity == "-" {
		d.complexity = ""
	}
	if len(fields) > 3 && fields[3] != "-" {
		p := docParser{rest: fields[3]}
		d.arguments = p.list(' ')
		if p.err == "" && p.rest != "" {
			p.fail("the end")
		}
		if p.err != "" {
			return "", docs{}, fmt.Errorf("documentation of %s: %s", name, p.err)
		}
	}
	if len(fields) == 5 {
		remark, rest, _ := strings.Cut(fields[4], " ")
		switch remark {
		case "syscmd":
			d.syscmd = true
		case "deprecated":
			d.deprecated, d.instead, _ = strings.Cut(rest, " ")
		default:
			return "", docs{}, fmt.Errorf("documentation of %s: unknown remark %q", name, remark)
		}
	}
	return name, d, nil
}

// docParser reads arguments. The first mistake ends it.
type docParser struct {
	rest string
	err  string
}

func (p *docParser) fail(wanted string) {
	if p.err == "" {
		p.err = fmt.Sprintf("%s expected at %q", wanted, p.rest)
		p.rest = ""
	}
}

// take removes a prefix if it is there.
func (p *docParser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

// word takes bytes up to one that has a meaning.
func (p *docParser) word() string {
	n := strings.IndexAny(p.rest, "#!=(){}|[]@~. +")
	if n < 0 {
		n = len(p.rest)
	}
	w := p.rest[:n]
	p.rest = p.rest[n:]
	return w
}

func (p *docParser) list(separator byte) (list []docArgument) {
	for p.rest != "" {
		list = append(list, p.argument())
		if !p.take(string(separator)) {
			break
		}
	}
	return list
}

func (p *docParser) argument() (a docArgument) {
	optional := p.take("[")
	w := p.word()
	if p.take("=") {
		a = p.value(p.word())
		a.token, a.hasToken = w, true
	} else {
		a = p.value(w)
	}
	if p.take("@") {
		a.since = p.release()
	}
	if p.take("~") {
		a.deprecated = p.release()
	}
	a.multiple = p.take("...")
	a.multiWord = p.take("+")
	if a.optional = optional; optional && !p.take("]") {
		p.fail("]")
	}
	return a
}

// value reads what follows a name.
func (p *docParser) value(name string) docArgument {
	a := docArgument{name: name, kind: "string"}
	switch {
	case name == "":
		p.fail("a name")
	case p.take("("):
		a.kind, a.arguments = "oneof", p.list('|')
		if !p.take(")") {
			p.fail(")")
		}
	case p.take("{"):
		a.kind, a.arguments = "block", p.list(' ')
		if !p.take("}") {
			p.fail("}")
		}
	case p.take("!"):
		a.kind, a.token, a.hasToken = "pure-token", p.word(), true
	case p.take("#"):
		a.kind, a.keySpec = "key", p.word()
	case name == strings.ToUpper(name):
		a.kind, a.name, a.token, a.hasToken = "pure-token", strings.ToLower(name), name, true
	default:
		base, kind, _ := strings.Cut(name, ":")
		if full := docTypes[kind]; full != "" {
			a.name, a.kind = base, full
		}
	}
	return a
}

var docTypes = map[string]string{"int": "integer", "double": "double", "pattern": "pattern", "time": "unix-time"}

// release takes digits and points; three points are no part of it.
func (p *docParser) release() string {
	n := 0
	for n < len(p.rest) && (p.rest[n] >= '0' && p.rest[n] <= '9' || p.rest[n] == '.' && !strings.HasPrefix(p.rest[n:], "...")) {
		n++
	}
	r := p.rest[:n]
	p.rest = p.rest[n:]
	return r
}
