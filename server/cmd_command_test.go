package server

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// newerCommands are those that redis-server 7.0.15 lacks, with the release
// that brought them, of Redis or of slotcast.
var newerCommands = map[string]string{
	"cluster|myshardid": "7.2.0",
	"client|setinfo":    "7.2.0",
	"client|no-touch":   "7.2.0",
	"waitaof":           "7.2.0",

	"client|maint_notifications": ownSince,
	"cluster|subscribe":          ownSince,
	"cluster|unsubscribe":        ownSince,
}

// absentCommands are subcommands of Redis that slotcast has no use for.
var absentCommands = map[string]bool{
	"acl|deluser": true, "acl|dryrun": true, "acl|getuser": true, "acl|list": true, "acl|load": true,
	"acl|log": true, "acl|save": true, "acl|setuser": true,
	"function|load": true,
	"module|load":   true, "module|loadex": true, "module|unload": true,
}

// node is one reply as a tree. kind is its type byte, or '0' for a null.
type node struct {
	kind  byte
	text  string
	items []node
}

func parseNode(t testing.TB, r *bufio.Reader) node {
	line, err := r.ReadString('\n')
	require.NoError(t, err)
	n := node{kind: line[0], text: strings.TrimSuffix(line[1:], "\r\n")}
	count, _ := strconv.Atoi(n.text)
	switch n.kind {
	case '$', '*':
		if count < 0 {
			return node{kind: '0'}
		}
	case '_':
		return node{kind: '0'}
	}
	switch n.kind {
	case '$', '=':
		body := make([]byte, count+2)
		for i := range body {
			body[i], err = r.ReadByte()
			require.NoError(t, err)
		}
		n.text = string(body[:count])
	case '%':
		count *= 2
		fallthrough
	case '*', '~', '>':
		n.text = ""
		for range count {
			n.items = append(n.items, parseNode(t, r))
		}
	}
	return n
}

func parseReply(t testing.TB, raw string) node {
	return parseNode(t, bufio.NewReader(strings.NewReader(raw)))
}

// String prints a tree on one line.
func (n node) String() string {
	switch n.kind {
	case '*', '~', '>', '%':
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = item.String()
		}
		return string(n.kind) + "(" + strings.Join(parts, " ") + ")"
	}
	return string(n.kind) + strconv.Quote(n.text)
}

// description brings a command's entry into a form in which two servers can
// agree: subcommands in one order, without those that only a newer release
// has, and remarks on keys without their wording.
func description(n node) node {
	if n.kind == '0' {
		return n
	}
	for i := range n.items[8].items {
		spec := n.items[8].items[i].items
		if spec[0].text == "notes" {
			spec[1].text = "…"
		}
	}
	subs := n.items[9]
	subs.items = slices.DeleteFunc(subs.items, func(s node) bool {
		name := s.items[0].text
		return newerCommands[name] != "" || absentCommands[name]
	})
	slices.SortFunc(subs.items, func(a, b node) int { return strings.Compare(a.items[0].text, b.items[0].text) })
	for i := range subs.items {
		subs.items[i] = description(subs.items[i])
	}
	n.items[9] = subs
	return n
}

// TestCommandsAreDescribedAsByRedis compares COMMAND INFO of every command.
func TestCommandsAreDescribedAsByRedis(t *testing.T) {
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
			want := description(parseReply(t, theirs.do("COMMAND", "INFO", cmd.name)).items[0])
			got := description(parseReply(t, ours.do("COMMAND", "INFO", cmd.name)).items[0])
			if want.String() != got.String() {
				t.Errorf("RESP%s, %s:\nredis    %v\nslotcast %v", protocol, cmd.name, want, got)
			}
		}
	}
}

