//go:build linux

package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clockStart is the zero of now.
var clockStart = time.Now()

// now is the monotonic clock in nanoseconds.
func now() int64 { return int64(time.Since(clockStart)) }

// tick is the unit of processor time in /proc, the same on every Linux.
const tick = 10 * time.Millisecond

// cpuTime is the processor time that a process has used, in user and kernel
// mode, all threads together. Loopback makes the sender do most of the
// receiver's network stack, so what a write costs is in it.
func cpuTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseCPUTime(stat)
}

// parseCPUTime reads utime and stime, fields 14 and 15. The name in field 2
// may hold blanks and brackets, so the count begins behind its last one.
func parseCPUTime(stat []byte) (time.Duration, error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("stat of a process: %d fields in %q", len(fields), stat)
	}
	sum := int64(0)
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("stat of a process: %w", err)
		}
		sum += n
	}
	return time.Duration(sum) * tick, nil
}

// residentBytes is the memory of a process that is in RAM (VmRSS).
func residentBytes(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	return parseResident(status)
}

// peakBytes is the most that residentBytes has been (VmHWM).
func peakBytes(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	return parseKilobytes(status, "VmHWM")
}

func parseResident(status []byte) (float64, error) { return parseKilobytes(status, "VmRSS") }

// parseKilobytes reads one of the sizes, in bytes.
func parseKilobytes(status []byte, name string) (float64, error) {
	for line := range bytes.Lines(status) {
		rest, ok := bytes.CutPrefix(line, []byte(name+":"))
		if !ok {
			continue
		}
		f := bytes.Fields(rest)
		if len(f) != 2 || string(f[1]) != "kB" {
			break
		}
		kb, err := strconv.ParseInt(string(f[0]), 10, 64)
		return float64(kb) * 1024, err
	}
	return 0, fmt.Errorf("status of a process: no %s in kB", name)
}

// resetPeak begins peakBytes anew, and reports whether the kernel allows it.
func resetPeak(pid int) bool {
	const peakOnly = "5"
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte(peakOnly), 0) == nil
}

// ownCPUTime is the load generator's own processor time.
func ownCPUTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// machineCPUTime is the time that all processors together were busy.
func machineCPUTime() time.Duration {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return parseMachineCPUTime(stat)
}

// parseMachineCPUTime adds up the first line but for idle and waiting time
// and for guests, which are part of user time already.
func parseMachineCPUTime(stat []byte) time.Duration {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	fields := bytes.Fields(line)
	sum := int64(0)
	for i, f := range fields {
		switch i {
		case 1, 2, 3, 6, 7, 8: // user nice system irq softirq steal
			n, _ := strconv.ParseInt(string(f), 10, 64)
			sum += n
		}
	}
	return time.Duration(sum) * tick
}

// busyTime is the processor time used so far by those who share the machine.
type busyTime struct {
	at                   time.Time
	server, own, machine time.Duration
}

// readBusyTime reads it for a server, whose part is unknown when pid is zero.
func readBusyTime(pid int) busyTime {
	u := busyTime{at: time.Now(), own: ownCPUTime(), machine: machineCPUTime()}
	if pid != 0 {
		u.server, _ = cpuTime(pid)
	}
	return u
}

// cores is how many processors each kept busy between two readings; the
// server's share is NaN when it is not known.
func (u busyTime) cores(later busyTime, pid int) (server, own, others float64) {
	wall := later.at.Sub(u.at).Seconds()
	own = (later.own - u.own).Seconds() / wall
	server = (later.server - u.server).Seconds() / wall
	others = max((later.machine-u.machine).Seconds()/wall-own-server, 0)
	if pid == 0 {
		return math.NaN(), own, math.NaN()
	}
	return server, own, others
}

// machine describes where the figures come from.
type machine struct {
	Cores       int    `json:"cores"`
	CPU         string `json:"cpu"`
	Kernel      string `json:"kernel"`
	LoadAverage string `json:"load_average_at_start"`
	Go          string `json:"go"`
}

func describeMachine() machine {
	m := machine{Cores: runtime.NumCPU(), Go: runtime.Version()}
	if b, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = strings.TrimSpace(string(b))
	}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.LoadAverage = strings.Join(strings.Fields(string(b))[:3], " ")
	}
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	return m
}
