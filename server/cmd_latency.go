package server

import (
	"fmt"
	"strings"
	"time"
)

var latencyHelp = []string{
	"LATENCY <subcommand> [argument ...], where <subcommand> is one of:",
	"DOCTOR",
	"    Print a report for people on what took long.",
	"GRAPH <event>",
	"    Draw the latest samples of an event.",
	"HISTOGRAM [command ...]",
	"    Print how many calls of each command took how many microseconds.",
	"HISTORY <event>",
	"    List time and milliseconds of an event's latest samples.",
	"LATEST",
	"    List the latest sample and the longest time of each event.",
	"RESET [event ...]",
	"    Forget the samples of all events or of those named.",
	"HELP",
	"    Print this text.",
}

func latencyLatest(cl *call) {
	events := cl.server.latency.all()
	cl.reply.Array(len(events))
	for _, e := range events {
		last := e.samples[len(e.samples)-1]
		cl.reply.Array(4)
		cl.reply.BulkString(e.name)
		cl.reply.Int(last.at)
		cl.reply.Int(last.millis)
		cl.reply.Int(e.max)
	}
}

func latencyHistory(cl *call) {
	e, _ := cl.server.latency.event(cl.str(2))
	cl.reply.Array(len(e.samples))
	for _, sample := range e.samples {
		cl.reply.Array(2)
		cl.reply.Int(sample.at)
		cl.reply.Int(sample.millis)
	}
}

func latencyReset(cl *call) {
	var names []string
	for _, a := range cl.args[2:] {
		names = append(names, string(a))
	}
	cl.reply.Int(int64(cl.server.latency.reset(names)))
}

// graphHeight is the number of lines of a drawing.
const graphHeight = 5

// latencyGraph draws a column for each sample, as high as its share of the
// longest, with its age below.
func latencyGraph(cl *call) {
	e, ok := cl.server.latency.event(cl.str(2))
	if !ok {
		cl.fail(errNoSamples(cl.args[2]))
		return
	}
	low, high := e.samples[0].millis, e.samples[0].millis
	for _, s := range e.samples {
		low, high = min(low, s.millis), max(high, s.millis)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s - high %d ms, low %d ms (all time high %d ms)\n%s\n", e.name, high, low, e.max, strings.Repeat("-", 80))
	shown := e.samples[max(0, len(e.samples)-80):]
	for row := graphHeight; row > 0; row-- {
		for _, s := range shown {
			if s.millis*graphHeight > high*int64(row-1) {
				b.WriteByte('#')
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	ages := make([]string, len(shown))
	widest := 0
	for i, s := range shown {
		ages[i] = shortAge(max(0, cl.now/1000-s.at))
		widest = max(widest, len(ages[i]))
	}
	for row := range widest {
		b.WriteByte('\n')
		for _, age := range ages {
			if row < len(age) {
				b.WriteByte(age[row])
			} else {
				b.WriteByte(' ')
			}
		}
	}
	b.WriteByte('\n')
	cl.reply.Verbatim("txt", b.String())
}

// shortAge spells seconds with the largest unit that fits.
func shortAge(seconds int64) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 60*60:
		return fmt.Sprintf("%dm", seconds/60)
	case seconds < 24*60*60:
		return fmt.Sprintf("%dh", seconds/(60*60))
	}
	return fmt.Sprintf("%dd", seconds/(24*60*60))
}

func latencyDoctor(cl *call) {
	v := cl.server.config.Values()
	events := cl.server.latency.all()
	var b strings.Builder
	switch {
	case v.LatencyMillis == 0:
		b.WriteString("Nothing is measured: latency-monitor-threshold is 0. " +
			"CONFIG SET latency-monitor-threshold <milliseconds> turns the monitor on.\n")
	case len(events) == 0:
		fmt.Fprintf(&b, "Nothing has taken %d milliseconds or longer so far.\n", v.LatencyMillis)
	default:
		fmt.Fprintf(&b, "What took %d milliseconds or longer:\n\n", v.LatencyMillis)
		for i, e := range events {
			sum := int64(0)
			for _, s := range e.samples {
				sum += s.millis
			}
			fmt.Fprintf(&b, "%d. %s: %d seconds with a slow event, %d ms on average, %d ms at worst. LATENCY HISTORY %s lists them.\n",
				i+1, e.name, len(e.samples), sum/int64(len(e.samples)), e.max, e.name)
		}
		b.WriteString("\nSLOWLOG GET names the commands with their arguments")
		if least := time.Duration(v.LatencyMillis) * time.Millisecond; v.SlowlogMicros < 0 || v.SlowlogMicros > least.Microseconds() {
			fmt.Fprintf(&b, ", once CONFIG SET slowlog-log-slower-than %d makes it listen as closely", least.Microseconds())
		}
		b.WriteString(". A command holds up others of its slot alone; FLUSHALL and transactions over many slots hold up all.\n")
	}
	cl.reply.Verbatim("txt", b.String())
}

// latencyHistogram answers for the named commands, a container's name standing
// for its subcommands, or for all that were called.
func latencyHistogram(cl *call) {
	var shown []*command
	add := func(cmd *command) {
		if _, total := cmd.stats.latency.counts(); total > 0 {
			shown = append(shown, cmd)
		}
	}
	if len(cl.args) == 2 {
		cl.server.eachCommand(add)
	}
	for _, name := range cl.args[2:] {
		cmd := cl.server.commands.named(string(name))
		if cmd == nil {
			continue
		}
		add(cmd)
		for _, sub := range cmd.subcommands {
			add(sub)
		}
	}
	cl.reply.Map(len(shown))
	for _, cmd := range shown {
		counts, total := cmd.stats.latency.counts()
		cl.reply.BulkString(cmd.fullName)
		cl.reply.Map(2)
		cl.reply.BulkString("calls")
		cl.reply.Int(total)
		cl.reply.BulkString("histogram_usec")
		steps := distribution(counts, total)
		cl.reply.Map(len(steps))
		for _, st := range steps {
			cl.reply.Int(st.micros)
			cl.reply.Int(st.calls)
		}
	}
}
