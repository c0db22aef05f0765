package quirks

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHold(t *testing.T) {
	for want, clients := range map[time.Duration][]Client{
		0: {
			{LibName: "node-redis", LibVersion: "6.3.1"}, {LibName: "node-redis(orders)", LibVersion: "5.12.1"}, {LibName: "node-redis"},
		},
		Gathered: {
			{}, {Name: "node-redis"}, {LibName: "redis-py", LibVersion: "8.0.0"}, {LibName: "go-redis(,go1.26.8)"},
			{LibName: "SE.Redis"}, {LibName: "node-redis-fork"}, {LibName: "a library to come"},
		},
	} {
		for _, c := range clients {
			require.Equal(t, want, Hold(c), "%+v", c)
		}
	}
}

// TestFollowers holds the table to the rules of the other one.
func TestFollowers(t *testing.T) {
	for _, f := range Followers {
		require.NotEmpty(t, f.Library)
		require.NotEmpty(t, f.Reason, f.Library)
		require.NotEmpty(t, f.LibName, "%s: what asks for moves knows how to name itself", f.Library)
		require.False(t, strings.ContainsAny(f.LibName, "(*"), f.Library)
		require.GreaterOrEqual(t, f.Hold, time.Duration(0), f.Library)
		require.Contains(t, Holds(), f.Hold, f.Library)
		cell, is := strings.CutPrefix(f.Shown, "compat: ")
		require.True(t, is, "%s: a hold is measured", f.Library)
		require.DirExists(t, filepath.Join("..", "compat", "clients", cell), f.Library)
		require.Equal(t, f.Hold, Hold(Client{LibName: f.LibName, LibVersion: f.Since}), f.Library)
	}
	require.True(t, slices.IsSorted(Holds()))
	require.Contains(t, Holds(), Gathered)
}
