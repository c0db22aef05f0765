// Command redis-cli-7 drives Debian's redis-cli; package compat says what it is
// asked to do and what it prints.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"

	driver "slotcast/compat/clients/go-common"
)

func main() { driver.Main(driver.Library{Connect: connect}) }

// A client is the words by which redis-cli is started.
type client []string

func connect(addr, resp, kind string) (driver.Client, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	c := client{"-h", host, "-p", port, "-" + resp, "--json"}
	if kind == "cluster" {
		c = append(c, "-c")
	}
	return c, nil
}

func (c client) command(words ...string) *exec.Cmd {
	cmd := exec.Command("redis-cli", slices.Concat(c, words)...)
	cmd.Stderr = os.Stderr
	return cmd
}

func (c client) run(words ...string) (text string, err error) {
	out, err := c.command(words...).Output()
	if err != nil {
		return "", err
	}
	return text, json.Unmarshal(out, &text)
}

func (c client) Set(key, value string) error {
	_, err := c.run("SET", key, value)
	return err
}

func (c client) Get(key string) (string, error) { return c.run("GET", key) }

// Subscribe reads what redis-cli prints for a person, one message on each line.
func (c client) Subscribe(channels []string, patterns bool) error {
	command := "SUBSCRIBE"
	if patterns {
		command = "PSUBSCRIBE"
	}
	cmd := c.command(append([]string{command}, channels...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	// It ends with this program, whose thread here it is tied to.
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		return err
	}
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return errors.Join(err, cmd.Wait())
		}
		if strings.HasPrefix(line, "Reading messages") {
			continue
		}
		if err := tell(line); err != nil {
			return err
		}
	}
}

func tell(line string) error {
	var m []any
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	switch {
	case len(m) == 3 && strings.HasSuffix(m[0].(string), "subscribe"):
		driver.Subscribed(m[1].(string))
	case len(m) == 3 && m[0] == "message":
		driver.Message(m[1].(string), m[2])
	case len(m) == 4 && m[0] == "pmessage":
		driver.PatternMessage(m[1].(string), m[2].(string), m[3])
	default:
		return fmt.Errorf("no message: %q", line)
	}
	return nil
}
