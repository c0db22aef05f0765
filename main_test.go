package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// program is the slotcast that these tests start, built once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "slotcast")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "slotcast")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// patience bounds every wait; it is only reached when something is broken.
const patience = 30 * time.Second

// process is a running slotcast.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	addr  string
	lines chan string // what it prints, closed at its end
	seen  []string
}

func freePort(t *testing.T) string {
	t.Helper()
	port, err := redistest.FreePort()
	require.NoError(t, err)
	return strconv.Itoa(port)
}

// start runs slotcast on a port with its files in dir.
func start(t *testing.T, dir, port string, args ...string) *process {
	t.Helper()
	return startWith(t, "127.0.0.1:"+port, append([]string{"--port", port, "--dir", dir}, args...)...)
}

// startWith runs slotcast with these arguments, with which it listens on addr.
func startWith(t *testing.T, addr string, args ...string) *process {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	return startCommand(t, addr, exec.Command(path, args...))
}

// startCommand runs a command that is, or becomes, slotcast on addr.
func startCommand(t *testing.T, addr string, cmd *exec.Cmd) *process {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = cmd.Stdout
	require.NoError(t, cmd.Start())
	p := follow(t, cmd, out)
	p.addr = addr
	return p
}

// follow reads what a process prints, and ends it with the test.
func follow(t *testing.T, cmd *exec.Cmd, out io.Reader) *process {
	p := &process{t: t, cmd: cmd, lines: make(chan string, 1000)}
	go func() { // ends with the process's output
		scan := bufio.NewScanner(out)
		for scan.Scan() {
			p.lines <- scan.Text()
		}
		close(p.lines)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	return p
}

// await returns the first line that contains text.
func (p *process) await(text string) string {
	p.t.Helper()
	for {
		select {
		case line, open := <-p.lines:
			require.True(p.t, open, "the process ended without %q:\n%s", text, strings.Join(p.seen, "\n"))
			p.seen = append(p.seen, line)
			if strings.Contains(line, text) {
				return line
			}
		case <-time.After(patience):
			require.Fail(p.t, "waited in vain", "for %q in\n%s", text, strings.Join(p.seen, "\n"))
		}
	}
}

// ended returns the exit status and all that was printed.
func (p *process) ended() (status int, output string) {
	p.t.Helper()
	for line := range p.lines {
		p.seen = append(p.seen, line)
	}
	p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode(), strings.Join(p.seen, "\n")
}

type client struct {
	net.Conn
	r *bufio.Reader
}

func (p *process) dial() *client {
	p.t.Helper()
	nc, err := net.Dial("tcp", p.addr)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { nc.Close() })
	require.NoError(p.t, nc.SetDeadline(time.Now().Add(patience)))
	return &client{nc, bufio.NewReader(nc)}
}

// do sends one command and returns the first line of the reply.
func (c *client) do(words ...string) (string, error) {
	if _, err := io.WriteString(c, strings.Join(words, " ")+"\r\n"); err != nil {
		return "", err
	}
	line, err := c.r.ReadString('\n')
	return strings.TrimSuffix(line, "\r\n"), err
}

func TestAReadableStart(t *testing.T) {
	port := freePort(t)
	p := start(t, t.TempDir(), port)
	p.await("Ready to accept connections")
	p.await("CLUSTER DELSLOTS 5461")
	all := strings.Join(p.seen, "\n")
	for _, want := range []string{
		"slotcast version=" + version, fmt.Sprintf(" PID: %d", p.cmd.Process.Pid), "16384 slots (0-16383)",
		"Server initialized", "127.0.0.1:" + port, "redis-cli -p " + port + " SUBSCRIBE __cluster-slots__",
	} {
		require.Contains(t, all, want)
	}
	reply, err := p.dial().do("PING")
	require.NoError(t, err)
	require.Equal(t, "+PONG", reply)
}

func TestAnotherProcessIsRefused(t *testing.T) {
	dir, port := t.TempDir(), freePort(t)
	start(t, dir, port).await("Ready to accept connections")

	status, out := start(t, dir, port).ended()
	require.NotZero(t, status)
	require.Contains(t, out, "in use by another process")

	status, out = start(t, t.TempDir(), port).ended()
	require.NotZero(t, status)
	require.Contains(t, out, "address already in use")

	status, out = start(t, dir, freePort(t), "--cluster-config-file", "nodes-"+port+".conf").ended()
	require.NotZero(t, status)
	require.Contains(t, out, "in use by another process")
}

func TestWaysToStop(t *testing.T) {
	for name, stop := range map[string]func(p *process){
		"SIGTERM":  func(p *process) { p.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGINT":   func(p *process) { p.cmd.Process.Signal(syscall.SIGINT) },
		"SHUTDOWN": func(p *process) { p.dial().do("SHUTDOWN", "NOSAVE") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p := start(t, dir, freePort(t), "--pidfile", "pid")
			p.await("Ready to accept connections")
			text, err := os.ReadFile(filepath.Join(dir, "pid"))
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("%d\n", p.cmd.Process.Pid), string(text))
			idle, busy := p.dial(), p.dial()
			_, err = busy.do("PING")
			require.NoError(t, err)
			stop(p)
			status, out := p.ended()
			require.Zero(t, status, out)
			require.Contains(t, out, "bye bye")
			_, err = io.ReadAll(idle)
			require.NoError(t, err, "connections are closed, not reset")
			require.NoFileExists(t, filepath.Join(dir, "pid"))
		})
	}
}

