package compat

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The client table of README.md stands between these lines.
const (
	tableBegin = "<!-- clients: written by go test ./compat -run TestClientTable -update -->\n"
	tableEnd   = "<!-- clients end -->\n"
)

// TestClientTable holds the table of README.md to cells.txt and the table of
// libraries.
func TestClientTable(t *testing.T) {
	path := filepath.Join(root, "README.md")
	readme, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, begins := strings.Cut(string(readme), tableBegin)
	old, after, ends := strings.Cut(rest, tableEnd)
	require.True(t, begins && ends, "the lines around the table are missing")
	table := clientTable(t, readCells(t))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(before+tableBegin+table+tableEnd+after), 0o644))
		return
	}
	require.Equal(t, table, old)
}

func clientTable(t *testing.T, c *cells) string {
	var b strings.Builder
	b.WriteString("\n| client | tested | RESP | subscribe to | arrives as | without a line of code | recipe |\n|---|---|---|---|---|---|---|\n")
	for _, l := range libraries {
		channel, form := c.advice(l)
		if l.unordered {
			form += ", in any order"
		}
		recipe := ""
		if l.recipe != "" {
			require.DirExists(t, filepath.Join(root, "examples", l.recipe))
			recipe = fmt.Sprintf("[%s](examples/%s)", l.recipe, l.recipe)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` | %s | %s | %s |\n",
			l.title, l.version, c.protocols(l), channel, form, l.unaided, recipe)
	}
	b.WriteString("\n")
	return b.String()
}

// advice is the channel that suits a library in all ways to use it, and what its
// messages are.
func (c *cells) advice(l library) (channel, form string) {
	names := map[class]string{asRow: "nested row", asJSON: "JSON text"}
	for i, channel := range family {
		if channel == "__cluster-slots__:row" {
			continue
		}
		var forms []string
		for _, client := range l.clients(nil) {
			class := c.classes[client.key()][i]
			if class == impossible {
				continue
			}
			form, right := names[class]
			if !right {
				forms = nil
				break
			}
			if !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
		if forms != nil {
			return channel, strings.Join(forms, " or ")
		}
	}
	return "", ""
}

// protocols are those in which the library can subscribe with Redis 7 at all,
// and what kind of client cannot.
func (c *cells) protocols(l library) string {
	var can []string
	for _, resp := range l.protocols {
		var not []string
		possible := false
		for _, client := range l.clients(nil) {
			if client.resp != resp {
				continue
			}
			if c.classes[client.key()][0] == impossible {
				not = append(not, client.kind)
			} else {
				possible = true
			}
		}
		if !possible {
			continue
		}
		if len(not) > 0 {
			resp += " (not " + strings.Join(not, ", ") + ")"
		}
		can = append(can, resp)
	}
	return strings.Join(can, ", ")
}
