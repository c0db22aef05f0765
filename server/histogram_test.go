package server

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHistogramClassesJoinUp(t *testing.T) {
	last := classOf(int64(time.Hour))
	require.Equal(t, classOf(int64(time.Second)), last)
	require.Less(t, last, histogramClasses)
	for class := 1; class < last; class++ {
		end := classEnd(class)
		require.Equal(t, class, classOf(end))
		require.Equal(t, class+1, classOf(end+1))
		require.LessOrEqual(t, end-classEnd(class-1), max(1, end/128+1), "width of class %d", class)
	}
}

func TestPercentilesAgreeWithASortedList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var h histogram
		var all []int64
		for range 1 + r.IntN(300) {
			v := int64(1) << r.IntN(29)
			v += r.Int64N(v)
			h.record(time.Duration(v))
			all = append(all, v)
		}
		slices.Sort(all)
		counts, total := h.counts()
		require.EqualValues(t, len(all), total)
		for _, p := range []float64{0, 10, 50, 99, 99.9, 100} {
			n := 0
			for float64(n)*100 < p*float64(len(all)) {
				n++
			}
			exact := all[max(n, 1)-1]
			got := percentile(counts, total, p)
			require.GreaterOrEqual(t, got, exact)
			require.LessOrEqual(t, got, exact+exact/128+1)
		}
		steps := distribution(counts, total)
		require.Equal(t, total, steps[len(steps)-1].calls)
		for _, st := range steps {
			within := int64(0)
			for _, v := range all {
				if v/1000 <= st.micros {
					within++
				}
			}
			require.GreaterOrEqual(t, within, st.calls)
		}
	}
}

// TestDistributionHasRedisSteps: the same durations stand at the same steps as
// redis-server 7.0.15 prints, seen on a live one.
func TestDistributionHasRedisSteps(t *testing.T) {
	for micros, want := range map[int64]int64{4: 4, 26: 33, 164: 264, 100: 132} {
		var h histogram
		h.record(time.Duration(micros) * time.Microsecond)
		require.Equal(t, []step{{want, 1}}, distribution(h.counts()))
	}
	var h histogram
	h.record(26 * time.Microsecond)
	counts, total := h.counts()
	require.EqualValues(t, 26111, percentile(counts, total, 50))
}
