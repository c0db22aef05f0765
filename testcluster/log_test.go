package testcluster

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestALongLog loses its beginning, by whole lines.
func TestALongLog(t *testing.T) {
	var l log
	line := []byte(strings.Repeat("x", 1000) + "\n")
	for range 3 * maxLog / len(line) {
		_, err := l.Write(line)
		require.NoError(t, err)
		require.LessOrEqual(t, l.text.Len(), maxLog+len(line))
	}
	require.True(t, l.cut)
	require.Greater(t, l.text.Len(), maxLog/4)
	for got := range bytes.Lines(l.text.Bytes()) {
		require.Equal(t, line, got)
	}
}
