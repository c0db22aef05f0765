package localcluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/config"
)

func configs(t *testing.T, args string) []*config.Config {
	t.Helper()
	c, _, err := config.Load(strings.Fields(args), nil)
	require.NoError(t, err)
	list := make([]*config.Config, c.LocalCluster())
	for i := range list {
		list[i] = c.ForNode(i)
	}
	return list
}

// TestSharesAreThoseOfRedisCLI: what redis-cli --cluster create deals out to
// three and to five, and for any number every slot once, as even as can be.
func TestSharesAreThoseOfRedisCLI(t *testing.T) {
	deal := func(n int) (all []string) {
		for i := range n {
			r := share(i, n)
			all = append(all, fmt.Sprintf("%d-%d", r.Start, r.End))
		}
		return all
	}
	require.Equal(t, []string{"0-5460", "5461-10922", "10923-16383"}, deal(3))
	require.Equal(t, []string{"0-3276", "3277-6553", "6554-9829", "9830-13106", "13107-16383"}, deal(5))
	for n := 1; n <= config.MaxLocalCluster; n++ {
		next := 0
		for i := range n {
			r := share(i, n)
			require.EqualValues(t, next, r.Start)
			size := int(r.End) - int(r.Start) + 1
			require.InDelta(t, float64(clusterstate.Slots)/float64(n), size, 1)
			next = int(r.End) + 1
		}
		require.Equal(t, clusterstate.Slots, next)
	}
}

func TestEveryNodeHasTheSameMap(t *testing.T) {
	confs := form(configs(t, "--local-cluster 4 --port 7100 --cluster-announce-hostname h.example"))
	require.Len(t, confs, 4)
	for i, conf := range confs {
		parsed, err := clusterstate.ParseNodesConf(conf.Append(nil))
		require.NoError(t, err)
		require.EqualValues(t, 4, parsed.CurrentEpoch)
		require.Len(t, parsed.Nodes, 4)
		for j, line := range parsed.Nodes {
			require.Equal(t, i == j, line.Has(clusterstate.LineMyself))
			want := confs[0].Nodes[j]
			want.Flags, line.Flags = 0, 0
			require.Equal(t, want, line)
			require.EqualValues(t, j+1, line.ConfigEpoch)
			require.Equal(t, 7100+j, line.Port)
			require.Equal(t, 17100+j, line.BusPort)
			require.Equal(t, "h.example", line.Hostname)
		}
	}
}

func TestAddress(t *testing.T) {
	for args, want := range map[string]string{
		"":                              "127.0.0.1",
		"--bind *":                      "127.0.0.1",
		"--bind ::*":                    "::1",
		"--bind 10.0.0.1 ::1":           "10.0.0.1",
		"--bind * -10.0.0.1":            "10.0.0.1",
		"--cluster-announce-ip 1.2.3.4": "1.2.3.4",
	} {
		require.Equal(t, want, address(configs(t, "--local-cluster 1 "+args)[0].Values()), args)
	}
}
