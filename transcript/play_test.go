package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const transcripts = "../testdata/transcripts/*/*.txt"

// Every expectation is what redis-server gives.
func TestRedis(t *testing.T) {
	Run(t, transcripts, Redis{})
}

func TestDifferencesAreListed(t *testing.T) {
	problems, err := CheckDifferences(transcripts, "../DIFFERENCES.md")
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestCheckDifferences(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	list := filepath.Join(dir, "DIFFERENCES.md")
	require.NoError(t, os.WriteFile(file, []byte("# T\na> X\ndiffers \"one\"\na> Y\ndiffers \"two\"\n"), 0o600))
	require.NoError(t, os.WriteFile(list, []byte("# List\n## one\nWhy.\n## three\n"), 0o600))
	problems, err := CheckDifferences(filepath.Join(dir, "*.txt"), list)
	require.NoError(t, err)
	require.Len(t, problems, 3)
	require.Contains(t, strings.Join(problems, "\n"), `"two" is no heading`)
	require.Contains(t, strings.Join(problems, "\n"), `no transcript uses "three"`)
	require.Contains(t, strings.Join(problems, "\n"), `"three" gives no reason`)
}

// A play must notice whatever is not as the file says.
func TestPlayNotices(t *testing.T) {
	addr := Redis{}.Start(t, nil, "")
	for _, c := range []struct{ steps, want string }{
		{"a> SET k v\na< \"+OK\\r\\n\"\na> GET k\na< \"$1\\r\\nx\\r\\n\"", ":5: redis, RESP2: connection a: byte 4 is 'v', not 'x'"},
		{"a> PING", "bytes that nobody expected: \"+PONG\\r\\n\""},
		{"a>> \"PING\\r\\nPING\\r\\n\"\na quiet", "connection a is not quiet: \"+PONG\\r\\n"},
		{"a> QUIT\na closed", "bytes that nobody expected: \"+OK\\r\\n\""},
		{"a> GET <x>", "<x> has not been captured"},
		{"a> SUBSCRIBE c\na< \"<any-reply>\"\nb> PUBLISH c m\nb< \":1\\r\\n\"\nb> PUBLISH c m\nb< \":1\\r\\n\"\na quiet", "connection a is not quiet"},
	} {
		f, err := Parse("x.txt", "# T\n"+c.steps+"\n")
		require.NoError(t, err)
		p := play{file: f, target: "redis", protocol: 2, start: func(*Step) (string, error) { return addr, nil }}
		require.ErrorContains(t, p.run(), c.want, "%s", c.steps)
	}
}

func TestRecordFillsIn(t *testing.T) {
	Redis{}.Start(t, nil, "") // skips where there is none
	path := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("# T\n\na> GET k\nb> PING\n  # between\na> ECHO x\na< \"<bulk>\"\n"), 0o600))
	require.NoError(t, Record(path, false))
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "# T\n\na> GET k\na<2 \"$-1\\r\\n\"\na<3 \"_\\r\\n\"\nb> PING\nb< \"+PONG\\r\\n\"\n  # between\na> ECHO x\na< \"<bulk>\"\n", string(got))
}
