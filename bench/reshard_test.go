//go:build linux

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReshard runs a small reshard under the load of this binary (see
// loader_test.go), in both of its modes.
func TestReshard(t *testing.T) {
	binary, err := buildSlotcast(t.Context(), t.TempDir())
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	m := &reshard{
		client: loadClient{Name: "loader", Command: []string{self}, Resp: "3", Modes: []string{"off", "on"}},
		slots:  loadedSlots, timing: timing{Warmup: 300 * time.Millisecond},
	}
	r := &runner{
		contenders: []*contender{{Name: slotcastName, Command: slotcastCommand(binary)}, {Name: redisName}},
		rounds:     1, reference: redisName, progress: io.Discard,
	}
	res, err := r.run(t.Context(), m)
	require.NoError(t, err)
	require.Equal(t, "push off", res.reference)
	require.Len(t, res.rounds, 2)
	for _, one := range res.rounds {
		require.Empty(t, one.Error)
		for _, f := range m.figures() {
			require.Contains(t, one.Values, f.Key)
		}
		require.Zero(t, one.Values[keyErrors])
		require.Zero(t, one.Values[keyShards])
		require.Positive(t, one.Values[keyOperations])
		require.Positive(t, one.Values[keyMoves])
		require.GreaterOrEqual(t, one.Values[keyLatency+"max"], one.Values[keyLatency+"p99"])
		require.GreaterOrEqual(t, one.Values[keyLatency+"p99"], one.Values[keyLatency+"p50"])
	}
	off, on := res.of("push off")[0], res.of("push on")[0]
	require.Positive(t, off[keyMoved])
	require.InDelta(t, off[keyMoved], off[keySlots], 4, "each worker may be between the two")
	require.Zero(t, on[keySlots], "what is pushed is enough")

	var b strings.Builder
	printTable(&b, res)
	require.Contains(t, b.String(), "push on / push off")
	b.Reset()
	printMarkdown(&b, []*result{res})
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	require.Len(t, lines, 4)
	require.True(t, strings.HasPrefix(lines[0], "| client |  | MOVED saved | MOVED | ASK | CLUSTER SLOTS |"), lines[0])
	require.True(t, strings.HasPrefix(lines[2], "| loader | push off |  | "), lines[2])
	require.True(t, strings.HasPrefix(lines[3], "| loader | push on | "), lines[3])
	require.Contains(t, lines[3], " % | ")
}

// TestProgramsThatDoNotWork end the round with a word on why.
func TestProgramsThatDoNotWork(t *testing.T) {
	run := func(script string) error {
		p, err := startProgram(t.Context(), []string{"/bin/sh", "-c", script, "program"}, "load")
		if err != nil {
			return err
		}
		defer p.kill()
		if err := p.awaitLine(t.Context(), "loading"); err != nil {
			return err
		}
		_, err = p.finish(t.Context())
		return err
	}
	require.ErrorContains(t, run("echo no such library >&2; exit 3"), "exit status 3\nno such library")
	require.ErrorContains(t, run("exit 0"), "ended before its input did")
	require.ErrorContains(t, run("echo loading; cat; echo operations 1; exit 1"), "exit status 1")
	require.ErrorContains(t, run("echo loading; cat; echo operations 1"), `does not tell "errors"`)
	require.NoError(t, run("echo map 0-1 x; echo loading; cat; for word in operations errors p50 p99 max; do echo $word 1; done"))
	_, err := startProgram(t.Context(), []string{"/no/such/program"})
	require.Error(t, err)

	p, err := startProgram(t.Context(), []string{"/bin/sh", "-c", "echo loading; exit 0"})
	require.NoError(t, err)
	require.NoError(t, p.awaitLine(t.Context(), "loading"))
	require.ErrorContains(t, p.runFor(t.Context(), programPatience), "ended before its input did")
	p.kill()

	p, err = startProgram(t.Context(), []string{"/bin/sh", "-c", "yes complaint | head -c 100000 >&2; echo loading; cat & wait"})
	require.NoError(t, err)
	require.NoError(t, p.awaitLine(t.Context(), "loading"))
	require.LessOrEqual(t, len(p.complaints()), maxComplaints)
	p.kill() // with what it has started
}

func TestCounts(t *testing.T) {
	before, after := counts{}, counts{}
	require.NoError(t, before.add("# Errorstats\r\nerrorstat_MOVED:count=2\r\n"))
	for range 2 { // nodes
		require.NoError(t, after.add("# Errorstats\r\nerrorstat_ASK:count=3\r\nerrorstat_MOVED:count=5\r\nerrorstat_ERR:count=1\r\nerrorstat_TRYAGAIN:count=1\r\n"))
		require.NoError(t, after.add("# Commandstats\r\ncmdstat_get:calls=9,usec=9\r\ncmdstat_cluster|slots:calls=7,usec=1,usec_per_call=1.00\r\n"))
	}
	require.Equal(t, values{keyMoved: 8, keyAsk: 6, keyOtherErrors: 4, keySlots: 14, keyShards: 0, keyNodes: 0}, after.since(before))
	require.Error(t, after.add("errorstat_MOVED:count=x\r\n"))
}

func TestBulks(t *testing.T) {
	list, err := bulks([]byte("*2\r\n$1\r\na\r\n$0\r\n\r\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"a", ""}, list)
	list, err = bulks([]byte("*0\r\n"))
	require.NoError(t, err)
	require.Empty(t, list)
	for _, bad := range []string{"+OK\r\n", "*1\r\n:1\r\n", "*1\r\n$5\r\na\r\n", "*1\r\n$-1\r\n", "x"} {
		_, err := bulks([]byte(bad))
		require.Error(t, err, "%q", bad)
	}
}

func TestClientFlags(t *testing.T) {
	plan := planOf(t, "-measure", "reshard", "-client", "a=/bin/a -x", "-client", "b:off,smigrated=node b.js", "-slots", "7")
	require.Equal(t, loadClient{"a", []string{"/bin/a", "-x"}, "3", []string{"off", "on"}}, plan[0].(*reshard).client)
	require.Equal(t, loadClient{"b", []string{"node", "b.js"}, "3", []string{"off", "smigrated"}}, plan[1].(*reshard).client)
	require.Equal(t, "reshard, b: 7 slots of 16384 move one by one, 10000 keys", plan[1].title())
	var names []string
	for _, c := range plan[1].(*reshard).variants([]*contender{{Name: slotcastName}, {Name: "slotcast-before"}, {Name: redisName}}) {
		names = append(names, c.Name)
		require.Equal(t, []string{"--cluster-enabled", "yes"}, c.Command)
	}
	require.Equal(t, []string{"push off", "SMIGRATED", "slotcast-before push off", "slotcast-before SMIGRATED"}, names)
	for _, args := range [][]string{{"-client", "=b"}, {"-client", "a="}, {"-client", "a:loud=b"}, {"-slots", "5462"}} {
		_, err := parseFlags(append([]string{"-measure", "reshard"}, args...), io.Discard)
		require.Error(t, err, args)
	}
	o, err := parseFlags([]string{"-measure", "reshard"}, io.Discard)
	require.NoError(t, err)
	_, err = o.plan()
	require.ErrorContains(t, err, "no client")
	o, err = parseFlags([]string{"-measure", "reshard", "-client", "a,b", "-client", "c"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, o.libraries)
}

// TestLibraries finds the programs of compat, as far as they are installed.
func TestLibraries(t *testing.T) {
	list, err := compatPrograms(t.Context(), t.TempDir())
	if err != nil { // none is
		require.ErrorContains(t, err, "no library that has a load is here")
		return
	}
	for _, c := range list {
		require.NotEmpty(t, c.Name)
		require.NotEmpty(t, c.Command)
		require.Contains(t, []string{"2", "3"}, c.Resp)
		require.Contains(t, c.Modes, "off")
		program, err := exec.LookPath(c.Command[0])
		require.NoError(t, err)
		require.True(t, filepath.IsAbs(program), program)
	}
	o, err := parseFlags([]string{"-measure", "reshard", "-client", "no-such-library"}, io.Discard)
	require.NoError(t, err)
	require.ErrorContains(t, o.findClients(t.Context(), t.TempDir()), `"no-such-library" is none of`)
}
