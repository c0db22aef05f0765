//go:build linux

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// sortedQuantile is the plain way: sort, and take the value at the rank.
func sortedQuantile(list []int64, q float64) int64 {
	list = slices.Sorted(slices.Values(list))
	return list[max(int(math.Ceil(q*float64(len(list)))), 1)-1]
}

func TestQuantilesAgreeWithSortedValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shapes := map[string]func() int64{
		"small":  func() int64 { return random.Int64N(100) },
		"even":   func() int64 { return random.Int64N(5e9) },
		"skewed": func() int64 { return int64(math.Exp(random.Float64() * 28)) },
		"equal":  func() int64 { return 123456789 },
	}
	for name, draw := range shapes {
		for _, n := range []int{1000, 20000} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				var whole, odd, even histogram
				list := make([]int64, n)
				for i := range list {
					list[i] = draw()
					whole.record(list[i])
					if i%2 == 0 {
						even.record(list[i])
					} else {
						odd.record(list[i])
					}
				}
				odd.merge(&even)
				require.Equal(t, whole, odd, "two halves merged are the whole")
				for _, q := range []float64{0.001, 0.25, 0.5, 0.9, 0.99, 0.999} {
					want := float64(sortedQuantile(list, q))
					got := whole.quantile(q)
					require.GreaterOrEqual(t, got, want, "q=%v", q)
					require.LessOrEqual(t, got, want*(1+1.0/128)+1, "q=%v", q)
				}
				require.LessOrEqual(t, whole.quantile(0.999), float64(slices.Max(list)))
			})
		}
	}
}

// Every bucket begins where the one before it ends, and holds its own top.
func TestBucketsCoverTheRangeWithoutGap(t *testing.T) {
	for i := range bucketCount {
		top := bucketTop(i)
		require.Equal(t, i, bucket(top), "top of bucket %d", i)
		if i+1 < bucketCount {
			require.Equal(t, i+1, bucket(top+1), "value after bucket %d", i)
		}
	}
	require.Equal(t, int64(1)<<maxBits-1, bucketTop(bucketCount-1))
	require.Equal(t, 0, bucket(-5))
	require.Equal(t, bucketCount-1, bucket(math.MaxInt64))
}

func TestQuantileNeedsEnoughValues(t *testing.T) {
	var h histogram
	require.True(t, math.IsNaN(h.quantile(0.5)))
	for range 99 {
		h.record(7)
	}
	require.Equal(t, 7.0, h.quantile(0.5))
	require.True(t, math.IsNaN(h.quantile(0.99)), "the p99 of 99 values")
	h.record(9)
	require.Equal(t, 7.0, h.quantile(0.99))
}
