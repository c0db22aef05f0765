package testcluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"slotcast/testcluster"
)

// Example tests a client's answer to a reshard: here a client that asks the node
// it knows and, if that is the wrong one, is told which one it is. In a test of
// yours the function is a TestXxx(t *testing.T), and the client is yours.
//
// On an ordinary machine Start takes an eighth of a second, most of it for the
// links between the nodes, and MoveSlot one to two milliseconds.
func Example() {
	run(func(t testing.TB) {
		c := testcluster.Start(t, 3)
		old, now := c.Owner(12182), c.Node(0) // the slot of the key foo
		fmt.Println(old.Do("SET", "foo", "bar"))

		c.MoveSlot(12182, now)
		_, err := old.Do("GET", "foo")
		fmt.Println(strings.Replace(err.Error(), now.Addr(), "<node 0>", 1))
		fmt.Println(now.Do("GET", "foo"))
	})
	// Output:
	// OK <nil>
	// MOVED 12182 <node 0>
	// bar <nil>
}

// A node that dies: its slots are not served until it is back, and then they are
// empty.
func ExampleNode_Kill() {
	run(func(t testing.TB) {
		c := testcluster.Start(t, 3, testcluster.NodeTimeout(time.Second))
		c.Node(2).Do("SET", "foo", "bar")

		c.Node(2).Kill()
		c.WaitDown(c.Node(0), c.Node(1))
		fmt.Println(c.Node(0).Do("GET", "foo"))

		c.Node(2).Restart()
		c.WaitReady()
		fmt.Println(c.Node(2).Do("GET", "foo"))
	})
	// Output:
	// <nil> CLUSTERDOWN The cluster is down
	// <nil> <nil>
}

// A node that is cut off: clients reach it, and it knows that it must not answer
// them.
func ExampleCluster_Partition() {
	run(func(t testing.TB) {
		c := testcluster.Start(t, 3, testcluster.NodeTimeout(time.Second))
		island := c.Node(2)

		c.Partition([]*testcluster.Node{island})
		c.WaitFailed(island)
		c.WaitDown(island)
		fmt.Println(island.Do("SET", "foo", "bar"))

		c.Heal()
		c.WaitReady()
		fmt.Println(island.Do("SET", "foo", "bar"))
	})
	// Output:
	// <nil> CLUSTERDOWN The cluster is down
	// OK <nil>
}
