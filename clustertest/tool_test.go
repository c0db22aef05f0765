package clustertest

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// A session is what an operator does to one cluster with redis-cli --cluster.
type session struct {
	t     *testing.T
	cli   string
	nodes []*node // all that may be named in what the tool prints

	members []*node // those of them that are in the cluster

	// said is what the tool printed, step by step, told as if all nodes were
	// called by letters, so that sessions with different servers compare.
	said []step

	sampled []int // the slots with samples
}

type step struct{ name, text string }

func newSession(t *testing.T, nodes []*node) *session {
	return &session{t: t, cli: redistest.Bin(t, "redis-cli"), nodes: nodes}
}

// run runs the tool and checks how it ends. Its answer to questions is yes.
func (s *session) run(name string, exit int, args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.cli, append([]string{"--cluster"}, args...)...)
	cmd.Stdin = strings.NewReader("yes\n")
	out, err := cmd.CombinedOutput()
	got := 0
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		require.NoError(s.t, err)
	}
	text := s.normal(string(out))
	require.Equal(s.t, exit, got, "%s: %q\n%s", name, args, out)
	s.said = append(s.said, step{name, text})
	return string(out)
}

var (
	colour  = regexp.MustCompile("\x1b\\[[0-9;]*m")
	waiting = regexp.MustCompile(`(?m)^[.#]*$\n?`)
)

// normal calls the nodes by letters and sorts the lines: in which order the
// tool looks at nodes depends on their ids.
func (s *session) normal(out string) string {
	var names []string
	for i, n := range s.nodes {
		letter := string(rune('A' + i))
		names = append(names, n.id, "<"+letter+">", n.id[:8]+"...", "<"+letter+">", n.addr, letter)
	}
	out = colour.ReplaceAllString(out, "")
	out = waiting.ReplaceAllString(strings.NewReplacer(names...).Replace(out), "")
	lines := strings.Split(out, "\n")
	slices.Sort(lines)
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

var (
	number = regexp.MustCompile(`\d+`)
	letter = regexp.MustCompile(`<?\b[A-Z]\b>?`)
	ranges = regexp.MustCompile(`(\[[-#]+\],?)+`)
)

// formOnly keeps of the last step what kinds of lines there were, where numbers
// and nodes depend on the ids, which are random: of several equal nodes the
// tool takes the first.
func (s *session) formOnly() {
	last := &s.said[len(s.said)-1]
	text := number.ReplaceAllString(last.text, "#")
	text = ranges.ReplaceAllString(letter.ReplaceAllString(text, "N"), "[#]")
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	last.text = strings.Join(slices.Compact(lines), "\n")
}

// create makes a cluster of the first nodes.
func (s *session) create(primaries int) {
	s.t.Helper()
	args := []string{"create"}
	for _, n := range s.nodes[:primaries] {
		args = append(args, n.addr)
	}
	s.run("create", 0, append(args, "--cluster-yes")...)
	s.members = slices.Clone(s.nodes[:primaries])
	s.agree()
}

func (s *session) agree() {
	s.t.Helper()
	agree(s.t, s.members)
}

// add takes a node into the cluster; the tool asks the other one about it.
func (s *session) add(name string, n, by *node) {
	s.t.Helper()
	s.run(name, 0, "add-node", n.addr, by.addr)
	s.members = append(s.members, n)
	s.agree()
}

// remove moves a node's slots to another one and takes it out.
func (s *session) remove(name string, n, heir *node) {
	s.t.Helper()
	s.run(name+" with slots", 1, "del-node", heir.addr, n.id)
	s.reshard("empty it", n, heir, owned([]*node{n})[0])
	s.formOnly()
	s.agree()
	s.run(name, 0, "del-node", heir.addr, n.id)
	s.members = slices.DeleteFunc(s.members, func(m *node) bool { return m == n })
	s.agree()
}

// reshard moves the lowest slots of one node to another.
func (s *session) reshard(name string, from, to *node, count int) {
	s.t.Helper()
	s.run(name, 0, "reshard", from.addr, "--cluster-from", from.id, "--cluster-to", to.id,
		"--cluster-slots", strconv.Itoa(count), "--cluster-pipeline", "1", "--cluster-yes")
}

// owned returns how many slots each of these nodes owns, as the first sees it.
func owned(nodes []*node) []int {
	counts := make([]int, len(nodes))
	m := slotsOf(nodes[0])
	for _, shard := range m {
		for i, n := range nodes {
			if strings.HasPrefix(shard, "{"+n.addr+" ") {
				counts[i]++
			}
		}
	}
	return counts
}