func TestFaultyStarts(t *testing.T) {
	dir := t.TempDir()
	conf := filepath.Join(dir, "redis.conf")
	require.NoError(t, os.WriteFile(conf, []byte("port 7000\n\nno-such-directive 1\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.conf"), []byte("this is no cluster file\n"), 0o644))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{conf}, "no-such-directive"},
		{[]string{"--cluster-enabled", "no"}, "cluster-enabled"},
		{[]string{"--appendonly", "yes"}, "appendonly"},
		{[]string{"--port", freePort(t), "--dir", dir, "--cluster-config-file", "broken.conf"}, "line 1"},
		{[]string{"--port", freePort(t), "--dir", filepath.Join(dir, "none")}, "none"},
	} {
		path, err := program()
		require.NoError(t, err)
		out, err := exec.Command(path, c.args...).CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%v: %s", c.args, out)
		require.Contains(t, string(out), c.want)
	}
}

func TestVersionAndHelp(t *testing.T) {
	path, err := program()
	require.NoError(t, err)
	out, err := exec.Command(path, "--version").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "slotcast v="+version)
	out, err = exec.Command(path, "--help").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "--directive value")
}

func TestUnixSocket(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, freePort(t), "--unixsocket", "s.sock", "--unixsocketperm", "700")
	p.await("Ready to accept connections addr=" + filepath.Join(dir, "s.sock"))
	nc, err := net.Dial("unix", filepath.Join(dir, "s.sock"))
	require.NoError(t, err)
	defer nc.Close()
	reply, err := (&client{nc, bufio.NewReader(nc)}).do("PING")
	require.NoError(t, err)
	require.Equal(t, "+PONG", reply)
	info, err := os.Stat(filepath.Join(dir, "s.sock"))
	require.NoError(t, err)
	require.EqualValues(t, 0o700, info.Mode().Perm())
}

// TestKilledAgainAndAgain kills the process with the last command acknowledged
// or under way, and finds each acknowledged change after the restart.
func TestKilledAgainAndAgain(t *testing.T) {
	dir, port := t.TempDir(), freePort(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	owned := map[int]bool{} // as acknowledged
	for slot := range 16384 {
		owned[slot] = true
	}
	epoch := 0
	for round := range 12 {
		p := start(t, dir, port)
		p.await("Ready to accept connections")
		c := p.dial()
		inFlight := -1
		check := func(slot int) bool {
			reply, err := c.do("CLUSTER", "ADDSLOTS", fmt.Sprint(slot))
			require.NoError(t, err)
			if reply != "+OK" {
				return true
			}
			reply, err = c.do("CLUSTER", "DELSLOTS", fmt.Sprint(slot))
			require.NoError(t, err)
			require.Equal(t, "+OK", reply)
			return false
		}
		for slot := range 20 {
			require.Equal(t, owned[slot], check(slot), "round %d slot %d", round, slot)
		}
		reply, err := c.do("CLUSTER", "BUMPEPOCH")
		require.NoError(t, err)
		var now int
		_, err = fmt.Sscanf(strings.Fields(reply)[1], "%d", &now)
		require.NoError(t, err)
		require.GreaterOrEqual(t, now, epoch, "an acknowledged epoch is not lost")
		epoch = now

		steps := rnd.IntN(15) + 1
		for step := range steps {
			slot := rnd.IntN(20)
			command := "ADDSLOTS"
			if owned[slot] {
				command = "DELSLOTS"
			}
			if step == steps-1 {
				// The last one is not waited for: it may or may not be there.
				_, err := fmt.Fprintf(c, "CLUSTER %s %d\r\n", command, slot)
				require.NoError(t, err)
				inFlight = slot
				break
			}
			reply, err := c.do("CLUSTER", command, fmt.Sprint(slot))
			require.NoError(t, err)
			require.Equal(t, "+OK", reply)
			owned[slot] = !owned[slot]
		}
		require.NoError(t, p.cmd.Process.Kill())
		p.ended()

		p = start(t, dir, port)
		p.await("Ready to accept connections")
		c = p.dial()
		owned[inFlight] = check(inFlight) // whichever it is, it stays
		require.NoError(t, p.cmd.Process.Kill())
		p.ended()
	}
}

// TestClientsCannotTakeAllFiles opens connections until no more are taken, and
// then has the cluster file saved.
func TestClientsCannotTakeAllFiles(t *testing.T) {
	path, err := program()
	require.NoError(t, err)
	port := freePort(t)
	p := startCommand(t, "127.0.0.1:"+port, exec.Command("sh", "-c", `ulimit -n 80; exec "$0" "$@"`, path, "--port", port, "--dir", t.TempDir()))
	p.await("maxclients is lowered")
	p.await("Ready to accept connections")
	first := p.dial()
	refused := 0
	for range 100 {
		c := p.dial()
		if line, err := c.do("PING"); err != nil || line != "+PONG" {
			refused++
		}
	}
	require.GreaterOrEqual(t, refused, 50)
	for _, command := range []string{"DELSLOTS", "ADDSLOTS"} {
		line, err := first.do("CLUSTER", command, "1")
		require.NoError(t, err)
		require.Equal(t, "+OK", line)
	}
}
