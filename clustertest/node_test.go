package clustertest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// kind is which server a node is.
type kind string

const (
	slotcast kind = "slotcast"
	redis    kind = "redis-server"
	valkey9  kind = kind(redistest.Valkey9)
	redis8   kind = kind(redistest.Redis8)
)

// program finds the server, or builds it.
func (k kind) program(t testing.TB) string {
	t.Helper()
	switch k {
	case slotcast:
		path, err := slotcastProgram()
		require.NoError(t, err)
		return path
	case redis:
		return redistest.Bin(t, "redis-server")
	}
	return redistest.NewerBin(t, redistest.Newer(k))
}

// A node is a server process with its folder and port, which it keeps when it
// is killed and started again.
type node struct {
	t    testing.TB
	kind kind
	id   string
	port int
	addr string
	dir  string

	program string
	args    []string
	cmd     *exec.Cmd
	exited  chan struct{} // closed once the process was waited for

	admin *client // of the test's goroutine

	mu  sync.Mutex // guards log
	log strings.Builder
}

// launch starts a node with the cluster mode on and nothing in it.
func launch(t testing.TB, k kind, directives ...string) *node {
	t.Helper()
	n := &node{t: t, kind: k, program: k.program(t)}
	var err error
	// Another process may take the port between the choice and the bind.
	for range 5 {
		n.port, err = redistest.FreePort()
		require.NoError(t, err)
		n.addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(n.port))
		n.dir = t.TempDir()
		n.args = append([]string{
			"--port", strconv.Itoa(n.port), "--bind", "127.0.0.1", "--dir", n.dir, "--save", "",
			"--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--repl-ping-replica-period", "1", "--repl-diskless-sync-delay", "0",
		}, directives...)
		if err = n.start(); err == nil {
			t.Cleanup(n.end)
			n.id = n.text("CLUSTER", "MYID")
			return n
		}
	}
	require.NoError(t, err)
	return nil
}

func launchAll(t testing.TB, kinds []kind, directives ...string) []*node {
	nodes := make([]*node, len(kinds))
	for i, k := range kinds {
		nodes[i] = launch(t, k, directives...)
	}
	return nodes
}

// start runs the process, for the first time or again.
func (n *node) start() error {
	n.cmd = exec.Command(n.program, n.args...)
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	n.cmd.Stderr = n.cmd.Stdout
	if err := n.cmd.Start(); err != nil {
		return err
	}
	ready := make(chan struct{})
	n.exited = make(chan struct{})
	go n.follow(n.cmd, out, ready, n.exited) // ends with the process
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-ready:
	case <-n.exited:
		return fmt.Errorf("%s ended at once:\n%s", n.kind, n.logText())
	case <-timer.C:
		n.kill()
		return fmt.Errorf("%s is not ready:\n%s", n.kind, n.logText())
	}
	n.admin, err = dial(n.addr)
	return err
}

// follow keeps the output, tells readiness and reaps the process.
func (n *node) follow(cmd *exec.Cmd, out io.Reader, ready, exited chan<- struct{}) {
	lines := bufio.NewScanner(out)
	for told := false; lines.Scan(); {
		n.mu.Lock()
		n.log.WriteString(lines.Text() + "\n")
		n.mu.Unlock()
		if !told && strings.Contains(lines.Text(), "Ready to accept connections") {
			told = true
			close(ready)
		}
	}
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait()
	close(exited)
}

func (n *node) logText() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.log.String()
}

// kill ends the process as a crash does.
func (n *node) kill() {
	_ = n.cmd.Process.Kill()
	<-n.exited
}

// end ends the process, which must end well if it runs (a race detector that
// found something makes it end otherwise), and shows its log if the test has
// failed.
func (n *node) end() {
	if n.admin != nil {
		n.admin.close()
	}
	_ = n.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-n.exited:
	case <-timer.C:
		n.kill()
		n.t.Errorf("%s %s did not stop", n.kind, n.addr)
	}
	if state := n.cmd.ProcessState; state.ExitCode() > 0 {
		n.t.Errorf("%s %s: %v", n.kind, n.addr, state)
	}
	if n.t.Failed() {
		n.t.Logf("%s %s %s\n%s", n.kind, n.addr, n.id, n.logText())
	}
}

// do gives the node a command.
func (n *node) do(args ...string) any {
	n.t.Helper()
	reply, err := n.admin.do(args...)
	require.NoError(n.t, err, "%s %s: %q", n.kind, n.addr, args)
	return reply
}

// text gives a command whose reply is a string.
func (n *node) text(args ...string) string {
	n.t.Helper()
	reply := n.do(args...)
	text, is := reply.(string)
	require.True(n.t, is, "%s %s: %q gave %q", n.kind, n.addr, args, reply)
	return text
}

func (n *node) ok(args ...string) {
	n.t.Helper()
	require.Equal(n.t, "OK", n.do(args...), "%s %s: %q", n.kind, n.addr, args)
}

// info returns one field of CLUSTER INFO, empty if it is not there.
func (n *node) info(field string) string {
	n.t.Helper()
	for line := range strings.Lines(n.text("CLUSTER", "INFO")) {
		if value, is := strings.CutPrefix(line, field+":"); is {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
