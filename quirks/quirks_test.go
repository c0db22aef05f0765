package quirks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadsText(t *testing.T) {
	lib := func(name string) Client { return Client{LibName: name, LibVersion: "1.2.3", Name: "worker"} }
	for _, c := range []Client{
		lib("go-redis"), lib("go-redis(,go1.26.8)"), lib("go-redis(bullmq-1.0,go1.24)"),
		lib("rueidis"), lib("valkey"), lib("GlideGo"), lib("node-redis"), lib("node-redis(tag)"), lib("ioredis"),
		lib("jedis"), lib("jedis(spring)"), lib("Lettuce"), lib("SE.Redis"), lib("SE.Redis-cache"),
		{Name: "ioredis-cluster(subscriber)"},
		{LibName: "ioredis", Name: "ioredis-cluster(subscriber)"},
		{LibName: "go-redis"},
	} {
		require.True(t, ReadsText(c), "%+v", c)
	}
	for _, c := range []Client{
		{}, {Name: "worker"}, {Name: "go-redis"}, {LibVersion: "9.0"},
		lib("redis-py"), lib("valkey-py"), lib("GlideJS"), lib("predis"), lib("redis-rs"),
		lib("valkeyx"), lib("go-redis-fork"), lib("(go-redis)"), lib("GO-REDIS"),
		{Name: "ioredis-cluster(refresher)"},
		// What a library says of itself goes before the name of a connection.
		{LibName: "redis-py", Name: "ioredis-cluster(subscriber)"},
	} {
		require.False(t, ReadsText(c), "%+v", c)
	}
}

func TestVersions(t *testing.T) {
	e := Entry{LibName: "lib", Since: "2", Before: "5.10"}
	for version, want := range map[string]bool{
		"": true, "2": true, "2.0.0": true, "v2": false, "1.99": false, "5.9.9": true, "5.10": false,
		"5.10.0-beta": false, "5.9-rc.1": true, "6": false, "text": false, "99999999999999999999": false,
	} {
		require.Equal(t, want, e.about(Client{LibName: "lib", LibVersion: version}), "version %q", version)
	}
	require.True(t, Entry{LibName: "lib"}.about(Client{LibName: "lib", LibVersion: "text"}))
}

// TestTable holds the table to its own rules: every entry can be recognised,
// says why it is there, and names what shows it.
func TestTable(t *testing.T) {
	for _, e := range Table {
		require.NotEmpty(t, e.Library)
		require.NotEmpty(t, e.Reason, e.Library)
		name := e.LibName + e.ClientName
		require.True(t, e.LibName == "" || e.ClientName == "", "%s: one entry for each way to be known", e.Library)
		require.NotEmpty(t, strings.TrimSuffix(name, "*"), "%s would be anybody", e.Library)
		require.NotContains(t, e.LibName, "(", "%s: what stands in parentheses does not count", e.Library)
		require.True(t, e.ClientName == "" || e.Since+e.Before == "", "%s: no version comes with a name", e.Library)
		require.True(t, e.Since == "" || e.Before == "" || older(e.Since, e.Before), e.Library)
		if cell, of := strings.CutPrefix(e.Shown, "compat: "); of {
			require.DirExists(t, filepath.Join("..", "compat", "clients", cell), e.Library)
			entries, err := os.ReadDir(filepath.Join("..", "compat", "clients", cell))
			require.NoError(t, err)
			require.NotEmpty(t, entries, "%s: the cell %s has no program", e.Library, cell)
		} else {
			require.Contains(t, []string{ByHand, BySource}, e.Shown, e.Library)
		}
		// An entry that another one hides would never be looked at.
		example := Client{LibName: strings.TrimSuffix(e.LibName, "*"), Name: strings.TrimSuffix(e.ClientName, "*"), LibVersion: e.Since}
		found, ok := Find(example)
		require.True(t, ok, e.Library)
		require.Equal(t, e, found)
	}
}
