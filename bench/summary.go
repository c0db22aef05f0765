//go:build linux

package main

import (
	"encoding/json"
	"math"
	"slices"
)

// figure describes one number of a measurement: its key in the JSON file and
// how the table shows it.
type figure struct {
	Key      string `json:"key"`
	Label    string `json:"label"`
	decimals int
	// noRatio marks figures whose quotient says nothing, such as a count of
	// errors that should be zero.
	noRatio bool
}

// values are the figures of one round of one server, by key. A figure that
// could not be had is absent or NaN.
type values map[string]float64

// MarshalJSON leaves out what is not a number, for which JSON has no word.
func (v values) MarshalJSON() ([]byte, error) {
	out := make(map[string]float64, len(v))
	for k, f := range v {
		if !math.IsNaN(f) && !math.IsInf(f, 0) {
			out[k] = f
		}
	}
	return json.Marshal(out)
}

// spread is a figure over all rounds.
type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Rounds int     `json:"rounds"`
}

// spreadOf summarizes the rounds that have the figure; ok is false when none
// has it.
func spreadOf(list []float64) (s spread, ok bool) {
	list = slices.DeleteFunc(slices.Clone(list), func(v float64) bool {
		return math.IsNaN(v) || math.IsInf(v, 0)
	})
	if len(list) == 0 {
		return spread{}, false
	}
	slices.Sort(list)
	n := len(list)
	return spread{
		Median: (list[(n-1)/2] + list[n/2]) / 2,
		Min:    list[0], Max: list[n-1], Rounds: n,
	}, true
}

// column is one figure of each round; a round without it gives NaN.
func column(rounds []values, key string) []float64 {
	out := make([]float64, len(rounds))
	for i, v := range rounds {
		out[i] = math.NaN()
		if f, ok := v[key]; ok {
			out[i] = f
		}
	}
	return out
}

// means are those of several columns, round by round.
func means(columns [][]float64) []float64 {
	if len(columns) == 0 {
		return nil
	}
	out := slices.Clone(columns[0])
	for _, c := range columns[1:] {
		out = out[:min(len(out), len(c))]
		for i := range out {
			out[i] += c[i]
		}
	}
	for i := range out {
		out[i] /= float64(len(columns))
	}
	return out
}

// ratios divides round by round: what disturbs the machine for a while
// disturbs both servers of a round, and so cancels out better than in the
// quotient of two medians.
func ratios(of, reference []float64) []float64 {
	n := min(len(of), len(reference))
	out := make([]float64, n)
	for i := range n {
		out[i] = of[i] / reference[i]
	}
	return out
}
