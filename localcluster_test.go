package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// freePorts finds so many ports in a row that are free, and whose bus ports are.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	free := func(port int) bool {
		for _, p := range []int{port, port + 10000} {
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p)))
			if err != nil {
				return false
			}
			l.Close()
		}
		return true
	}
search:
	for range 200 {
		base := 10000 + rand.IntN(12000) // with the bus below what the system gives out
		for i := range n {
			if !free(base + i) {
				continue search
			}
		}
		return base
	}
	require.Fail(t, "no free ports")
	return 0
}

// startLocal starts a cluster whose state is in memory.
func startLocal(t *testing.T, nodes int, args ...string) (*process, int) {
	port := freePorts(t, nodes)
	args = append([]string{"--local-cluster", strconv.Itoa(nodes), "--port", strconv.Itoa(port)}, args...)
	return startWith(t, fmt.Sprintf("127.0.0.1:%d", port), args...), port
}

func TestALocalClusterGreets(t *testing.T) {
	p, port := startLocal(t, 3)
	p.await("Move:")
	all := strings.Join(p.seen, "\n")
	for i, slots := range []string{"5461 slots (0-5460)", "5462 slots (5461-10922)", "5461 slots (10923-16383)"} {
		require.Regexp(t, fmt.Sprintf(`\* 127\.0\.0\.1:%d  node [0-9a-f]{40}, %s`, port+i, strings.NewReplacer("(", `\(`, ")", `\)`).Replace(slots)), all)
	}
	require.Contains(t, all, "Ready to accept connections: a cluster of 3 nodes")
	require.Len(t, p.seen, 8, "a line for each node, and no more than is needed:\n%s", all)
	reply, err := p.dial().do("PING")
	require.NoError(t, err)
	require.Equal(t, "+PONG", reply)
}

func TestWaysToStopALocalCluster(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			p, port := startLocal(t, 2)
			p.await("Move:")
			require.NoError(t, p.cmd.Process.Signal(sig))
			status, out := p.ended()
			require.Zero(t, status, out)
			require.Contains(t, out, "bye bye")
			_, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port+1))
			require.Error(t, err)
		})
	}
	t.Run("SHUTDOWN of all", func(t *testing.T) {
		p, port := startLocal(t, 2)
		p.await("Move:")
		for i := range 2 {
			p.addr = fmt.Sprintf("127.0.0.1:%d", port+i)
			p.dial().do("SHUTDOWN", "NOSAVE")
		}
		status, out := p.ended()
		require.Zero(t, status, out)
		require.Contains(t, out, "all nodes were shut down by clients")
	})
}

func TestALocalClusterThatCannotStart(t *testing.T) {
	first, port := startLocal(t, 2)
	first.await("Move:")
	status, out := startWith(t, "", "--local-cluster", "2", "--port", strconv.Itoa(port)).ended()
	require.NotZero(t, status)
	require.Contains(t, out, "address already in use")
	require.Contains(t, out, "consecutive ports")
}

// TestTheLinesToCopy: what the greeting says to try does what it says.
func TestTheLinesToCopy(t *testing.T) {
	redistest.Bin(t, "redis-cli")
	p, port := startLocal(t, 3)
	lines := map[string]string{}
	for _, what := range []string{"Keys: ", "Listen: ", "Move: "} {
		_, command, found := strings.Cut(p.await(what), what)
		require.True(t, found)
		lines[what] = strings.TrimSpace(command)
	}
	run := func(command string) string {
		t.Helper()
		out, err := exec.Command("sh", "-c", command).CombinedOutput()
		require.NoError(t, err, "%s\n%s", command, out)
		return string(out)
	}
	require.Equal(t, "OK\n", run(lines["Keys: "]))

	listen := exec.Command("sh", "-c", "exec "+lines["Listen: "])
	out, err := listen.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, listen.Start())
	heard := follow(t, listen, out)
	heard.await("1") // the confirmation, whose last line is the number of channels

	moved := run(lines["Move: "])
	require.Contains(t, moved, "Moving slot 9 from")
	for slot := range 10 {
		heard.await(fmt.Sprint(slot))
	}
	require.Contains(t, run(fmt.Sprintf("redis-cli --cluster check 127.0.0.1:%d", port)), "[OK] All 16384 slots covered")
	require.Equal(t, "hello\n", run(fmt.Sprintf("redis-cli -c -p %d GET greeting", port+1)))
}
