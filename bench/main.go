//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	o, err := parseFlags(args, stdout)
	if err != nil {
		return err
	}
	if o.from != "" {
		text, err := os.ReadFile(o.from)
		if err != nil {
			return err
		}
		return writePicture(o.picture, text)
	}
	dir, err := os.MkdirTemp("", "bench-build-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := o.findClients(ctx, dir); err != nil {
		return err
	}
	plan, err := o.plan()
	if err != nil {
		return err
	}
	if err := checkDescriptors(plan); err != nil {
		return err
	}
	contenders, err := o.contenders(ctx, dir)
	if err != nil {
		return err
	}

	rep := &report{Started: time.Now(), Machine: describeMachine(), Reference: o.reference, Rounds: o.rounds, Unix: o.unix, Servers: contenders}
	m := rep.Machine
	fmt.Fprintf(stdout, "%d cores of %s, Linux %s, %s, load average %s\n", m.Cores, m.CPU, m.Kernel, m.Go, m.LoadAverage)
	fmt.Fprintf(stdout, "%s; warm-up %v, then %v; median (least–greatest)\n", counted(o.rounds, "round"), o.timing.Warmup, o.timing.Duration)
	r := &runner{contenders: contenders, rounds: o.rounds, unix: o.unix, reference: o.reference, progress: stderr}
	var results []*result
	for i, m := range plan {
		fmt.Fprintf(stderr, "%d of %d: %s\n", i+1, len(plan), m.title())
		res, err := r.run(ctx, m)
		if err != nil {
			return err
		}
		printTable(stdout, res)
		results = append(results, res)
		rep.add(res)
		// After each, so that what was measured survives an interruption.
		if o.json != "" {
			if err := rep.write(o.json); err != nil {
				return err
			}
		}
	}
	printMarkdown(stdout, results)
	if o.picture != "" {
		text, err := rep.text()
		if err != nil {
			return err
		}
		if err := writePicture(o.picture, text); err != nil {
			return err
		}
	}
	fmt.Fprintln(stdout)
	failed := 0
	for _, m := range rep.Measurements {
		for _, r := range m.Rounds {
			if r.Error != "" {
				failed++
			}
		}
	}
	for _, c := range contenders {
		if c.Version != "" {
			fmt.Fprintf(stdout, "%s: %s\n", c.Name, c.Version)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%s failed", counted(failed, "round"))
	}
	return nil
}

// contenders are the servers that the options name.
func (o *options) contenders(ctx context.Context, dir string) ([]*contender, error) {
	names := []string{slotcastName, redisName}
	for _, c := range o.added {
		names = append(names, c.Name)
	}
	wanted := o.servers
	if len(wanted) == 0 {
		wanted = names
	}
	if err := among("-servers", wanted, names...); err != nil {
		return nil, err
	}
	var list []*contender
	for _, name := range names {
		if !slices.Contains(wanted, name) {
			continue
		}
		switch name {
		case slotcastName:
			binary := o.slotcast
			if binary == "" {
				fmt.Fprintln(stderr, "building slotcast")
				var err error
				if binary, err = buildSlotcast(ctx, dir); err != nil {
					return nil, err
				}
			}
			binary, err := filepath.Abs(binary) // it runs in a folder of its own
			if err != nil {
				return nil, err
			}
			list = append(list, &contender{Name: name, Command: append(slotcastCommand(binary), strings.Fields(o.slotcastArgs)...)})
		case redisName:
			binary, err := exec.LookPath(o.redis)
			if err != nil {
				return nil, fmt.Errorf("%w: install it, name it with -redis-server, or leave it out with -servers", err)
			}
			list = append(list, &contender{Name: name, Command: append(redisCommand(binary), strings.Fields(o.redisArgs)...)})
		default:
			i := slices.IndexFunc(o.added, func(c *contender) bool { return c.Name == name })
			list = append(list, o.added[i])
		}
	}
	return list, nil
}

// checkDescriptors refuses what the limit of open files does not allow, here
// or in a server, before an hour of measuring ends in it.
func checkDescriptors(plan []measurement) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	for _, m := range plan {
		if need := uint64(m.clients()) + 64; need > limit.Max {
			return fmt.Errorf("%s: needs %d open files, the limit (ulimit -Hn) is %d", m.title(), need, limit.Max)
		}
	}
	return nil
}
