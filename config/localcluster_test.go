package config

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLocalCluster(t *testing.T) {
	c, _, err := load(t, "--local-cluster 5 --loglevel verbose")
	require.NoError(t, err)
	require.Equal(t, 5, c.LocalCluster())
	require.Equal(t, 7001, c.Values().Port)
	require.True(t, c.Given("loglevel"))
	require.False(t, c.Given("port"))
	require.False(t, c.Given("dir"))
	fifth := c.ForNode(4)
	require.Equal(t, 7005, fifth.Values().Port)
	require.Equal(t, "nodes-7005.conf", fifth.Values().ClusterConfigFile)
	require.Equal(t, LogVerbose, fifth.Values().LogLevel)
	require.Equal(t, 7001, c.Values().Port)

	dir := t.TempDir()
	file := writeFile(t, "redis.conf", "port 7100\nmaxclients 77\n")
	c, _, err = load(t, file+" --dir "+dir+" --local-cluster 3")
	require.NoError(t, err)
	second := c.ForNode(1)
	require.Equal(t, 7101, second.Values().Port)
	require.Equal(t, 77, second.Values().MaxClients)
	require.Equal(t, filepath.Join(dir, "nodes-7101.conf"), second.Values().Path(second.Values().ClusterConfigFile))
	require.True(t, c.Given("dir"))
	require.EqualError(t, second.Rewrite(), "ERR The server is running without a config file")

	c, _, err = Load([]string{"--local-cluster 2"}, nil)
	require.NoError(t, err, "in one argument, as redis-server takes any directive")
	require.Equal(t, 2, c.LocalCluster())
	require.Zero(t, Default().LocalCluster())
	require.Equal(t, 6379, Default().Values().Port)
}

func TestLocalClusterRefusals(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--local-cluster", "from 1 to 64"},
		{"--local-cluster 0", "from 1 to 64"},
		{"--local-cluster -1", "from 1 to 64"},
		{"--local-cluster 65", "from 1 to 64"},
		{"--local-cluster three", "from 1 to 64"},
		{"--local-cluster 3 4", "from 1 to 64"},
		{"--local-cluster 3 --port 0", "needs a port"},
		{"--local-cluster 3 --port 55534", "would have port 55536"},
		{"--local-cluster 3 --cluster-port 17000", "the same for all of them"},
		{"--local-cluster 3 --cluster-config-file x", "the same for all of them"},
		{"--local-cluster 3 --unixsocket x", "the same for all of them"},
		{writeFile(t, "redis.conf", "local-cluster 3\n"), "Bad directive"},
	} {
		_, _, err := load(t, c.args)
		require.ErrorContains(t, err, c.want, c.args)
	}
	_, _, err := load(t, "--local-cluster 3 --port 55533")
	require.NoError(t, err)
	_, _, err = load(t, "--local-cluster 3 --nonsense 1")
	require.ErrorContains(t, err, "line 2", "each keeps its place")
}
