package server

// diagnosticCommands are those that look into the server: SLOWLOG, LATENCY and
// MEMORY.
func diagnosticCommands() []command {
	const look = admin | noScript | loading | stale
	const slow = admin | loading | stale
	sub := func(name string, arity int, f flags, since string, handler func(*call), tips ...string) *command {
		return &command{name: name, arity: arity, flags: f, since: since, handler: handler, tips: tips}
	}
	usage := sub("usage", -3, readonly, "4.0.0", memoryUsage)
	usage.keys = []keySpec{{flags: keyRO, begin: 2, step: 1}}
	return []command{
		{name: "slowlog", arity: -2, group: "server", since: "2.2.12", subcommands: []*command{
			sub("get", -2, slow, "2.2.12", slowlogGet, onAllNodes, changes),
			sub("help", 2, loading|stale, "6.2.0", help(slowlogHelp)),
			sub("len", 2, slow, "2.2.12", slowlogLen, onAllNodes, "response_policy:agg_sum", changes),
			sub("reset", 2, slow, "2.2.12", slowlogReset, onAllNodes, allSucceed),
		}},
		{name: "latency", arity: -2, group: "server", since: "2.8.13", subcommands: []*command{
			sub("doctor", 2, look, "2.8.13", latencyDoctor, changes, onAllNodes, special),
			sub("graph", 3, look, "2.8.13", latencyGraph, changes, onAllNodes, special),
			sub("help", 2, loading|stale, "2.8.13", help(latencyHelp)),
			sub("histogram", -2, look, "7.0.0", latencyHistogram, changes, onAllNodes, special),
			sub("history", 3, look, "2.8.13", latencyHistory, changes, onAllNodes, special),
			sub("latest", 2, look, "2.8.13", latencyLatest, changes, onAllNodes, special),
			sub("reset", -2, look, "2.8.13", latencyReset, onAllNodes, allSucceed),
		}},
		{name: "memory", arity: -2, group: "server", since: "4.0.0", subcommands: []*command{
			sub("doctor", 2, 0, "4.0.0", memoryDoctor, changes, onAllShards, special),
			sub("help", 2, loading|stale, "4.0.0", help(memoryHelp)),
			sub("malloc-stats", 2, 0, "4.0.0", memoryMallocStats, changes, onAllShards, special),
			sub("purge", 2, waits, "4.0.0", memoryPurge, onAllShards, allSucceed),
			sub("stats", 2, 0, "4.0.0", memoryStats, changes, onAllShards, special),
			usage,
		}},
	}
}
