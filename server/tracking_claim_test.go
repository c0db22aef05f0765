package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/testcluster"
)

// TestASlotClaimedOverTheBusInvalidates has another node take a slot, keys and
// all, by an epoch that is greater: nobody has asked the node that loses it.
func TestASlotClaimedOverTheBusInvalidates(t *testing.T) {
	cluster := testcluster.Start(t, 3, testcluster.NodeTimeout(10*time.Minute))
	slot, err := cluster.Node(0).Do("CLUSTER", "KEYSLOT", "{k}1")
	require.NoError(t, err)
	owner := cluster.Owner(int(slot.(int64)))
	claimant := cluster.Node(0)
	if claimant == owner {
		claimant = cluster.Node(1)
	}
	do := func(n *testcluster.Node, args ...string) {
		t.Helper()
		_, err := n.Do(args...)
		require.NoError(t, err)
	}
	do(owner, "MSET", "{k}1", "v", "{k}2", "v", "{k}3", "v")
	reader := subscribe(t, owner, "HELLO 3\r\n", "CLIENT TRACKING ON\r\nMGET {k}1 {k}4\r\n",
		"+OK\r\n*2\r\n$1\r\nv\r\n_\r\n")
	listener := subscribe(t, owner, "HELLO 3\r\n", "CLIENT TRACKING ON BCAST PREFIX {k}1 PREFIX {k}3 PREFIX other\r\n", "+OK\r\n")
	do(claimant, "CLUSTER", "BUMPEPOCH")
	do(claimant, "CLUSTER", "SETSLOT", fmt.Sprint(slot), "NODE", claimant.ID())
	// The listener is told of keys that went with the slot, one message for each prefix.
	listener(push("{k}1") + push("{k}3"))
	reader(push("{k}1", "{k}4"))
}

// push is the invalidation of keys.
func push(keys ...string) string {
	b := fmt.Sprintf(">2\r\n$10\r\ninvalidate\r\n*%d\r\n", len(keys))
	for _, key := range keys {
		b += fmt.Sprintf("$%d\r\n%s\r\n", len(key), key)
	}
	return b
}

// subscribe says hello and what follows it, and compares what comes back, then
// and whenever the function that it returns is called.
func subscribe(t *testing.T, n *testcluster.Node, hello, then, want string) (expect func(string)) {
	t.Helper()
	c, err := net.Dial("tcp", n.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = io.WriteString(c, hello)
	require.NoError(t, err)
	in := bufio.NewReader(c)
	for line := ""; !strings.HasPrefix(line, "*0"); { // the list of modules ends it
		line, err = in.ReadString('\n')
		require.NoError(t, err)
	}
	expect = func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		_, err := io.ReadFull(in, got)
		require.NoError(t, err, "%q", got)
		require.Equal(t, want, string(got))
	}
	_, err = io.WriteString(c, then)
	require.NoError(t, err)
	expect(want)
	return expect
}
