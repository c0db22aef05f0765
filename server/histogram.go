package server

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// histogram counts durations in classes whose width is at most 1/128 of the
// duration, from a nanosecond to a second: what is longer counts as a second.
// Classes of that width are what Redis keeps, so that the figures of INFO
// latencystats and LATENCY HISTOGRAM have the same steps. Recording is one
// atomic addition.
type histogram struct {
	// classes are made on first use, since most commands are never called.
	classes atomic.Pointer[[histogramClasses]atomic.Int64]
}

const (
	histogramHalf    = 128 // classes of one power of two
	histogramMax     = int64(time.Second)
	histogramClasses = (30 - 6) * histogramHalf
)

// classOf is the class of a duration in nanoseconds. Durations below 256 have
// a class each; above, the eight highest bits tell the class.
func classOf(nanos int64) int {
	v := uint64(min(max(nanos, 1), histogramMax))
	shift := max(bits.Len64(v)-8, 0)
	return shift*histogramHalf + int(v>>shift)
}

// classEnd is the longest duration of a class.
func classEnd(class int) int64 {
	shift := max(class/histogramHalf-1, 0)
	return (int64(class-shift*histogramHalf)+1)<<shift - 1
}

func (h *histogram) record(took time.Duration) {
	classes := h.classes.Load()
	if classes == nil {
		h.classes.CompareAndSwap(nil, new([histogramClasses]atomic.Int64))
		classes = h.classes.Load()
	}
	classes[classOf(int64(took))].Add(1)
}

func (h *histogram) reset() { h.classes.Store(nil) }

// counts copies the classes as far as the last one in use. A histogram that
// has recorded nothing has none.
func (h *histogram) counts() (counts []int64, total int64) {
	classes := h.classes.Load()
	if classes == nil {
		return nil, 0
	}
	for i := range classes {
		if n := classes[i].Load(); n > 0 {
			counts = append(counts, make([]int64, i+1-len(counts))...)
			counts[i] = n
			total += n
		}
	}
	return counts, total
}

// percentile is the duration in nanoseconds that p percent of the counts do
// not exceed.
func percentile(counts []int64, total int64, p float64) int64 {
	wanted := max(int64(math.Ceil(min(p, 100)/100*float64(total))), 1)
	seen := int64(0)
	for class, n := range counts {
		if seen += n; seen >= wanted {
			return classEnd(class)
		}
	}
	return 0
}

// step is one line of a cumulative distribution: so many calls took no longer.
type step struct{ micros, calls int64 }

// distribution sums the counts up at powers of two from 1024 ns on, as far as
// a sum is larger than the one before it.
func distribution(counts []int64, total int64) (steps []step) {
	class, seen := 0, int64(0)
	for bound := int64(1024); seen < total; bound *= 2 {
		end := classOf(bound)
		before := seen
		for ; class < len(counts) && class <= end; class++ {
			seen += counts[class]
		}
		if seen > before {
			steps = append(steps, step{classEnd(end) / 1000, seen})
		}
		if bound > histogramMax {
			break
		}
	}
	return steps
}
