//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// profiler records a server with Linux perf while it is measured. It reads
// from outside, so the server needs no door for it; it costs a few percent,
// which is why figures taken with it are not for comparison.
type profiler struct {
	dir  string
	next int
}

// start records for d and returns how to wait for the end. A nil profiler
// does nothing.
func (p *profiler) start(in *instance, d time.Duration) (wait func() error, err error) {
	if p == nil || in.pid == 0 {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return nil, err
	}
	p.next++
	file := filepath.Join(p.dir, fmt.Sprintf("%02d-%s.perf", p.next, in.contender.Name))
	ctx, cancel := context.WithTimeout(context.Background(), d+30*time.Second)
	cmd := exec.CommandContext(ctx, "perf", "record", "-q", "-F", "499", "-g", "-o", file,
		"-p", strconv.Itoa(in.pid), "--", "sleep", strconv.FormatFloat(d.Seconds(), 'f', 3, 64))
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("perf: %w", err)
	}
	return func() error {
		defer cancel()
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("perf record: %w", err)
		}
		fmt.Fprintf(stderr, "  profile: perf report -i %s\n", file)
		return nil
	}, nil
}
