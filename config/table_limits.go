package config

import "math"

// oneMiB is the least that Redis lets a query and a bulk be bounded to.
const oneMiB = 1 << 20

var limitsTable = []directive{
	{name: "maxclients", kind: integer{min: 1, max: math.MaxUint32}, def: "10000"},
	{name: "client-output-buffer-limit", kind: outputLimits{}, flags: multi,
		def: "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"},
	{name: "client-query-buffer-limit", kind: memory{min: oneMiB, max: maxInt64}, def: "1073741824"},
	{name: "proto-max-bulk-len", kind: memory{min: oneMiB, max: maxInt64}, def: "536870912"},
	{name: "maxmemory", kind: memory{max: math.MaxUint64}, def: "0"},
	{name: "maxmemory-policy", kind: oneOf("volatile-lru", "volatile-lfu", "volatile-random",
		"volatile-ttl", "allkeys-lru", "allkeys-lfu", "allkeys-random", "noeviction"), def: "noeviction",
		status: protects, why: "keys are not evicted here: beyond maxmemory writes are refused"},
	{name: "maxmemory-clients", kind: memoryOrPercent{}, def: "0", status: protects,
		why: "clients are not evicted to stay below a common limit; client-output-buffer-limit, " +
			"client-query-buffer-limit and maxclients bound them one by one"},
	{name: "maxmemory-samples", kind: integer{min: 1, max: maxInt32}, def: "5", status: accepted, why: noEviction},
	{name: "maxmemory-eviction-tenacity", kind: integer{min: 0, max: 100}, def: "10", status: accepted, why: noEviction},
	{name: "lfu-log-factor", kind: anyNatural, def: "10", status: accepted, why: noEviction},
	{name: "lfu-decay-time", kind: anyNatural, def: "1", status: accepted, why: noEviction},
	{name: "notify-keyspace-events", kind: notifyEvents{}},
	{name: "slowlog-log-slower-than", kind: integer{min: -1, max: maxInt64}, def: "10000"},
	{name: "slowlog-max-len", kind: anyCount, def: "128"},
	{name: "latency-monitor-threshold", kind: anyCount, def: "0"},
	{name: "latency-tracking", kind: boolean{}, def: "yes"},
	{name: "latency-tracking-info-percentiles", kind: percentiles{}, def: "50 99 99.9", flags: multi},
	{name: "tracking-table-max-keys", kind: anyCount, def: "1000000"},
}

const noEviction = "it tunes the eviction of keys, of which there is none"

var clusterTable = []directive{
	{name: "cluster-enabled", kind: clusterEnabled{}, flags: immutable, status: protects,
		why: "slotcast is always a cluster node: leave the line out for a node that owns all slots at once, " +
			"or say yes for one that starts empty",
		unsafe: func(text string) bool { return text == "no" }},
	// The default carries the port, so that several nodes can be started from
	// one folder; it is filled in when all of the configuration is read.
	{name: "cluster-config-file", kind: anyName, flags: immutable},
	{name: "cluster-node-timeout", kind: anyCount, def: "15000"},
	{name: "cluster-port", kind: anyPort, def: "0", flags: immutable},
	{name: "cluster-announce-ip", kind: str{emptyIsNone: true, check: announcedAddress}},
	{name: "cluster-announce-port", kind: anyPort, def: "0"},
	{name: "cluster-announce-tls-port", kind: anyPort, def: "0"},
	{name: "cluster-announce-bus-port", kind: anyPort, def: "0"},
	{name: "cluster-announce-hostname", kind: str{emptyIsNone: true, check: hostname}},
	{name: "cluster-announce-human-nodename", kind: str{emptyIsNone: true, check: humanNodename}},
	{name: "cluster-preferred-endpoint-type", kind: oneOf("ip", "hostname", "unknown-endpoint"), def: "ip"},
	{name: "cluster-require-full-coverage", kind: boolean{}, def: "yes"},
	{name: "cluster-allow-reads-when-down", kind: boolean{}, def: "no"},
	{name: "cluster-allow-pubsubshard-when-down", kind: boolean{}, def: "yes"},
	{name: "cluster-link-sendbuf-limit", kind: memory{max: math.MaxUint64}, def: "0"},
	{name: "cluster-allow-replica-migration", kind: boolean{}, def: "yes"},
	{name: "cluster-migration-barrier", kind: anyNatural, def: "1"},
	{name: "cluster-replica-validity-factor", alias: "cluster-slave-validity-factor", kind: anyNatural, def: "10"},
	{name: "cluster-replica-no-failover", alias: "cluster-slave-no-failover", kind: boolean{}, def: "no"},

	// Slotcast's own: the push of slot changes.
	{name: "cluster-slots-payload", kind: oneOf("auto", "row", "json"), def: "auto"},
	{name: "cluster-slots-push", kind: boolean{}, def: "yes"},
	{name: "cluster-maint-notifications", kind: boolean{}, def: "yes"},
}
