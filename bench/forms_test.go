//go:build linux

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every form is measured on slotcast, and the messages of the ordinary channel
// are as long as rows.
func TestForms(t *testing.T) {
	binary, err := buildSlotcast(t.Context(), t.TempDir())
	require.NoError(t, err)
	m := &forms{spec: fanoutSpec{subscribers: 6, publishers: 1, rows: 3, depth: 1, readers: 2}, timing: brief}
	variants := m.variants([]*contender{{Name: redisName}, {Name: slotcastName, Command: slotcastCommand(binary)}})
	require.Len(t, variants, len(formList))
	for _, c := range variants {
		t.Run(c.Name, func(t *testing.T) {
			in, err := c.start(t.Context(), m.clients(), false)
			require.NoError(t, err)
			defer in.stop()
			v, err := m.measure(t.Context(), in)
			require.NoError(t, err)
			requireClean(t, v)
			mean, err := meanRow(in, m.spec.rows)
			require.NoError(t, err)
			payload, err := ordinaryPayload(in, m.spec.rows)
			require.NoError(t, err)
			header := mustKind("channel").listeners[0].header(2)
			require.InDelta(t, mean, newFixedFrames(header, payload).size, 1)
		})
	}
}

// The mixed subscribers are compared with the mean of the others, by round.
func TestMixedIsComparedWithTheMeanOfItsKinds(t *testing.T) {
	m := &forms{spec: fanoutSpec{rows: 1, depth: 1}}
	res := &result{measurement: m, reference: formList[0].name}
	for i, f := range formList {
		res.contenders = append(res.contenders, &contender{Name: f.name})
		for round1 := range 2 {
			res.rounds = append(res.rounds, round{Server: f.name, Round: round1 + 1,
				Values: values{keyDeliveries: float64((i + 1) * (round1 + 1))}})
		}
	}
	comparisons := res.comparisons()
	require.Len(t, comparisons, len(formList))
	last := comparisons[len(comparisons)-1]
	s, ok := res.ratio(last, figure{Key: keyDeliveries})
	require.True(t, ok)
	require.Equal(t, spread{5.0 / 3, 5.0 / 3, 5.0 / 3, 2}, s, "5 to the mean of 2, 3 and 4")
	var r report
	r.Reference = redisName
	r.add(res)
	require.Equal(t, s, r.Measurements[0].Ratios[last.label][keyDeliveries])
	require.Equal(t, 2.0, r.Measurements[0].Ratios[formList[1].name][keyDeliveries].Median)
	require.Equal(t, formList[0].name, r.Measurements[0].Reference)
}
