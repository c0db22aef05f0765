package compat

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// family are the channels of the matrix, in the order of the columns of
// cells.txt.
var family = []string{
	"__cluster-slots__",
	"__cluster-slots__:row",
	"__cluster-slots__:json",
	"__cluster-slots__:moved",
	"__cluster-slots__:snapshot",
	"__cluster-slots__:snapshot:json",
}

// A class is what became of a message on its way to a library's user.
type class string

const (
	asRow      class = "row"
	asJSON     class = "json"
	asText     class = "text"
	asMap      class = "map"
	joined     class = "joined"
	empty      class = "empty"
	other      class = "other"
	nothing    class = "nothing"
	failing    class = "error"
	desync     class = "desync"
	reconnects class = "reconnects"
	ends       class = "ends"
	impossible class = "impossible"
)

// right are the classes that a user can work with; each of the others wants a
// reason. Those of usual do not disturb what comes after them.
var (
	right = []class{asRow, asJSON, asText, asMap}
	usual = append(slices.Clone(right), joined, empty, other, nothing)
	wrong = []class{joined, empty, other, nothing, failing, desync, reconnects, ends, impossible}
)

// cells are the contents of cells.txt.
type cells struct {
	classes map[client3][]class  // in the order of family
	reasons map[reasonFor]string // for what is wrong
	// jsonOnly are the libraries that can neither read nested rows nor say
	// who they are, with a word on it: the bare channel is not for them.
	jsonOnly map[string]string

	mu sync.Mutex // guards classes while tests in parallel see them anew
}

// A client3 names a way to use a library.
type client3 struct{ library, resp, kind string }

func (c client3) String() string { return c.library + " resp" + c.resp + " " + c.kind }

func (c client) key() client3 { return client3{c.name, c.resp, c.kind} }

type reasonFor struct {
	library string
	class   class
}

// readCells reads cells.txt.
func readCells(t *testing.T) *cells {
	t.Helper()
	text, err := os.ReadFile("cells.txt")
	require.NoError(t, err)
	c, err := parseCells(string(text))
	require.NoError(t, err)
	return c
}

func parseCells(text string) (*cells, error) {
	c := &cells{classes: map[client3][]class{}, reasons: map[reasonFor]string{}, jsonOnly: map[string]string{}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := c.add(words); err != nil {
			return nil, fmt.Errorf("line %d: %w: %s", number, err, line)
		}
	}
	return c, nil
}

// add takes the words of one line.
func (c *cells) add(words []string) error {
	switch {
	case words[0] == "reason" && len(words) > 3:
		key := reasonFor{words[1], class(words[2])}
		if _, twice := c.reasons[key]; twice {
			return fmt.Errorf("a second reason")
		}
		if !slices.Contains(wrong, key.class) {
			return fmt.Errorf("a reason for what is right, or no class at all")
		}
		c.reasons[key] = strings.Join(words[3:], " ")
	case words[0] == "json-only" && len(words) > 2:
		c.jsonOnly[words[1]] = strings.Join(words[2:], " ")
	case len(words) == 3+len(family):
		key := client3{words[0], words[1], words[2]}
		if c.classes[key] != nil {
			return fmt.Errorf("a second line for this client")
		}
		for _, word := range words[3:] {
			if !slices.Contains(slices.Concat(right, wrong), class(word)) {
				return fmt.Errorf("no class %q", word)
			}
			c.classes[key] = append(c.classes[key], class(word))
		}
	default:
		return fmt.Errorf("neither cells nor a reason")
	}
	return nil
}

// set takes the classes that were seen of a client. What is impossible is for a
// person to say.
func (c *cells) set(key client3, classes []class) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.classes[key]; old == nil || old[0] != impossible {
		c.classes[key] = classes
	}
}

const (
	cellsHead   = "# library "
	cellsFormat = "%-24s %-4s %-8s %-10s %-10s %-10s %-10s %-10s %s\n"
)

// write writes the file anew with these classes, in the order of libraries, and
// leaves its other lines as they are.
func (c *cells) write(t *testing.T) {
	t.Helper()
	old, err := os.ReadFile("cells.txt")
	require.NoError(t, err)
	var fresh strings.Builder
	for line := range strings.Lines(string(old)) {
		words := strings.Fields(line)
		if strings.HasPrefix(line, cellsHead) {
			fmt.Fprintf(&fresh, cellsFormat, "# library", "resp", "kind", "bare", ":row", ":json", ":moved", ":snapshot", ":snapshot:json")
			for _, l := range libraries {
				for _, client := range l.clients(nil) {
					if seen := c.classes[client.key()]; seen != nil {
						fmt.Fprintf(&fresh, cellsFormat, l.name, client.resp, client.kind, seen[0], seen[1], seen[2], seen[3], seen[4], seen[5])
					}
				}
			}
		} else if len(words) == 0 || !slices.ContainsFunc(libraries, func(l library) bool { return l.name == words[0] }) {
			fresh.WriteString(line)
		}
	}
	require.NoError(t, os.WriteFile("cells.txt", []byte(fresh.String()), 0o644))
}

// TestCells holds the file to the table of libraries, and to what slotcast
// promises.
func TestCells(t *testing.T) {
	c := readCells(t)

	var tabled []client3
	for _, l := range libraries {
		for _, client := range l.clients(nil) {
			tabled = append(tabled, client.key())
		}
	}
	var filed []client3
	used := map[reasonFor]bool{}
	for key, classes := range c.classes {
		filed = append(filed, key)
		for _, class := range classes {
			used[reasonFor{key.library, class}] = true
		}
		if slices.Contains(classes, impossible) {
			require.Equal(t, []class{impossible}, slices.Compact(slices.Clone(classes)), "%v: all of it is impossible, or nothing", key)
			continue
		}
		for i, channel := range family {
			switch {
			case strings.HasSuffix(channel, ":json"):
				require.Equal(t, asJSON, classes[i], "%v: %s is for everybody", key, channel)
			case strings.HasSuffix(channel, ":moved"):
				require.Equal(t, asText, classes[i], "%v: %s is for everybody", key, channel)
			}
		}
		if c.jsonOnly[key.library] == "" {
			require.Contains(t, []class{asRow, asJSON}, classes[0], "%v: the bare channel is for all but the libraries of json-only", key)
		}
	}
	require.ElementsMatch(t, tabled, filed, "the clients of libraries and of cells.txt")
	for key := range used {
		if slices.Contains(wrong, key.class) {
			require.NotEmpty(t, c.reasons[key], "%s is %q and no reason is given", key.library, key.class)
		}
	}
	for name := range c.jsonOnly {
		require.True(t, slices.ContainsFunc(libraries, func(l library) bool {
			return l.name == name && slices.ContainsFunc(l.clients(nil), func(client client) bool {
				return slices.Contains(wrong, c.classes[client.key()][0])
			})
		}), "%s can use the bare channel", name)
	}
	for key := range c.reasons {
		require.True(t, used[key], "%s is nowhere %q any more", key.library, key.class)
	}
}

// TestCellsParse: a line that is misread would make a cell pass.
func TestCellsParse(t *testing.T) {
	for _, line := range []string{
		"lib 2 single row row json text map",
		"lib 2 single row row json text map json json",
		"lib 2 single row row json text map right",
		"reason lib ends",
		"reason lib row it is right",
		"json-only lib",
		"lib 2 single row row json text map json\nlib 2 single row row json text map json",
		"reason lib ends a\nreason lib ends b",
	} {
		_, err := parseCells(line)
		require.Error(t, err, line)
	}
}
