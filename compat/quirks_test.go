package compat

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/quirks"
)

// TestQuirks holds the server's table of libraries that cannot read rows and the
// cells together: who is in the one for a cell has a cell that shows it, and who
// gets text instead of rows is in the table.
func TestQuirks(t *testing.T) {
	c := readCells(t)
	// What a library makes of the channel that goes by the table, and of rows.
	getsText := func(name string) (getsText, readsRows bool) {
		for key, classes := range c.classes {
			if key.library == name && classes[0] == asJSON {
				getsText = true
				readsRows = readsRows || classes[1] == asRow
			}
		}
		return getsText, readsRows
	}
	shown := map[string]bool{} // by the library without its major version
	for _, e := range quirks.Table {
		name, is := strings.CutPrefix(e.Shown, "compat: ")
		if !is {
			continue
		}
		shown[withoutMajor(name)] = true
		text, rows := getsText(name)
		require.True(t, text, "%s: no cell of %s gets text on the bare channel", e.Library, name)
		require.False(t, rows, "%s: %s can read rows", e.Library, name)
	}
	for _, l := range libraries {
		if text, _ := getsText(l.name); text {
			require.True(t, shown[withoutMajor(l.name)], "%s gets text, and no entry of quirks.Table names it", l.name)
		}
	}
	require.True(t, slices.ContainsFunc(libraries, func(l library) bool { return shown[withoutMajor(l.name)] }))
}

// TestFollowers: how long moves of slots are gathered is settled for each library
// whose load follows SMIGRATED, and for no other.
func TestFollowers(t *testing.T) {
	var settled, follow []string
	for _, f := range quirks.Followers {
		settled = append(settled, strings.TrimPrefix(f.Shown, "compat: "))
	}
	for _, l := range libraries {
		if slices.Contains(l.load, "smigrated") {
			follow = append(follow, l.name)
		}
	}
	require.ElementsMatch(t, follow, settled)
}

func withoutMajor(name string) string { return name[:strings.LastIndex(name, "-")] }
