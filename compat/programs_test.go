package compat

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var loadPrograms = flag.String("load-programs", "", "`folder` for the programs that have a load, and for their list, which bench reads")

// TestListLoadPrograms leaves to bench what it needs to run the loads of the
// libraries that are here.
func TestListLoadPrograms(t *testing.T) {
	if *loadPrograms == "" {
		t.Skip("-load-programs names no folder")
	}
	type entry struct {
		Name    string   `json:"name"`
		Command []string `json:"command"`
		Resp    string   `json:"resp"`
		Modes   []string `json:"modes"`
	}
	var list []entry
	for _, l := range libraries {
		if l.load == nil {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			newest := l.protocols[len(l.protocols)-1]
			list = append(list, entry{l.name, keepProgram(t, l.command(t), *loadPrograms), newest, l.load})
		})
	}
	require.NotEmpty(t, list, "no library that has a load is here")
	text, err := json.MarshalIndent(list, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(*loadPrograms, "programs.json"), text, 0o644))
}

// keepProgram returns a command line that holds in any folder, also when what
// these tests have built is gone.
func keepProgram(t *testing.T, argv []string, folder string) []string {
	t.Helper()
	kept := make([]string, len(argv))
	for i, word := range argv {
		kept[i] = word
		if strings.HasPrefix(word, built) {
			program, err := os.ReadFile(word)
			require.NoError(t, err)
			kept[i] = filepath.Join(folder, filepath.Base(word))
			require.NoError(t, os.WriteFile(kept[i], program, 0o755))
			continue
		}
		if _, err := os.Stat(word); err == nil {
			absolute, err := filepath.Abs(word)
			require.NoError(t, err)
			kept[i] = absolute
		}
	}
	return kept
}
