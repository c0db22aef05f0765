package testcluster_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/testcluster"
)

// TestFailures: what cannot be done fails the test and says why.
func TestFailures(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(t testing.TB)
		want string // a part of the failure
	}{
		"no nodes": {
			do:   func(t testing.TB) { testcluster.Start(t, 0) },
			want: "1 to 31 nodes, not 0",
		},
		"a directive that does not exist": {
			do:   func(t testing.TB) { testcluster.Start(t, 1, testcluster.Directive("no-such-thing", "1")) },
			want: "no-such-thing",
		},
		"a directive of Start's": {
			do:   func(t testing.TB) { testcluster.Start(t, 1, testcluster.Directive("Port", "6379")) },
			want: "directive Port is not to be set",
		},
		"no such node": {
			do:   func(t testing.TB) { testcluster.Start(t, 1).Node(1) },
			want: "no node 1 among 1",
		},
		"no such slot": {
			do:   func(t testing.TB) { testcluster.Start(t, 1).Owner(16384) },
			want: "no slot 16384",
		},
		"to a node that is down": {
			do: func(t testing.TB) {
				c := testcluster.Start(t, 2)
				c.Node(1).Kill()
				c.MoveSlot(0, c.Node(1))
			},
			want: "moving slot 0 from node 0",
		},
		"a slot of nobody": {
			do: func(t testing.TB) {
				c := testcluster.Start(t, 2)
				for _, n := range c.Nodes() {
					_, err := n.Do("CLUSTER", "DELSLOTS", "7")
					require.NoError(t, err)
				}
				c.MoveSlot(7, c.Node(0))
			},
			want: "nobody owns slot 7",
		},
		"keys that are there": {
			do: func(t testing.TB) {
				c := testcluster.Start(t, 2)
				_, err := c.Node(1).Do("CLUSTER", "SETSLOT", "5061", "IMPORTING", c.Node(0).ID())
				require.NoError(t, err)
				_, err = c.Node(0).Do("SET", "bar", "1")
				require.NoError(t, err)
				_, err = c.Node(0).Do("MIGRATE", c.Node(1).Addr()[:9], c.Node(1).Addr()[10:], "bar", "0", "1000", "COPY")
				require.NoError(t, err)
				c.MoveSlot(barSlot, c.Node(1))
			},
			want: "BUSYKEY",
		},
		"a node that runs": {
			do:   func(t testing.TB) { testcluster.Start(t, 1).Node(0).Restart() },
			want: "restart of node 0",
		},
		"the failure of a node that is in reach": {
			do: func(t testing.TB) {
				c := testcluster.Start(t, 2)
				c.WaitFailed(c.Node(0))
			},
			want: "nobody will find node 0",
		},
		"named twice": {
			do: func(t testing.TB) {
				c := testcluster.Start(t, 2)
				c.Partition(c.Nodes(), c.Nodes()[1:])
			},
			want: "is named twice",
		},
		"an end that does not come": {
			do: func(t testing.TB) {
				c := testcluster.Start(t, 2, testcluster.WaitAtMost(5*soon))
				c.WaitDown(c.Node(0))
			},
			want: "waited 5s for nodes that do not serve: cluster_state of node 0",
		},
		"a cluster that will not be ready": {
			do: func(t testing.TB) {
				c := testcluster.Start(t, 3, testcluster.WaitAtMost(10*soon), testcluster.NodeTimeout(soon/4))
				c.Node(0).Kill()
				c.WaitFailed(c.Node(0))
				c.WaitReady()
			},
			want: "does not serve, cluster_state is fail",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure, _ := run(test.do)
			require.Contains(t, failure, "testcluster: ")
			require.Contains(t, failure, test.want)
		})
	}
}

// TestTheLogOfAFailure is in the output of the test that has failed, and in no
// other.
func TestTheLogOfAFailure(t *testing.T) {
	failure, logged := run(func(t testing.TB) { testcluster.Start(t, 2) })
	require.Empty(t, failure)
	require.Empty(t, logged)
	failure, logged = run(func(t testing.TB) {
		testcluster.Start(t, 2)
		t.Errorf("not as it should be")
	})
	require.Equal(t, "not as it should be", failure)
	require.Contains(t, logged, "Cluster state changed: ok")
	require.Contains(t, logged, "node=1")
	_, logged = run(func(t testing.TB) {
		testcluster.Start(t, 2, testcluster.Directive("loglevel", "warning"))
		t.Errorf("not as it should be")
	})
	require.NotContains(t, logged, "Cluster state changed: ok")
}
