//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// contender is a server to measure: a command that starts it, or the address
// of one that runs already.
type contender struct {
	Name    string   `json:"name"`
	Command []string `json:"command,omitempty"` // with {port}, {dir}, {unix} and {clients}
	Attach  string   `json:"attached_to,omitempty"`
	Version string   `json:"version"`
	pid     int      // of an attached server, zero when unknown
	mode    string   // of the client that is measured, if it has some
	base    string   // where its folder is made, empty for the usual place
	// files are put into its folder before it starts, by name, filled in like
	// the command; there, {bus} is the port of its cluster bus.
	files map[string]string
}

// instance is a running server.
type instance struct {
	contender *contender
	network   string // "tcp" or "unix", for subscribers and publishers
	addr      string
	host      string // always TCP, for redis-benchmark
	port      int
	pid       int
	stop      func()
	// quit ends a server that was started here by a signal, and returns what it
	// has written to its log. stop is to be called nevertheless.
	quit func(syscall.Signal) []byte
}

const (
	slotcastName = "slotcast"
	redisName    = "redis-server"
)

// slotcastCommand and redisCommand start the two without persistence; all else
// is as each has it by default, limits for slow consumers included. Redis runs
// outside cluster mode, which is the faster of its two.
func slotcastCommand(binary string) []string {
	return []string{binary, "--port", "{port}", "--bind", "127.0.0.1", "--unixsocket", "{unix}", "--dir", "{dir}",
		"--maxclients", "{clients}", "--loglevel", "warning"}
}

func redisCommand(binary string) []string {
	return []string{binary, "--port", "{port}", "--bind", "127.0.0.1", "--unixsocket", "{unix}", "--dir", "{dir}",
		"--maxclients", "{clients}", "--loglevel", "warning", "--save", "", "--appendonly", "no", "--daemonize", "no"}
}

// buildSlotcast compiles the tree that the working directory is in.
func buildSlotcast(ctx context.Context, dir string) (string, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "slotcast")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return binary, nil
}

// moduleRoot is the tree that the working directory is in.
func moduleRoot(ctx context.Context) (string, error) {
	gomod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(gomod))), nil
}

const (
	startTimeout = 20 * time.Second
	stopTimeout  = 10 * time.Second
	// startAttempts is how often a server is started anew when somebody took
	// its port between the choice and the bind.
	startAttempts = 5
)

// start runs the server in a directory of its own, ready for so many clients.
func (c *contender) start(ctx context.Context, clients int, unix bool) (*instance, error) {
	if c.Attach != "" {
		in := &instance{contender: c, network: "tcp", addr: c.Attach, pid: c.pid, stop: func() {}}
		host, port, err := net.SplitHostPort(c.Attach)
		if err == nil {
			in.host = host
			in.port, err = strconv.Atoi(port)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: address %q: %w", c.Name, c.Attach, err)
		}
		return in, in.identify()
	}
	var err error
	for range startAttempts {
		var in *instance
		if in, err = c.startOnce(ctx, clients, unix); err == nil {
			return in, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

func (c *contender) startOnce(ctx context.Context, clients int, unix bool) (*instance, error) {
	dir, err := os.MkdirTemp(c.base, "bench-*")
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	socket := filepath.Join(dir, "s")
	fill := strings.NewReplacer("{port}", strconv.Itoa(port), "{bus}", strconv.Itoa(port+busOffset),
		"{dir}", dir, "{unix}", socket, "{clients}", strconv.Itoa(clients))
	args := make([]string, len(c.Command))
	for i, a := range c.Command {
		args[i] = fill.Replace(a)
	}
	for name, text := range c.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fill.Replace(text)), 0o600); err != nil {
			os.RemoveAll(dir)
			return nil, err
		}
	}
	var log bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &log, &log
	if err := cmd.Start(); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	exited := make(chan struct{})
	go func() { // ends with the process
		cmd.Wait()
		close(exited)
	}()
	in := &instance{contender: c, network: "tcp", host: "127.0.0.1", port: port, pid: cmd.Process.Pid}
	in.addr = net.JoinHostPort(in.host, strconv.Itoa(port))
	if unix {
		in.network, in.addr = "unix", socket
	}
	in.stop = func() {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-exited:
		case <-time.After(stopTimeout):
			cmd.Process.Kill()
			<-exited
		}
		os.RemoveAll(dir)
	}
	in.quit = func(signal syscall.Signal) []byte {
		cmd.Process.Signal(signal)
		select {
		case <-exited:
			return log.Bytes()
		case <-time.After(stopTimeout):
			return nil
		}
	}
	if err := in.awaitReady(ctx, exited); err != nil {
		in.stop()
		if text := bytes.TrimSpace(log.Bytes()); len(text) > 0 {
			err = fmt.Errorf("%w\n%s", err, text)
		}
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return in, nil
}

// awaitReady returns once the server answers.
func (in *instance) awaitReady(ctx context.Context, exited <-chan struct{}) error {
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	late := time.After(startTimeout)
	for {
		err := in.identify()
		if err == nil {
			return nil
		}
		select {
		case <-poll.C:
		case <-exited:
			return errors.New("ended before it answered")
		case <-late:
			return fmt.Errorf("does not answer after %v: %w", startTimeout, err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// identify checks that the server answers, and asks for its version, which not
// every server tells.
func (in *instance) identify() error {
	fd, err := dial(in.network, in.addr)
	if err != nil {
		return err
	}
	defer hangUp(fd)
	if _, err := ask(fd, appendCommand(nil, "PING"), 1); err != nil {
		return err
	}
	if replies, err := ask(fd, appendCommand(nil, "INFO", "server"), 1); err == nil {
		in.contender.Version = versionOf(string(replies[0]))
	}
	return nil
}

// versionOf collects the names and versions that INFO gives.
func versionOf(info string) string {
	var parts []string
	for line := range strings.Lines(info) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok && (strings.HasSuffix(name, "_version") && name != "gcc_version" || name == "server_name") {
			parts = append(parts, name+" "+value)
		}
	}
	return strings.Join(parts, ", ")
}

// busOffset is how far a node's cluster bus is from its port.
const busOffset = 10000

// ownVersion is that of the program, of the versions that it names.
func (c *contender) ownVersion() string {
	own := ""
	for part := range strings.SplitSeq(c.Version, ", ") {
		name, value, _ := strings.Cut(part, "_version ")
		if own == "" || strings.HasPrefix(c.Name, name) && name != "redis" {
			own = value
		}
	}
	return own
}

// freePort picks a port that nobody has, below those that connections get by
// default, of which a measurement may need every one.
func freePort() (int, error) {
	for range 100 {
		port := 12000 + rand.IntN(20000)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			l.Close()
			return port, nil
		}
	}
	return 0, errors.New("no free port between 12000 and 32000")
}

// knows reports whether the server has the channels of a kind: those of the
// __cluster-slots__ family are slotcast's, of whatever version.
func (c *contender) knows(kind channelKind) bool {
	return !kind.slots || strings.HasPrefix(c.Name, slotcastName)
}
