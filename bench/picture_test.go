//go:build linux

package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inventedReport is a report of a fan-out and of what the picture leaves out.
func inventedReport(t *testing.T) []byte {
	t.Helper()
	var r report
	r.Reference, r.Rounds = redisName, 2
	r.Machine = machine{Cores: 2, CPU: "<a kind>"}
	r.Servers = []*contender{{Name: slotcastName, Version: "redis_version 7.2.4, server_name slotcast, slotcast_version 0.1.0"}, {Name: redisName, Version: "redis_version 7.0.15"}}
	spec := small(fanoutSpec{depth: 16}, "channel")
	spec.subscribers = 5000
	for _, m := range []measurement{&fanout{spec: spec}, &forms{spec: spec}, &slotMoves{moves: 3}} {
		r.add(&result{
			measurement: m, contenders: r.Servers, reference: redisName,
			rounds: []round{
				{Server: slotcastName, Round: 1, Values: values{keyDeliveries: 3000, keyServerCPU: 0.5}},
				{Server: redisName, Round: 1, Values: values{keyDeliveries: 1000, keyServerCPU: 1}},
				{Server: slotcastName, Round: 2, Values: values{keyDeliveries: 5000, keyServerCPU: 0.5}},
				{Server: redisName, Round: 2, Values: values{keyDeliveries: 1000, keyServerCPU: 1}},
			},
		})
	}
	text, err := r.text()
	require.NoError(t, err)
	return text
}

// texts are what a picture says, and how many of each element it has.
func texts(t *testing.T, svg []byte) (said string, elements map[string]int) {
	t.Helper()
	elements = map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return said, elements
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			elements[e.Name.Local]++
		case xml.CharData:
			said += string(e) + "|"
		}
	}
}

func TestPicture(t *testing.T) {
	svg, err := drawPicture(inventedReport(t))
	require.NoError(t, err)
	said, elements := texts(t, svg)
	for _, want := range []string{"5,000 subscribers", "depth 16 by acknowledgement", "deliveries a second", "4,000 |×4.00", "1,000|",
		"0.500 |×0.500", "Medians of 2 rounds. 2 cores of <a kind>", "slotcast 0.1.0; redis-server 7.0.15"} {
		require.Contains(t, said, want)
	}
	require.Equal(t, 1, strings.Count(said, "subscribers"), "one measurement is of both servers")
	require.Equal(t, 1+2+4, elements["rect"], "the paper, the legend, two figures of two servers")
	require.Equal(t, 4, elements["path"], "whiskers")
	// The longest, with its whisker to 5,000, fills the width: 4,000 are four fifths of it.
	require.Regexp(t, `<rect class="own" x="250" y="\d+" width="148\.0"`, string(svg))
}

func TestPictureOfAnEarlierRun(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "results.json"), filepath.Join(dir, "bench.svg")
	require.NoError(t, os.WriteFile(from, inventedReport(t), 0o600))
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-from", from, "-picture", to}, &out))
	require.Empty(t, out.String(), "nothing is measured")
	svg, err := os.ReadFile(to)
	require.NoError(t, err)
	require.Contains(t, string(svg), "</svg>")

	require.Error(t, run(t.Context(), []string{"-from", from}, &out))
	require.Error(t, run(t.Context(), []string{"-from", to, "-picture", to}, &out), "no JSON")
	require.NoError(t, os.WriteFile(from, []byte(`{"reference": "redis-server"}`), 0o600))
	require.Error(t, run(t.Context(), []string{"-from", from, "-picture", to}, &out), "nothing in it")
}

func TestShortNumbers(t *testing.T) {
	for want, v := range map[string]float64{
		"0": 0, "0.051": 0.0512, "0.512": 0.5123, "5.12": 5.123, "51.2": 51.23, "512": 512.3, "5,123": 5123,
		"51.2 k": 51230, "512 k": 512300, "1.00 M": 999600, "5.12 M": 5123000,
	} {
		require.Equal(t, want, short(v))
	}
}
