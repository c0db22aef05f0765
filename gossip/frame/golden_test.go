package frame

import (
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const capturesDir = "../testdata/captures"

var update = flag.Bool("update", false, "write how the captured frames print now")

// capture reads a captured frame.
func capture(t testing.TB, name string) []byte {
	text, err := os.ReadFile(filepath.Join(capturesDir, name+".hex"))
	require.NoError(t, err)
	raw, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	require.NoError(t, err)
	return raw
}

// TestCaptures: each captured frame is found in its bytes, holds what the table
// says, and is written back as it was; so is what the table says.
func TestCaptures(t *testing.T) {
	for _, c := range captures {
		t.Run(c.name, func(t *testing.T) {
			raw := capture(t, c.name)
			require.Len(t, raw, c.length)
			n, err := Scan(raw, MaxLen)
			require.NoError(t, err)
			require.Equal(t, c.length, n)

			got, err := Decode(raw)
			require.NoError(t, err)
			require.Equal(t, &c.want, got, "%s", got)
			require.Equal(t, hex.EncodeToString(raw), hex.EncodeToString(Append(nil, got)))
			require.Equal(t, hex.EncodeToString(raw), hex.EncodeToString(Append(nil, &c.want)))
		})
	}
}

// TestCapturesAreAllRead: no file lies there unread, none is missing.
func TestCapturesAreAllRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(capturesDir, "*.hex"))
	require.NoError(t, err)
	var names, read []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".hex"))
	}
	for _, c := range captures {
		read = append(read, c.name)
	}
	require.ElementsMatch(t, names, read)
}

// TestPrintCaptures: how each captured frame looks in a log.
func TestPrintCaptures(t *testing.T) {
	var b strings.Builder
	for _, c := range captures {
		m, err := Decode(capture(t, c.name))
		require.NoError(t, err)
		b.WriteString(c.name + ": " + m.String() + "\n")
	}
	file := filepath.Join(capturesDir, "printed.txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}
