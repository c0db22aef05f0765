package server

import (
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"strings"

	"slotcast/keyspace"
)

var memoryHelp = []string{
	"MEMORY <subcommand> [argument ...], where <subcommand> is one of:",
	"DOCTOR",
	"    Print a report for people on the use of memory.",
	"MALLOC-STATS",
	"    Print the figures of the Go runtime.",
	"PURGE",
	"    Collect garbage and give free memory back to the system.",
	"STATS",
	"    Print what memory is used for, as a map.",
	"USAGE <key> [SAMPLES <count>]",
	"    Print how many bytes a key takes, name and value included.",
	"HELP",
	"    Print this text.",
}

// memoryUsage counts every element of a value, so SAMPLES, which tells Redis
// how many to look at, is checked and alters nothing.
func memoryUsage(cl *call) {
	for i := 3; i < len(cl.args); i += 2 {
		if !is(cl.args[i], "samples") || i+1 == len(cl.args) {
			cl.fail(errSyntax)
			return
		}
		n, ok := parseInt(cl.args[i+1])
		if !ok {
			cl.fail(errNotInteger)
			return
		}
		if n < 0 {
			cl.fail(errSyntax)
			return
		}
	}
	e := cl.slot.Lookup(cl.args[2], cl.now, keyspace.Peek)
	if e == nil {
		cl.reply.Null()
		return
	}
	cl.reply.Int(e.Size())
}

// memoryPurge collects garbage, which takes a while.
func memoryPurge(cl *call) {
	debug.FreeOSMemory()
	cl.server.memory.sample()
	cl.reply.OK()
}

func memoryStats(cl *call) {
	f := cl.server.memory.figures()
	st := cl.server.keys.Stats(cl.now)
	r := cl.reply
	ints := func(pairs ...any) {
		for i := 0; i < len(pairs); i += 2 {
			r.BulkString(pairs[i].(string))
			r.Int(pairs[i+1].(int64))
		}
	}
	double := func(name string, v float64) {
		r.BulkString(name)
		r.Double(v)
	}
	none := int64(0)
	overhead := f.used - f.keys
	fields := 27
	if st.Keys > 0 {
		fields++
	}
	r.Map(fields)
	ints("peak.allocated", f.peak, "total.allocated", f.used, "startup.allocated", f.startup,
		"replication.backlog", none, "clients.slaves", none, "clients.normal", cl.server.stats.clientBytes.Load(),
		"cluster.links", none, "aof.buffer", none, "lua.caches", none, "functions.caches", none)
	if st.Keys > 0 {
		// Names and values are in the dataset; the tables are a part of each
		// key's size, and slots need no index of their own.
		r.BulkString("db.0")
		r.Map(3)
		ints("overhead.hashtable.main", none, "overhead.hashtable.expires", none, "overhead.hashtable.slot-to-keys", none)
	}
	ints("overhead.total", overhead, "keys.count", st.Keys, "keys.bytes-per-key", max(0, f.used-f.startup)/max(st.Keys, 1),
		"dataset.bytes", f.keys)
	double("dataset.percentage", share(f.keys, f.used-f.startup))
	double("peak.percentage", share(f.used, f.peak))
	ints("allocator.allocated", f.used, "allocator.active", f.active, "allocator.resident", f.resident)
	double("allocator-fragmentation.ratio", share(f.active, f.used)/100)
	ints("allocator-fragmentation.bytes", f.active-f.used)
	double("allocator-rss.ratio", share(f.resident, f.active)/100)
	ints("allocator-rss.bytes", f.resident-f.active)
	double("rss-overhead.ratio", share(f.rss, f.resident)/100)
	ints("rss-overhead.bytes", f.rss-f.resident)
	double("fragmentation", share(f.rss, f.used)/100)
	ints("fragmentation.bytes", f.rss-f.used)
}

// share is a part of a whole in percent.
func share(part, whole int64) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

func memoryDoctor(cl *call) {
	f := cl.server.memory.figures()
	limit := cl.server.config.Values().MaxMemory
	var b strings.Builder
	fmt.Fprintf(&b, "In use: %s, of which keys and values: %s. Peak: %s. Given by the system: %s.\n",
		humanBytes(f.used), humanBytes(f.keys), humanBytes(f.peak), humanBytes(f.rss))
	switch {
	case limit == 0:
		b.WriteString("maxmemory is 0: writes are never refused for want of memory.\n")
	case f.used > limit:
		fmt.Fprintf(&b, "That is above maxmemory (%s): commands that need memory are refused.\n", humanBytes(limit))
	default:
		fmt.Fprintf(&b, "maxmemory is %s: %.0f%% are used.\n", humanBytes(limit), share(f.used, limit))
	}
	if clients := cl.server.stats.clientBytes.Load(); clients > f.used/4 && clients > 16<<20 {
		fmt.Fprintf(&b, "Clients' buffers hold %s: CLIENT LIST shows whose, client-output-buffer-limit bounds them.\n", humanBytes(clients))
	}
	if f.peak > 3*f.used/2 && f.peak > 64<<20 {
		b.WriteString("Much more was in use before: MEMORY PURGE gives back what is free.\n")
	}
	cl.reply.Verbatim("txt", b.String())
}

// memoryMallocStats prints the runtime's own figures, one a line.
func memoryMallocStats(cl *call) {
	var samples []metrics.Sample
	for _, d := range metrics.All() {
		if strings.HasPrefix(d.Name, "/memory/") || strings.HasPrefix(d.Name, "/gc/") {
			samples = append(samples, metrics.Sample{Name: d.Name})
		}
	}
	metrics.Read(samples)
	var b strings.Builder
	for _, s := range samples {
		switch s.Value.Kind() {
		case metrics.KindUint64:
			fmt.Fprintf(&b, "%s %d\n", s.Name, s.Value.Uint64())
		case metrics.KindFloat64:
			fmt.Fprintf(&b, "%s %g\n", s.Name, s.Value.Float64())
		}
	}
	cl.reply.Verbatim("txt", b.String())
}
