package sim

import (
	"flag"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	simRuns  = flag.Int("sim.runs", 60, "how many random runs to make")
	simNodes = flag.Int("sim.nodes", 0, "how many nodes they have; 0 is 3 to 9")
	simSeed  = flag.Uint64("sim.seed", 1, "the seed of the first run, the next follow")
)

// TestRandomRuns makes random runs. One that fails is played again, with all
// that happened in it, by -sim.seed=<its seed> -sim.runs=1.
func TestRandomRuns(t *testing.T) {
	runs := *simRuns
	if testing.Short() {
		runs = min(runs, 10)
	}
	randomRuns(t, *simSeed, runs, *simNodes)
}

// TestARunOfAHundredNodes follows the plan of large runs.
func TestARunOfAHundredNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	randomRuns(t, 1, 1, 100)
}

func randomRuns(t *testing.T, seed uint64, runs, nodes int) {
	if nodes <= smallRun {
		// It fits into a few megabytes, which the collector would go through
		// all the time.
		defer debug.SetGCPercent(debug.SetGCPercent(1000))
	} else {
		// A thousand nodes are 3 to 4 GB, which must not become twice as much.
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(6 << 30))
	}
	began := time.Now()
	var simulated, nodeTime time.Duration
	frames := uint64(0)
	for i := range runs {
		s, err := newStorm(seed+uint64(i), nodes)
		require.NoError(t, err)
		if s.large {
			s.log = func(format string, args ...any) {
				t.Logf("%v, %d MB: "+format, append([]any{time.Since(began).Round(time.Millisecond), heapMB()}, args...)...)
			}
		}
		if err := s.run(); err != nil {
			t.Errorf("seed %d: %v\n%s\n%s", s.seed, err, strings.Join(s.trace, "\n"), s.views())
		}
		simulated += s.net.now
		nodeTime += s.net.now * time.Duration(len(s.net.machines))
		frames += s.watch.frames
	}
	t.Logf("%d runs: %v simulated in %v, %d frames, %.1f per node and second",
		runs, simulated.Round(time.Second), time.Since(began).Round(time.Millisecond), frames, float64(frames)/nodeTime.Seconds())
}

// heapMB is how much memory has been taken for the heap.
func heapMB() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return (m.HeapSys - m.HeapReleased) >> 20
}
