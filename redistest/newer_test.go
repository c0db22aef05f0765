package redistest

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewerAreNewer: a package that came to carry another server would turn a
// comparison with the next generation into one with the last.
func TestNewerAreNewer(t *testing.T) {
	for server, says := range map[Newer]string{
		Valkey9: "Valkey server v=9.",
		Redis8:  "Redis server v=8.",
	} {
		t.Run(string(server), func(t *testing.T) {
			out, err := exec.Command(NewerBin(t, server), "--version").CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), says)
		})
	}
}
