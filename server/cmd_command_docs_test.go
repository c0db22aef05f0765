package server

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// facts brings documentation into a form in which two servers can agree: its
// sentences are blanked, the history of a command left out, and subcommands
// stand in one order without those that only one of them has.
func facts(name string, n node) node {
	var kept []node
	for i := 0; i < len(n.items); i += 2 {
		key, value := n.items[i], n.items[i+1]
		switch key.text {
		case "history":
			continue
		case "summary", "complexity", "replaced_by":
			value.text = "…"
		case "subcommands":
			value = subcommandFacts(value)
		}
		kept = append(kept, key, value)
	}
	n.items = kept
	return n
}

func subcommandFacts(n node) node {
	type pair struct{ name, docs node }
	var pairs []pair
	for i := 0; i < len(n.items); i += 2 {
		if name := n.items[i].text; newerCommands[name] == "" && !absentCommands[name] {
			pairs = append(pairs, pair{n.items[i], facts(name, n.items[i+1])})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return strings.Compare(a.name.text, b.name.text) })
	n.items = nil
	for _, p := range pairs {
		n.items = append(n.items, p.name, p.docs)
	}
	return n
}

// TestDocsHaveTheArgumentsOfRedis compares COMMAND DOCS of every command.
func TestDocsHaveTheArgumentsOfRedis(t *testing.T) {
	redis := redistest.Start(t)
	s := startServer(t)
	for _, protocol := range []string{"2", "3"} {
		theirs, ours := dialAddr(t, "tcp", redis.Addr), s.dial(t)
		theirs.do("HELLO", protocol)
		ours.do("HELLO", protocol)
		for _, cmd := range s.commands.all {
			if newerCommands[cmd.name] != "" {
				continue
			}
			want := facts(cmd.name, parseReply(t, theirs.do("COMMAND", "DOCS", cmd.name)).items[1])
			got := facts(cmd.name, parseReply(t, ours.do("COMMAND", "DOCS", cmd.name)).items[1])
			if want.String() != got.String() {
				t.Errorf("RESP%s, %s:\nredis    %v\nslotcast %v", protocol, cmd.name, want, got)
			}
		}
	}
}

func TestEveryCommandIsDocumented(t *testing.T) {
	s := startServer(t)
	all := commandDocumentation()
	check := func(cmd *command) {
		d, ok := all[cmd.fullName]
		require.True(t, ok, "no line for %s", cmd.fullName)
		require.NotEmpty(t, d.summary, cmd.fullName)
		require.NotEmpty(t, cmd.group, cmd.fullName)
		require.Regexp(t, `^\d+\.\d+\.\d+$`, cmd.since, cmd.fullName)
	}
	for _, cmd := range s.commands.all {
		check(cmd)
		for _, sub := range cmd.subcommands {
			check(sub)
		}
	}
	c := s.dial(t)
	require.Len(t, parseReply(t, c.do("COMMAND", "DOCS")).items, 2*len(s.commands.all))
	c.want("*0\r\n", "COMMAND", "DOCS", "nosuch")
}

func TestDocLinesThatMakeNoSenseAreErrors(t *testing.T) {
	for _, line := range []string{
		"x | O(1)", "x | O(1) | y | [a", "x | O(1) | y | a(b|c", "x | O(1) | y | a{b", "x | O(1) | y | a)",
		"x | O(1) | y | - | remark", "x | O(1) | y | #0", "x | O(1) | y | a | deprecated 1.0.0 b | c",
	} {
		_, _, err := parseDocLine(line)
		require.Error(t, err, line)
	}
}
