package transcript

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// slotcast answers as the transcripts say. The program is built from the
// module's root and started as anybody would start it.
func TestSlotcast(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "slotcast")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = ".."
	build.Stderr = os.Stderr
	require.NoError(t, build.Run(), "build slotcast")
	Run(t, transcripts, Program{Path: program})
}
