// Package testcluster runs a real slotcast cluster inside a Go test, so that a
// client can be tested against what happens in a cluster: slots that move under
// it, nodes that die and come back, nodes that do not reach each other.
//
//	func TestMyClientFollowsAReshard(t *testing.T) {
//		c := testcluster.Start(t, 3)
//		client := mine.Connect(c.Addrs()...)
//		c.MoveSlot(5461, c.Node(0))
//		…
//	}
//
// The nodes are those of the slotcast program, on loopback ports that nobody
// else uses, in the test's own process: there is nothing to install and nothing
// left behind. The cluster ends with the test. Tests may run in parallel, each
// with clusters of its own.
//
// Nothing is simulated. Clients are redirected, told of moves over
// __cluster-slots__ and refused with CLUSTERDOWN for the reasons, and with the
// bytes, that a cluster of processes would have. So failures take their time: a
// node is found to have failed when it has not answered for the node timeout
// (see [NodeTimeout]), and one that comes back serves keys again after two
// seconds, as in Redis.
//
// Methods that cannot do what they were asked to, or that wait in vain, fail the
// test with Fatal; so they belong to the goroutine of the test, as Fatal does.
// [Node.Do] and what only tells something may be called by any goroutine. When
// the test has failed, the log of the nodes is in its output.
package testcluster
