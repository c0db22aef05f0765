// Package redistest runs a real redis-server beside a test, so that what a
// test expects is what Redis does and not what its author remembers.
//
// Where the tool is not installed the test is skipped, except with CI=true in
// the environment: there a missing tool is a failure, because a skipped
// comparison proves nothing. Servers listen on 127.0.0.1 alone and end with
// the test that started them. Only tests import this package.
package redistest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// patience bounds every wait of this package. It is only reached when
	// something is broken, so it is generous to a loaded machine.
	patience = 20 * time.Second

	// busPortOffset is what Redis adds to the port for the cluster bus.
	busPortOffset = 10000

	// attempts is how often a server is started anew when another process
	// took its port between the choice and the bind.
	attempts = 5
)

// Server is a running redis-server.
type Server struct {
	Addr string // host:port to dial
	Port int    // the cluster bus, if enabled, is on Port+10000
	Dir  string // its working directory, removed with the test
	Pid  int

	cmd    *exec.Cmd
	exited chan struct{} // closed once the process was waited for

	mu  sync.Mutex // guards log
	log strings.Builder
}

// Bin returns the path of the tool called name, or skips the test (fails it
// where CI=true) if it is not on the PATH.
func Bin(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is needed for this test and not on the PATH: %v", name, err)
	}
	t.Skipf("%s is not on the PATH", name)
	return ""
}

// Start runs redis-server without persistence in a directory of its own and
// returns once it accepts connections. args are further directives in the form
// of its command line, such as "--cluster-enabled", "yes"; they win over the
// defaults. The server stops when the test ends.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	bin := Bin(t, "redis-server")
	var last error
	for range attempts {
		port, err := FreePort()
		if err != nil {
			t.Fatalf("choose a port: %v", err)
		}
		s, err := start(bin, port, t.TempDir(), args)
		if err == nil {
			t.Cleanup(func() { s.stop(t) })
			return s
		}
		last = err
		if !strings.Contains(err.Error(), "in use") {
			break
		}
	}
	t.Fatalf("start redis-server: %v", last)
	return nil
}

func start(bin string, port int, dir string, args []string) (*Server, error) {
	cmd := exec.Command(bin, append([]string{
		"--port", strconv.Itoa(port),
		"--bind", "127.0.0.1",
		"--save", "",
		"--dir", dir,
	}, args...)...)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &Server{
		Addr:   net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		Port:   port,
		Dir:    dir,
		Pid:    cmd.Process.Pid,
		cmd:    cmd,
		exited: make(chan struct{}),
	}
	ready := make(chan struct{})
	// Ends when the process closes its output, which stop sees to.
	go s.follow(out, ready)

	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-ready:
		return s, nil
	case <-s.exited:
		return nil, fmt.Errorf("ended at once (%v):\n%s", cmd.ProcessState, s.Log())
	case <-timer.C:
		_ = cmd.Process.Kill()
		<-s.exited
		return nil, fmt.Errorf("not ready after %v:\n%s", patience, s.Log())
	}
}

// follow keeps the output, announces readiness and reaps the process.
func (s *Server) follow(out io.Reader, ready chan<- struct{}) {
	lines := bufio.NewScanner(out)
	announced := false
	for lines.Scan() {
		s.mu.Lock()
		s.log.WriteString(lines.Text() + "\n")
		s.mu.Unlock()
		if !announced && strings.Contains(lines.Text(), "Ready to accept connections") {
			announced = true
			close(ready)
		}
	}
	// A line too long for the scanner must not block the server's writes.
	_, _ = io.Copy(io.Discard, out)
	_ = s.cmd.Wait()
	close(s.exited)
}

// Log returns what the server has printed so far.
func (s *Server) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// stop ends the server; one that does not heed SIGTERM is killed.
func (s *Server) stop(t testing.TB) {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-s.exited:
	case <-timer.C:
		_ = s.cmd.Process.Kill()
		<-s.exited
		t.Errorf("redis-server did not stop within %v:\n%s", patience, s.Log())
	}
}

// Exchange sends request on a connection of its own, shuts down the sending
// side and returns all that the server answered until it closed the
// connection. A request that Redis takes as incomplete is therefore answered
// with nothing, and no test has to wait to see that no answer comes.
//
// It is for answers of up to 16 KiB: Redis gives up what it has not written yet
// when it sees the end of the request.
func (s *Server) Exchange(t testing.TB, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatalf("dial redis-server: %v", err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatalf("send to redis-server: %v", err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatalf("end of request to redis-server: %v", err)
	}
	reply, err := io.ReadAll(conn)
	if err != nil {
		t.Fatalf("read from redis-server after %q: %v", reply, err)
	}
	return string(reply)
}

// FreePort returns a port on which, at this moment, both it and its cluster
// bus port are free. Both are below those that the system gives to outgoing
// connections, of which tests beside this one have many.
func FreePort() (int, error) {
	for range 100 {
		port := 10100 + rand.IntN(12000)
		if portIsFree(port) && portIsFree(port+busPortOffset) {
			return port, nil
		}
	}
	return 0, errors.New("no free port among a hundred")
}

func portIsFree(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return l.Close() == nil
}
