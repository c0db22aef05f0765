//go:build linux

package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// commandRate measures simple commands through redis-benchmark.
type commandRate struct {
	benchmark   string // path of redis-benchmark
	tests       []string
	connections int
	pipeline    int
	value       int // bytes
	keys        int // the range that keys are drawn from, zero for one key
	timing      timing
	profile     *profiler
	// requests by test: given, or found in the first round so that a run takes
	// the wanted time. Every server gets the same number.
	requests map[string]int
}

func (m *commandRate) title() string {
	keys := "one key"
	if m.keys > 0 {
		keys = counted(m.keys, "key")
	}
	return fmt.Sprintf("redis-benchmark -t %s -c %d -P %d, %d-byte values, %s",
		strings.Join(m.tests, ","), m.connections, m.pipeline, m.value, keys)
}

func (m *commandRate) settings() any {
	return struct {
		Kind        string         `json:"kind"`
		Tests       []string       `json:"tests"`
		Connections int            `json:"connections"`
		Pipeline    int            `json:"pipeline"`
		Value       int            `json:"value_bytes"`
		Keys        int            `json:"keys"`
		Requests    map[string]int `json:"requests"`
	}{"commands", m.tests, m.connections, m.pipeline, m.value, m.keys, m.requests}
}

func (m *commandRate) clients() int          { return m.connections + spareClients }
func (m *commandRate) suits(*contender) bool { return true }

func (m *commandRate) figures() []figure {
	var list []figure
	for _, t := range m.tests {
		name := strings.ToUpper(t)
		list = append(list,
			figure{Key: t + "_per_second", Label: name + "/s"},
			figure{Key: t + "_server_cpu_us", Label: name + " server CPU µs", decimals: 2},
			figure{Key: t + "_p50_ms", Label: name + " p50, ms", decimals: 3},
			figure{Key: t + "_p99_ms", Label: name + " p99, ms", decimals: 3},
		)
	}
	return append(list, figure{Key: keyOtherCores, Label: "cores: others, redis-benchmark included", decimals: 2, noRatio: true})
}

// firstRequests is the size of the run that finds out how many requests fill
// the wanted time.
const firstRequests = 20000

func (m *commandRate) measure(ctx context.Context, in *instance) (values, error) {
	out := values{}
	var others []float64
	// GET shall find what it asks for.
	if _, err := m.run(ctx, in, "set", max(3*m.keys, 1)); err != nil {
		return nil, err
	}
	for _, test := range m.tests {
		if m.requests[test] == 0 {
			first, err := m.run(ctx, in, test, firstRequests)
			if err != nil {
				return nil, err
			}
			m.requests[test] = max(int(first.rate*m.timing.Duration.Seconds()), firstRequests)
		}
		n := m.requests[test]
		if share := m.timing.Warmup.Seconds() / m.timing.Duration.Seconds(); share > 0 {
			if _, err := m.run(ctx, in, test, max(int(float64(n)*share), 1)); err != nil {
				return nil, err
			}
		}
		stopProfile, err := m.profile.start(in, m.timing.Duration)
		if err != nil {
			return nil, err
		}
		before := readBusyTime(in.pid)
		got, err := m.run(ctx, in, test, n)
		if err != nil {
			return nil, err
		}
		after := readBusyTime(in.pid)
		if err := stopProfile(); err != nil {
			return nil, err
		}
		out[test+"_per_second"], out[test+"_p50_ms"], out[test+"_p99_ms"] = got.rate, got.p50, got.p99
		if in.pid != 0 {
			out[test+"_server_cpu_us"] = float64((after.server - before.server).Microseconds()) / float64(n)
		}
		_, _, busy := before.cores(after, in.pid)
		others = append(others, busy)
	}
	if s, ok := spreadOf(others); ok {
		out[keyOtherCores] = s.Median
	}
	return out, nil
}

// commandRun is what redis-benchmark says of one test.
type commandRun struct {
	rate, p50, p99 float64 // requests a second, milliseconds
}

func (m *commandRate) run(ctx context.Context, in *instance, test string, requests int) (commandRun, error) {
	args := []string{
		"-h", in.host, "-p", strconv.Itoa(in.port), "--csv", "-t", test,
		"-c", strconv.Itoa(m.connections), "-P", strconv.Itoa(m.pipeline),
		"-d", strconv.Itoa(m.value), "-n", strconv.Itoa(requests),
	}
	if m.keys > 0 {
		args = append(args, "-r", strconv.Itoa(m.keys))
	}
	cmd := exec.CommandContext(ctx, m.benchmark, args...)
	text, err := cmd.Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return commandRun{}, fmt.Errorf("redis-benchmark: %w", err)
	}
	return parseCommandRun(string(text), test)
}

// parseCommandRun reads the line of a test by the names in the first line.
func parseCommandRun(text, test string) (commandRun, error) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return commandRun{}, fmt.Errorf("redis-benchmark's output: %w", err)
	}
	for _, line := range lines[min(1, len(lines)):] {
		if !strings.EqualFold(line[0], test) {
			continue
		}
		var out commandRun
		for i, name := range lines[0] {
			field, known := map[string]*float64{"rps": &out.rate, "p50_latency_ms": &out.p50, "p99_latency_ms": &out.p99}[name]
			if !known {
				continue
			}
			if *field, err = strconv.ParseFloat(line[i], 64); err != nil {
				return commandRun{}, fmt.Errorf("redis-benchmark's %s: %w", name, err)
			}
		}
		if out.rate > 0 {
			return out, nil
		}
	}
	return commandRun{}, fmt.Errorf("redis-benchmark says nothing of %s: %q", test, text)
}
