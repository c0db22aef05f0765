package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzLoad reads any text as a configuration. It must end in a LoadError or in
// a configuration that a rewrite of the same text reproduces.
func FuzzLoad(f *testing.F) {
	f.Add("port 7000\n# a comment\n\nbind 127.0.0.1 -::1\n")
	f.Add("client-output-buffer-limit \"normal 1mb 0 0\"\nsave 900 1\nsave 300 10\nsave 60 10000\n")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(strings.ToLower(text), "include") {
			return // no files of this machine
		}
		c, _, err := Load([]string{"-"}, strings.NewReader(text))
		if err != nil {
			require.IsType(t, &LoadError{}, err)
			return
		}
		texts := c.now.Load().texts
		again := rewritten(text, texts)
		reread, _, err := Load([]string{"-"}, strings.NewReader(again))
		require.NoError(t, err, "%q rewritten as %q", text, again)
		require.Equal(t, texts, reread.now.Load().texts, "%q rewritten as %q", text, again)
	})
}

// FuzzArguments splits its text into arguments at newlines.
func FuzzArguments(f *testing.F) {
	f.Add("--port\n7000\n--save\n--hz 20")
	f.Add("-\n--requirepass\n--x")
	f.Fuzz(func(t *testing.T, text string) {
		cmd := parseArgs(strings.Split(text, "\n"))
		for _, line := range cmd.lines {
			require.NotContains(t, line, "\n", "an argument cannot start a line of its own")
		}
		if cmd.file == "" && !strings.Contains(strings.ToLower(text), "include") {
			_, _, err := Load(strings.Split(text, "\n"), strings.NewReader(""))
			if err != nil {
				require.IsType(t, &LoadError{}, err)
			}
		}
	})
}
