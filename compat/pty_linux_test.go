package compat

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"slotcast/redistest"
)

// A terminal is a program that runs as if at a terminal: the test types, and
// reads what the program draws.
type terminal struct {
	t     *testing.T
	pty   *os.File
	drawn []byte // what no call of shows has taken yet
}

// openTerminal runs a program at a terminal of 24 lines and 100 columns.
func openTerminal(t *testing.T, program string, args ...string) *terminal {
	t.Helper()
	pty, tty := openPair(t)
	defer tty.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = append(os.Environ(), "TERM=xterm", "HOME="+t.TempDir()) // where its history goes
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &terminal{t: t, pty: pty}
}

// openPair opens the two ends of a pseudo-terminal; they close with the test.
func openPair(t *testing.T) (pty, tty *os.File) {
	t.Helper()
	fd, err := syscall.Open("/dev/ptmx", syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		lacking(t, "a pseudo-terminal", err)
	}
	pty = os.NewFile(uintptr(fd), "/dev/ptmx") // takes deadlines, as it does not block
	t.Cleanup(func() { pty.Close() })
	control := func(request uintptr, argument unsafe.Pointer) {
		t.Helper()
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), request, uintptr(argument))
		require.Zero(t, errno, "ioctl %#x: %v", request, errno)
	}
	var unlocked, number int32
	control(syscall.TIOCSPTLCK, unsafe.Pointer(&unlocked))
	control(syscall.TIOCGPTN, unsafe.Pointer(&number))
	size := struct{ rows, columns, width, height uint16 }{rows: 24, columns: 100}
	control(syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	return pty, tty
}

// send types a text.
func (tm *terminal) send(keys string) {
	tm.t.Helper()
	_, err := tm.pty.WriteString(keys)
	require.NoError(tm.t, err)
}

// colour is what a program sends to write in another colour or weight.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// shows waits until the program has drawn a text, in whatever colours, since
// the last one that was waited for.
func (tm *terminal) shows(text string) {
	tm.t.Helper()
	require.NoError(tm.t, tm.pty.SetReadDeadline(time.Now().Add(patience)))
	chunk := make([]byte, 4096)
	for {
		tm.drawn = colour.ReplaceAll(tm.drawn, nil)
		if _, after, found := bytes.Cut(tm.drawn, []byte(text)); found {
			tm.drawn = after
			return
		}
		n, err := tm.pty.Read(chunk)
		tm.drawn = append(tm.drawn, chunk[:n]...)
		require.NoError(tm.t, err, "waited for %q, the terminal shows %q", text, tm.drawn)
	}
}

// TestRedisCLIInteractive types at redis-cli's prompt, which learns its hints
// from COMMAND DOCS.
func TestRedisCLIInteractive(t *testing.T) {
	for _, protocol := range []string{"-2", "-3"} {
		t.Run(protocol, func(t *testing.T) {
			n := startNode(t)
			tm := openTerminal(t, redistest.Bin(t, "redis-cli"), "-p", strconv.Itoa(n.port), protocol)
			prompt := "127.0.0.1:" + strconv.Itoa(n.port) + "> "
			tm.shows(prompt)
			tm.send("set ")
			tm.shows("key value [NX|XX] [GET] [EX seconds|PX milliseconds|")
			tm.send("greeting hello\r")
			tm.shows("OK\r\n")
			tm.shows(prompt)
			tm.send("cluster setslot ")
			tm.shows("slot IMPORTING node-id|MIGRATING node-id|NODE node-id|STABLE")
			tm.send("5461 stable\r")
			tm.shows("OK\r\n")
			tm.shows(prompt)
			tm.send("get greeting\r")
			tm.shows("\"hello\"\r\n")
			tm.shows(prompt)
			tm.send("help getrange\r")
			tm.shows("GETRANGE key start end")
			tm.shows(prompt)
			tm.send("subscribe __cluster-slots__\r")
			tm.shows("3) (integer) 1\r\n")
			n.ok("CLUSTER", "DELSLOTS", "5461")
			tm.shows("3) 1) (integer) 5461\r\n   2) (integer) 5461\r\n")
			require.Contains(t, n.do("INFO", "commandstats"), "cmdstat_command|docs:calls=1,")
		})
	}
}
