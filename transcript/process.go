package transcript

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A process is a server that was started for a play.
type process struct {
	addr string
	cmd  *exec.Cmd
}

// stop ends the process and waits for its end.
func (p *process) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// startProcess runs a server in dir and returns once it accepts
// connections. A port that somebody else took meanwhile is tried again with
// another. Both servers print the words it waits for.
func startProcess(program, dir string, args []string) (*process, error) {
	var err error
	for range 5 {
		var port int
		if port, err = freePort(); err != nil {
			return nil, err
		}
		var p *process
		all := append([]string{"--port", strconv.Itoa(port), "--dir", dir}, args...)
		if p, err = startOnce(program, all); err == nil {
			p.addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
			return p, nil
		}
	}
	return nil, err
}

func startOnce(program string, args []string) (*process, error) {
	cmd := exec.Command(program, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	ready := make(chan string, 1)
	// The reader ends with the process, which closes the pipe; what comes
	// after the word is read and dropped, so that the process never blocks.
	go func() {
		var said strings.Builder
		lines := bufio.NewScanner(out)
		told := false
		for lines.Scan() {
			if told {
				continue
			}
			said.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), "Ready to accept connections") {
				told = true
				ready <- ""
			}
		}
		if !told {
			ready <- said.String()
		}
	}()
	p := &process{cmd: cmd}
	select {
	case said := <-ready:
		if said != "" || cmd.ProcessState != nil {
			p.stop()
			return nil, fmt.Errorf("%s %q did not start:\n%s", program, args, said)
		}
		return p, nil
	case <-time.After(patience):
		p.stop()
		return nil, fmt.Errorf("%s %q did not say that it is ready", program, args)
	}
}

// freePort finds a port of five digits, below the range that the system
// hands out, whose bus port is free as well.
func freePort() (int, error) {
	for range 100 {
		port := 10000 + rand.IntN(12000)
		if free(port) && free(port+10000) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port was found")
}

func free(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// alone is the cluster file of a node that owns every slot.
const alone = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa :0@0 myself,master - 0 0 0 connected 0-16383\n" +
	"vars currentEpoch 0 lastVoteEpoch 0\n"

// redisArgs makes redis-server what slotcast is by itself: a cluster of one
// that owns all slots, unless the file asks for an empty node.
func redisArgs(dir string, args []string, nodes string) ([]string, error) {
	out := []string{"--bind", "127.0.0.1", "--save", "", "--cluster-enabled", "yes", "--cluster-node-timeout", "3600000"}
	if nodes == "" && !strings.Contains(strings.Join(args, " "), "--cluster-enabled") {
		nodes = alone
	}
	return append(out, args...), writeNodes(dir, nodes)
}

func slotcastArgs(dir string, args []string, nodes string) ([]string, error) {
	out := []string{"--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "3600000"}
	return append(out, args...), writeNodes(dir, nodes)
}

func writeNodes(dir, nodes string) error {
	if nodes == "" {
		return nil
	}
	if err := os.WriteFile(filepath.Join(dir, "nodes.conf"), []byte(nodes), 0o600); err != nil {
		return fmt.Errorf("write the cluster file: %w", err)
	}
	return nil
}
