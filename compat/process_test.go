package compat

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A process is a program whose output is read line by line while it runs. It
// ends with the test that started it.
type process struct {
	t     *testing.T
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser

	lines  chan string   // standard output; closed at its end
	unread chan struct{} // closed when nobody takes lines any more
	exited chan struct{} // closed once the process was waited for
	seen   []string      // the lines that the test has taken, for its failures

	// ignoreRest has all further lines dropped.
	ignoreRest func()

	mu  sync.Mutex // guards log
	log strings.Builder
}

// start runs a program.
func start(t *testing.T, program string, args ...string) *process {
	t.Helper()
	p := &process{
		t:      t,
		name:   strings.Join(append([]string{program}, args...), " "),
		cmd:    exec.Command(program, args...),
		lines:  make(chan string),
		unread: make(chan struct{}),
		exited: make(chan struct{}),
	}
	p.ignoreRest = sync.OnceFunc(func() { close(p.unread) })
	p.cmd.Stderr = p
	// A group of its own, so that what a script started ends with it.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start(), p.name)
	// Ends with the output, which ends with the process.
	go p.follow(stdout)
	t.Cleanup(func() {
		p.ignoreRest()
		p.stop()
	})
	return p
}

// Write keeps what the process says on standard error.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

func (p *process) errors() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// follow hands out the lines until they are to be ignored, drops the rest so
// that the process is never held up, and reaps the process.
func (p *process) follow(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			select {
			case p.lines <- strings.TrimRight(line, "\r\n"):
			case <-p.unread:
			}
		}
		if err != nil {
			break
		}
	}
	close(p.lines)
	_ = p.cmd.Wait()
	close(p.exited)
}

// next takes the next line; at the end of the output ok is false.
func (p *process) next() (line string, ok bool) {
	p.t.Helper()
	line, ok, inTime := p.within(patience)
	if !inTime {
		require.FailNow(p.t, "no further line", p.story())
	}
	return line, ok
}

// within takes the next line if it comes in time.
func (p *process) within(d time.Duration) (line string, ok, inTime bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case line, ok = <-p.lines:
	case <-timer.C:
		return "", false, false
	}
	if ok {
		p.seen = append(p.seen, line)
	}
	return line, ok, true
}

// expect takes as many lines as there are wanted ones and compares them.
func (p *process) expect(want ...string) {
	p.t.Helper()
	for _, w := range want {
		line, ok := p.next()
		require.True(p.t, ok, "the output ended before the line %q\n%s", w, p.story())
		require.Equal(p.t, w, line, p.story())
	}
}

// reaches takes lines until one holds these words; false if none does.
func (p *process) reaches(words string) bool {
	p.t.Helper()
	for {
		line, ok := p.next()
		if !ok || strings.Contains(line, words) {
			return ok
		}
	}
}

// rest takes all lines up to the end of the output and checks that the
// process ended well.
func (p *process) rest() []string {
	p.t.Helper()
	var rest []string
	for {
		line, ok := p.next()
		if !ok {
			break
		}
		rest = append(rest, line)
	}
	<-p.exited
	require.True(p.t, p.cmd.ProcessState.Success(), "%v\n%s", p.cmd.ProcessState, p.story())
	return rest
}

// finish ends the standard input of a process that ends with it, and checks
// that it has nothing more to say.
func (p *process) finish() {
	p.t.Helper()
	require.NoError(p.t, p.stdin.Close())
	require.Empty(p.t, p.rest(), p.story())
}

// stop ends the process, with what it started, if it still runs; one that does
// not heed SIGTERM is killed and reported.
func (p *process) stop() {
	select {
	case <-p.exited:
		return
	default:
	}
	_ = p.signal(syscall.SIGTERM)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		_ = p.signal(syscall.SIGKILL)
		<-p.exited
		p.t.Errorf("did not stop within %v: %s", patience, p.name)
	}
}

// signal reaches all processes of the group, of which the first has the
// number of the group.
func (p *process) signal(s syscall.Signal) error { return syscall.Kill(-p.cmd.Process.Pid, s) }

// story is what is known of the process, for a failure.
func (p *process) story() string {
	return p.name + " printed\n" + strings.Join(p.seen, "\n") + "\nand as errors\n" + p.errors()
}

// output runs a program that ends by itself, with this standard input, and
// returns what it printed on both outputs.
func output(t *testing.T, stdin, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(stdin)
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", program, strings.Join(args, " "), out)
	return string(out)
}
