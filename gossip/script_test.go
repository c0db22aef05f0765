package gossip

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what the scripts in testdata give now")

// TestScripts plays the scripts in testdata. A script opens with comments that
// say what it shows. Then come words, each on a line, with what they give
// indented below:
//
//	conf <line>     adds a line to the nodes.conf that the first start finds
//	option <name>   own-all, or no-coverage
//	start           starts the node
//	addslots …      and every other CLUSTER command that changes something:
//	                gives the reply
//	keys <slot> <n> says how many keys the node holds
//	tick <time>     lets time pass; gives the cluster state if it changed
//	crash           the machine stops and forgets what was not synced
//	restart         starts it again
//	view, nodes     show the view, and the text of CLUSTER NODES
//
// Ids are shortened: <a> is forty times a, <me> what the node made up itself.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(text), "# "), "expected a sentence on what it shows")
			got := playScript(t, string(text))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			require.Equal(t, string(text), got)
		})
	}
}

func playScript(t *testing.T, text string) string {
	m := newMachine(testConfig())
	m.cfg.AnnounceIP = "127.0.0.1"
	var conf, out strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "  ") {
			continue
		}
		out.WriteString(line)
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if words[0] == "conf" {
			conf.WriteString(expandIDs(strings.TrimPrefix(line, "conf ")))
			continue
		}
		if words[0] == "start" && conf.Len() > 0 {
			require.NoError(t, m.storage.Save([]byte(conf.String()), true))
		}
		for answer := range strings.Lines(playWord(t, m, words)) {
			out.WriteString("  " + shorten(m, strings.TrimSuffix(answer, "\n")) + "\n")
		}
	}
	return out.String()
}

func playWord(t *testing.T, m *machine, words []string) string {
	switch words[0] {
	case "option":
		m.cfg.OwnAll = m.cfg.OwnAll || words[1] == "own-all"
		m.cfg.RequireFullCoverage = m.cfg.RequireFullCoverage && words[1] != "no-coverage"
	case "start", "restart":
		if err := m.start(); err != nil {
			return err.Error()
		}
	case "crash":
		m.crash(false)
	case "keys":
		slot, err := ParseSlot([]byte(words[1]))
		require.NoError(t, err)
		if delete(m.keys, slot); words[2] != "0" {
			m.keys[slot] = len(words[2])
		}
	case "tick":
		d, err := time.ParseDuration(words[1])
		require.NoError(t, err)
		m.now = at(m.now.Mono + d)
		was := m.node.View()
		_, err = m.carryOut(m.node.Tick(m.now))
		require.NoError(t, err)
		if was.ClusterOK() != m.node.View().ClusterOK() {
			state, _, _ := strings.Cut(viewText(m.node.View()), "\n")
			return state
		}
	case "view":
		return viewText(m.node.View())
	case "nodes":
		require.Same(t, m.shown, m.node.View())
		return string(m.node.NodesText(clientVariant))
	default:
		for i, w := range words {
			words[i] = expandIDs(w)
		}
		in := input(words, m.keys)
		require.NotNil(t, in, "unknown word %q", words[0])
		reply, err := m.carryOut(m.node.Step(m.now, in))
		require.NoError(t, err)
		return reply
	}
	return ""
}

var fortyTimes = regexp.MustCompile(`[a-z]{40}`)

func shorten(m *machine, s string) string {
	if m.node != nil {
		me := string(m.node.View().Myself().ID)
		if !fortyTimes.MatchString(me) {
			s = strings.ReplaceAll(s, me, "<me>")
		}
	}
	return fortyTimes.ReplaceAllStringFunc(s, func(id string) string { return "<" + id[:1] + ">" })
}
