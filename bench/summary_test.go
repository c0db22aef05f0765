//go:build linux

package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want spread
	}{
		{[]float64{5}, spread{5, 5, 5, 1}},
		{[]float64{9, 1}, spread{5, 1, 9, 2}},
		{[]float64{3, 100, 1}, spread{3, 1, 100, 3}},
		{[]float64{4, math.NaN(), 2, math.Inf(1)}, spread{3, 2, 4, 2}},
	} {
		got, ok := spreadOf(c.list)
		require.True(t, ok)
		require.Equal(t, c.want, got)
	}
	_, ok := spreadOf([]float64{math.NaN()})
	require.False(t, ok)
}

// The ratio of a round is that of its own two figures: a round that was slow
// for both does not count as slow for one.
func TestRatiosPairTheRounds(t *testing.T) {
	of := column([]values{{"x": 10}, {"x": 2}, nil, {"x": 8}}, "x")
	reference := column([]values{{"x": 5}, {"x": 1}, {"x": 3}, {"x": 0}}, "x")
	got, ok := spreadOf(ratios(of, reference))
	require.True(t, ok)
	require.Equal(t, spread{2, 2, 2, 2}, got, "the third round failed, the fourth divides by zero")
}

func TestValuesInJSON(t *testing.T) {
	text, err := json.Marshal(values{"a": 1.5, "b": math.NaN(), "c": math.Inf(1)})
	require.NoError(t, err)
	require.JSONEq(t, `{"a": 1.5}`, string(text))
}

func TestNumber(t *testing.T) {
	for want, v := range map[string]float64{"0": 0.2, "999": 999, "1,000": 999.9, "1,234,568": 1234567.8, "-1,000": -1000} {
		require.Equal(t, want, number(v, 0))
	}
	require.Equal(t, "12,345.68", number(12345.678, 2))
	require.Equal(t, "0.00", number(-0.001, 2))
}

// The table of two servers: medians with their spread, the ratio by round, and
// what failed.
func TestTable(t *testing.T) {
	res := &result{
		measurement: &commandRate{tests: []string{"get"}, connections: 50, pipeline: 1, value: 3},
		contenders:  []*contender{{Name: slotcastName}, {Name: redisName}},
		reference:   redisName,
		rounds: []round{
			{Server: slotcastName, Round: 1, Values: values{"get_per_second": 2000}},
			{Server: redisName, Round: 1, Values: values{"get_per_second": 1000}},
			{Server: redisName, Round: 2, Values: values{"get_per_second": 3000}},
			{Server: slotcastName, Round: 2, Error: "gone"},
		},
	}
	var b strings.Builder
	printTable(&b, res)
	lines := strings.Split(b.String(), "\n")
	require.Equal(t, "redis-benchmark -t get -c 50 -P 1, 3-byte values, one key", lines[1])
	require.Equal(t, []string{"slotcast", "redis-server", "slotcast", "/", "redis-server"}, strings.Fields(lines[2]))
	require.Equal(t, []string{"GET/s", "2,000", "2,000", "(1,000–3,000)", "2.00"}, strings.Fields(lines[3]))
	require.Contains(t, b.String(), "failed: round 2 of slotcast: gone")

	var r report
	r.Reference = redisName
	r.add(res)
	require.Equal(t, spread{2, 2, 2, 1}, r.Measurements[0].Ratios[slotcastName]["get_per_second"])
	require.Equal(t, spread{2000, 1000, 3000, 2}, r.Measurements[0].Servers[redisName]["get_per_second"])
	require.NotContains(t, r.Measurements[0].Ratios, redisName)
}
