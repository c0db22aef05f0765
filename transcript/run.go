package transcript

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// protocols is the order of the plays of a file.
var protocols = []int{2, 3}

// Run plays every transcript that glob names against each target, in both
// protocols, and prints how many exchanges were compared. A glob that names
// nothing is a failure. In a test of another package the path stands
// relative to that package.
func Run(t *testing.T, glob string, targets ...Target) {
	t.Helper()
	paths, err := filepath.Glob(glob)
	require.NoError(t, err)
	require.NotEmpty(t, paths, "no transcript at %s", glob)
	var files []*File
	for _, path := range paths {
		f, err := ParseFile(path)
		require.NoError(t, err)
		files = append(files, f)
	}
	for _, target := range targets {
		t.Run(target.Name(), func(t *testing.T) { runAll(t, files, target) })
	}
}

func runAll(t *testing.T, files []*File, target Target) {
	compared := 0
	// All processes start before the first play, since redis-server needs
	// two seconds until its cluster is up.
	shared := ""
	for _, f := range files {
		if shared == "" && f.sharesServer() {
			shared = target.Start(t, nil, "")
		}
	}
	addrs := startAll(t, files, target)
	for _, f := range files {
		for _, protocol := range protocols {
			if !f.playable(target.Name(), protocol) {
				continue
			}
			t.Run(fmt.Sprintf("%s/RESP%d", f.name(), protocol), func(t *testing.T) {
				p := play{file: f, target: target.Name(), protocol: protocol}
				p.start = func(s *Step) (string, error) {
					if s == nil {
						return shared, nil
					}
					return addrs[started{s, protocol}], nil
				}
				err := p.run()
				compared += p.compared
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
	version := target.Name()
	if v, ok := target.(interface{ Version() string }); ok {
		version = v.Version()
	}
	fmt.Printf("compared %d exchanges with %s\n", compared, version)
}

type started struct {
	step     *Step
	protocol int
}

func startAll(t *testing.T, files []*File, target Target) map[started]string {
	addrs := map[started]string{}
	for _, f := range files {
		for i := range f.Steps {
			s := &f.Steps[i]
			for _, protocol := range protocols {
				if s.kind == fresh && s.plays(target.Name(), protocol) {
					addrs[started{s, protocol}] = target.Start(t, s.args, s.nodes)
				}
			}
		}
	}
	return addrs
}
