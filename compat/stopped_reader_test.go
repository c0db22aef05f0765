package compat

import (
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStoppedReader stops a client's process while rows are pushed: the server
// closes its connection and goes on. Once the process runs again it reads what
// it still had, connects anew by itself, and the snapshot gives it the map as
// it is by then.
func TestStoppedReader(t *testing.T) {
	var reader library
	for _, l := range goLibraries {
		if l.name == "go-redis-9" {
			reader = l
		}
	}
	const changes, snapshot = "__cluster-slots__", "__cluster-slots__:snapshot"
	n := startNode(t)
	n.ok("CONFIG", "SET", "client-output-buffer-limit", "pubsub 262144 0 0")
	c := client{reader, "3", "single", reader.command(t)}
	a := newAccount(c.start(t, "subscribe", n.addr, changes, snapshot))
	require.True(t, a.until(patience, a.confirmed(changes, snapshot)), a.story())

	require.NoError(t, a.cmd.Process.Signal(syscall.SIGSTOP))
	t.Cleanup(func() { _ = a.cmd.Process.Signal(syscall.SIGCONT) }) // or it could not be ended
	var scattered []string                                          // a row for each
	for slot := 0; slot < 16384; slot += 2 {
		scattered = append(scattered, strconv.Itoa(slot))
	}
	subscribed := func() bool { return strings.Contains(n.do("CLIENT", "LIST"), " sub=2 ") }
	require.True(t, subscribed())
	pushed := 0
	for subscribed() {
		require.Less(t, pushed, 1_000_000, "rows, and the connection is still there")
		n.ok(append([]string{"CLUSTER", "DELSLOTS"}, scattered...)...)
		n.ok(append([]string{"CLUSTER", "ADDSLOTS"}, scattered...)...)
		pushed += 2 * len(scattered)
	}
	n.ok("CLUSTER", "DELSLOTS", "5461")

	require.NoError(t, a.cmd.Process.Signal(syscall.SIGCONT))
	require.True(t, a.until(patience, func() bool { return len(a.payloads[snapshot]) == 2 }), a.errors)
	require.Less(t, len(a.payloads[changes]), pushed)
	w := &witness{dialNode(t, n.addr)}
	w.subscribe("__cluster-slots__:snapshot:json")
	_, want := w.message()
	require.Equal(t, want, a.payloads[snapshot][1])

	n.ok("CLUSTER", "ADDSLOTS", "5461")
	row := `[5461,5461,["127.0.0.1",{port},"{id}",{"config-epoch":"0"}]]`
	require.True(t, a.until(patience, a.has(changes, n.fill(row))))
	a.finishes()
}