// TestCommandFindsTheKeysThatRedisFinds compares GETKEYS and GETKEYSANDFLAGS,
// which have no effect, for arguments of every sort.
func TestCommandFindsTheKeysThatRedisFinds(t *testing.T) {
	redis := redistest.Start(t)
	s := startServer(t)
	cases := strings.Split(strings.TrimSpace(`
get
get a
get a b
set a b
set a b get
set a b nx GET ex 5
set a b ex get
ping x
nosuch x
cluster nosuch x
cluster info
config get x
watch a b
ssubscribe a b
spublish a b
mset a 1 b 2
mset a 1 b
bitop and a b c
bitfield a
bitfield a get u8 0
bitfield a get u8
bitfield a overflow sat get u8 0
bitfield a get u8 0 set u8 0 1
bitfield_ro a get u8 0
object encoding a
object help x
memory usage a
memory usage a samples 0
lcs a b
rename a b
copy a b
restore a 0 x
restore-asking a 0 x
dump a
function dump
migrate h 1 k 0 10
migrate h 1 '' 0 10
migrate h 1 '' 0 10 keys a b
migrate h 1 '' 0 10 copy REPLACE Keys x
migrate h 1 k 0 10 keys a b
migrate h 1 '' 0 10 keys
migrate h 1 '' 0 10 nope keys x
migrate h 1 '' 0 10 auth
migrate h 1 '' 0 10 auth keys a b
migrate h 1 '' 0 10 auth keys keys a b
migrate h 1 '' 0 10 auth2 a keys
migrate h 1 '' 0 10 auth2 keys keys keys a b
migrate h 1 '' 0
`), "\n")
	for _, protocol := range []string{"2", "3"} {
		theirs, ours := dialAddr(t, "tcp", redis.Addr), s.dial(t)
		theirs.do("HELLO", protocol)
		ours.do("HELLO", protocol)
		for _, line := range cases {
			words := strings.Fields(line)
			for i := range words {
				words[i] = strings.Trim(words[i], "'")
			}
			if s.commands.byName[words[0]] == nil && words[0] != "nosuch" {
				continue
			}
			for _, sub := range []string{"GETKEYS", "GETKEYSANDFLAGS"} {
				args := append([]string{"COMMAND", sub}, words...)
				want := theirs.do(args...)
				require.Equal(t, strconv.Quote(want), strconv.Quote(ours.do(args...)), "RESP%s, %s %s", protocol, sub, line)
			}
		}
	}
}

func TestUnknownCommandsAreNulls(t *testing.T) {
	redis := redistest.Start(t)
	theirs, ours := dialAddr(t, "tcp", redis.Addr), startServer(t).dial(t)
	args := []string{"COMMAND", "INFO", "nosuch", "GET", "config|nosuch", "get|x", "CLUSTER|Myid"}
	for _, protocol := range []string{"2", "3"} {
		theirs.do("HELLO", protocol)
		ours.do("HELLO", protocol)
		require.Equal(t, theirs.do(args...), ours.do(args...))
	}
}

func TestCommandListFilters(t *testing.T) {
	redis := redistest.Start(t)
	s := startServer(t)
	theirs, ours := dialAddr(t, "tcp", redis.Addr), s.dial(t)
	for _, filter := range [][]string{
		{"ACLCAT", "PubSub"}, {"ACLCAT", "transaction"}, {"ACLCAT", "nosuch"}, {"ACLCAT", "@pubsub"},
		{"PATTERN", "CLUSTER|*"}, {"PATTERN", "*subscribe"}, {"PATTERN", "none*"}, {"MODULE", "x"},
	} {
		args := append([]string{"COMMAND", "LIST", "FILTERBY"}, filter...)
		want, got := listed(t, theirs.do(args...)), listed(t, ours.do(args...))
		// Each server has commands that the other lacks.
		want = slices.DeleteFunc(want, func(name string) bool { return s.commands.named(name) == nil })
		got = slices.DeleteFunc(got, func(name string) bool { return newerCommands[name] != "" })
		require.Equal(t, want, got, "%q", filter)
	}
	for _, wrong := range [][]string{{"x"}, {"FILTERBY"}, {"FILTERBY", "x", "y"}, {"FILTERBY", "MODULE"}, {"FILTERBY", "MODULE", "x", "y"}} {
		args := append([]string{"COMMAND", "LIST"}, wrong...)
		require.Equal(t, theirs.do(args...), ours.do(args...), "%q", wrong)
	}
	all := listed(t, ours.do("COMMAND", "LIST"))
	require.Contains(t, all, "cluster|slots")
	count := parseReply(t, ours.do("COMMAND", "COUNT")).text
	require.Equal(t, fmt.Sprint(len(s.commands.all)), count)
	require.Len(t, parseReply(t, ours.do("COMMAND")).items, len(s.commands.all))
	require.Len(t, parseReply(t, ours.do("COMMAND", "INFO")).items, len(s.commands.all))
}

func listed(t testing.TB, reply string) []string {
	names := []string{}
	for _, n := range parseReply(t, reply).items {
		names = append(names, n.text)
	}
	slices.Sort(names)
	return names
}
