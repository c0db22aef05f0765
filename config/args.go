package config

import (
	"strings"

	"slotcast/splitargs"
)

// commandLine is what the arguments ask for. It follows redis-server: a first
// argument without a leading dash is the configuration file, a dash alone in
// the first or the last place is standard input, and everything else is
// turned into lines that count after both.
type commandLine struct {
	action Action
	file   string
	stdin  bool
	lines  []string
}

func parseArgs(args []string) commandLine {
	var c commandLine
	if len(args) == 0 {
		return c
	}
	switch args[0] {
	case "-v", "--version":
		c.action = ShowVersion
		return c
	case "-h", "--help":
		c.action = ShowHelp
		return c
	}
	rest := args
	if !strings.HasPrefix(args[0], "-") {
		c.file = args[0]
		rest = args[1:]
	}
	var b optionLines
	// The name of the file takes the first place, so a dash after it counts as
	// standard input only if it is also the last argument.
	for i, arg := range rest {
		last := i == len(rest)-1
		if arg == "-" && (last || i == 0 && c.file == "") {
			c.stdin = true
			continue
		}
		b.add(arg, rest[i+1:])
	}
	c.lines = b.lines
	return c
}

// optionLines turns arguments into lines of configuration.
type optionLines struct {
	lines []string

	// needsValue is true after the bare name of a directive: what follows is
	// its value even if it begins with two dashes.
	needsValue bool
}

func (b *optionLines) add(arg string, next []string) {
	if b.needsValue || !strings.HasPrefix(arg, "--") {
		b.append(string(splitargs.AppendQuoted(nil, arg)) + " ")
		b.needsValue = false
		return
	}
	b.lines = append(b.lines, "")
	b.append(arg[2:] + " ")
	if words, ok := splitargs.Split([]byte(arg)); !ok || len(words) != 1 {
		return // "--port 7000" in one argument brings its value along
	}
	b.needsValue = true
	// A script that builds the line from an empty list leaves --save without a
	// value; that means no save points.
	if strings.EqualFold(arg, "--save") && (len(next) == 0 || strings.HasPrefix(next[0], "--")) {
		b.append(`""`)
		b.needsValue = false
	}
}

// append adds to the last line. An argument before any name makes a line of
// its own, which then fails as an unknown directive.
func (b *optionLines) append(s string) {
	if len(b.lines) == 0 {
		b.lines = append(b.lines, "")
	}
	b.lines[len(b.lines)-1] += s
}
