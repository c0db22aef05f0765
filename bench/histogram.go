//go:build linux

package main

import (
	"math"
	"math/bits"
)

const (
	// subBits is how many bits of a value are kept: buckets are at most
	// 1/128 of their value wide, so a percentile is right within 0.8 %.
	subBits = 7
	// maxBits bounds what is told apart, 2^42 ns or 73 minutes.
	maxBits = 42

	bucketCount = (maxBits - subBits + 1) << subBits
)

// histogram counts durations in nanoseconds in buckets whose width grows with
// the value. It belongs to one goroutine; several are merged afterwards.
type histogram struct {
	buckets [bucketCount]uint64
	count   uint64
	highest int64
}

// bucket is the index of v's bucket: exact up to 2^subBits, then subBits bits
// behind each leading one.
func bucket(v int64) int {
	v = min(max(v, 0), 1<<maxBits-1)
	if v < 1<<subBits {
		return int(v)
	}
	shift := bits.Len64(uint64(v)) - subBits - 1
	return shift<<subBits + int(v>>shift)
}

// bucketTop is the greatest value that falls into a bucket.
func bucketTop(i int) int64 {
	if i < 1<<subBits {
		return int64(i)
	}
	shift := i>>subBits - 1
	return int64(i-shift<<subBits+1)<<shift - 1
}

func (h *histogram) record(v int64) {
	h.buckets[bucket(v)]++
	h.count++
	h.highest = max(h.highest, v)
}

func (h *histogram) merge(other *histogram) {
	for i, n := range other.buckets {
		h.buckets[i] += n
	}
	h.count += other.count
	h.highest = max(h.highest, other.highest)
}

// quantile is the value that a share q of all recorded ones do not exceed. It
// is never below the true value, and NaN when so few were recorded that no
// whole one lies above it: the p99 of fifty is their maximum, and luck.
func (h *histogram) quantile(q float64) float64 {
	const rounding = 1e-9 // of 1-q
	if float64(h.count)*(1-q) < 1-rounding {
		return math.NaN()
	}
	rank := max(uint64(math.Ceil(q*float64(h.count))), 1)
	seen := uint64(0)
	for i, n := range h.buckets {
		seen += n
		if seen >= rank {
			return float64(min(bucketTop(i), h.highest))
		}
	}
	return float64(h.highest)
}

// least is about the least value that was recorded, NaN if none was.
func (h *histogram) least() float64 {
	for i, n := range h.buckets {
		if n > 0 {
			return float64(min(bucketTop(i), h.highest))
		}
	}
	return math.NaN()
}
