package resp2

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseAliasesArrays(t *testing.T) {
	frame := []byte(command("SET", "key", "value"))
	args, err := Parse(frame, nil)
	require.NoError(t, err)
	frame[len(frame)-len("value\r\n")] = 'V'
	require.Equal(t, "Value", string(args[2]))
}

func TestParseRefusesWhatIsNoFrame(t *testing.T) {
	for _, frame := range []string{"*", "*1\r\n", "*1\r\n$4\r\nPING\r\nPING\r\n", "*2\r\n$4\r\nPING\r\n"} {
		args, err := Parse([]byte(frame), nil)
		require.ErrorIs(t, err, errMultibulkLength, "%q", frame)
		require.Empty(t, args)
	}
	args, err := Parse(nil, make([][]byte, 3))
	require.NoError(t, err)
	require.Empty(t, args)
}

// pipeline is sixteen requests as redis-benchmark -P 16 sends them.
var pipeline = []byte(strings.Repeat(command("GET", "key:000000000042"), 16))

// readPipeline frames and parses all of pipeline and returns the arguments for
// reuse.
func readPipeline(t testing.TB, f *Framer, args [][]byte) [][]byte {
	for rest := pipeline; len(rest) > 0; {
		n, err := f.Next(rest, DefaultLimits)
		if n == 0 || err != nil {
			t.Fatal(n, err)
		}
		if args, err = Parse(rest[:n], args); err != nil || len(args) != 2 {
			t.Fatal(args, err)
		}
		rest = rest[n:]
	}
	return args
}

func TestReadingDoesNotAllocate(t *testing.T) {
	var f Framer
	args := make([][]byte, 0, 2)
	require.Zero(t, testing.AllocsPerRun(100, func() { args = readPipeline(t, &f, args) }))
}

func BenchmarkReadPipeline16(b *testing.B) {
	var f Framer
	args := make([][]byte, 0, 2)
	b.SetBytes(int64(len(pipeline)))
	b.ReportAllocs()
	for b.Loop() {
		args = readPipeline(b, &f, args)
	}
}
