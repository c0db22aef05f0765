//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// program is a process that puts load on a cluster, by a client library that is
// written in whatever language:
//
//	<program> load <addr> <resp> cluster <off|on|smigrated>
//
// Four workers of one client set and get keys load:0 to load:9999 until standard
// input ends. The program prints "loading" when all of them work, and at the end
// "operations N", "errors N", and "p50 N", "p99 N", "max N" in microseconds; on
// standard error what the errors were.
type program struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	lines  chan string
	exited chan struct{} // closed once the process was waited for
	err    error         // of the process; to be read after exited

	mu     sync.Mutex // guards stderr
	stderr bytes.Buffer
}

const (
	// programPatience bounds how long a program takes to begin and to end: some
	// have a virtual machine to start.
	programPatience = 60 * time.Second
	// maxComplaints bounds what is kept of standard error.
	maxComplaints = 4 << 10
)

// Write takes standard error.
func (p *program) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stderr.Write(b[:min(len(b), maxComplaints-p.stderr.Len())])
	return len(b), nil
}

func (p *program) complaints() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.TrimSpace(p.stderr.String())
}

func startProgram(ctx context.Context, command []string, args ...string) (*program, error) {
	p := &program{lines: make(chan string, 16), exited: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], args...)...)
	p.cmd.Stderr = p
	// A program may be a script that starts another: the group ends as a whole.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Cancel = p.killGroup
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.stdin = stdin
	go p.read(stdout) // ends with the process
	return p, nil
}

// said are the words that open the lines of a program. A recipe tells of changes
// of its map as well, and nobody waits for that.
var said = append([]string{"loading", "operations", "errors"}, clientQuantiles...)

// read hands on the lines of a program, and reaps the process.
func (p *program) read(stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if word, _, _ := strings.Cut(lines.Text(), " "); slices.Contains(said, word) {
			select {
			case p.lines <- lines.Text():
			default: // it says more than it should
			}
		}
	}
	io.Copy(io.Discard, stdout)
	p.err = p.cmd.Wait()
	close(p.lines)
	close(p.exited)
}

// failure is why the program has ended before its time.
func (p *program) failure() error {
	<-p.exited
	err := p.err
	if err == nil {
		err = errors.New("it ended before its input did")
	}
	return fmt.Errorf("%s: %w\n%s", strings.Join(p.cmd.Args, " "), err, p.complaints())
}

func (p *program) awaitLine(ctx context.Context, want string) error {
	late := time.NewTimer(programPatience)
	defer late.Stop()
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return p.failure()
			}
			if line == want {
				return nil
			}
		case <-late.C:
			return fmt.Errorf("%s: no line %q within %v\n%s", strings.Join(p.cmd.Args, " "), want, programPatience, p.complaints())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// runFor lets the load run.
func (p *program) runFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-p.exited:
		return p.failure()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// finish ends the program's input and returns the numbers that it tells.
func (p *program) finish(ctx context.Context) (map[string]float64, error) {
	p.stdin.Close()
	late := time.NewTimer(programPatience)
	defer late.Stop()
	told := map[string]float64{}
	for done := false; !done; {
		select {
		case line, ok := <-p.lines:
			if done = !ok; done {
				break
			}
			name, value, _ := strings.Cut(line, " ")
			if n, err := strconv.ParseFloat(value, 64); err == nil {
				told[name] = n
			}
		case <-late.C:
			return nil, fmt.Errorf("%s: it has not ended within %v\n%s", strings.Join(p.cmd.Args, " "), programPatience, p.complaints())
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	<-p.exited
	if p.err != nil {
		return nil, p.failure()
	}
	for _, name := range said[1:] {
		if _, is := told[name]; !is {
			return nil, fmt.Errorf("%s: it does not tell %q\n%s", strings.Join(p.cmd.Args, " "), name, p.complaints())
		}
	}
	return told, nil
}

// kill ends the process, if it has not ended.
func (p *program) kill() {
	p.stdin.Close()
	select {
	case <-p.exited: // its number may be another's by now
	default:
		p.killGroup()
	}
	<-p.exited
}

func (p *program) killGroup() error { return syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }
