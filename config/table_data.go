package config

import (
	"slices"
)

const (
	noSnapshot    = "no snapshot is written or read: keys live in memory alone"
	noAOF         = "it tunes the append-only file, of which there is none"
	noReplication = "there is no replication link here for it to apply to"
)

// stockSaves are the save points of stock configuration files, 7 and before.
// A file that was never edited says nothing about what its owner needs, so
// they only warn; points that somebody chose stop the start.
var stockSaves = []string{"3600 1 300 100 60 10000", "900 1 300 10 60 10000"}

var diskTable = []directive{
	// Redis's default are the stock points. Here it is none, so that CONFIG
	// GET does not promise snapshots that nobody takes.
	{name: "save", kind: savePoints{}, flags: multi, status: protects, why: noSnapshot,
		unsafe: func(text string) bool { return !slices.Contains(stockSaves, text) }},
	{name: "dbfilename", kind: str{check: fileName("dbfilename", "filename")}, def: "dump.rdb", flags: guarded,
		status: accepted, why: noSnapshot},
	{name: "stop-writes-on-bgsave-error", kind: boolean{}, def: "yes", status: accepted, why: noSnapshot},
	{name: "rdbcompression", kind: boolean{}, def: "yes", status: accepted, why: noSnapshot},
	{name: "rdbchecksum", kind: boolean{}, def: "yes", flags: immutable, status: accepted, why: noSnapshot},
	{name: "rdb-del-sync-files", kind: boolean{}, def: "no", status: accepted, why: noSnapshot},
	{name: "rdb-save-incremental-fsync", kind: boolean{}, def: "yes", status: accepted, why: noSnapshot},
	{name: "rdb-key-save-delay", kind: integer{min: -maxInt32 - 1, max: maxInt32}, def: "0", flags: hidden,
		status: accepted, why: noSnapshot},
	{name: "key-load-delay", kind: integer{min: -maxInt32 - 1, max: maxInt32}, def: "0", flags: hidden,
		status: accepted, why: noSnapshot},
	{name: "loading-process-events-interval-bytes", kind: integer{min: 1024, max: maxInt32}, def: "2097152",
		flags: hidden, status: accepted, why: noSnapshot},
	{name: "sanitize-dump-payload", kind: oneOf("no", "yes", "clients"), def: "no", status: accepted,
		why: "what RESTORE reads is checked in full in any case"},

	{name: "appendonly", kind: boolean{}, def: "no", status: protects,
		why: "no append-only file is written: keys live in memory alone"},
	{name: "appendfilename", kind: str{check: fileName("appendfilename", "filename")}, def: "appendonly.aof",
		flags: immutable, status: accepted, why: noAOF},
	{name: "appenddirname", kind: str{check: fileName("appenddirname", "dirname")}, def: "appendonlydir",
		flags: immutable, status: accepted, why: noAOF},
	{name: "appendfsync", kind: oneOf("everysec", "always", "no"), def: "everysec", status: accepted, why: noAOF},
	{name: "no-appendfsync-on-rewrite", kind: boolean{}, def: "no", status: accepted, why: noAOF},
	{name: "auto-aof-rewrite-percentage", kind: anyNatural, def: "100", status: accepted, why: noAOF},
	{name: "auto-aof-rewrite-min-size", kind: memory{max: maxInt64}, def: "67108864", status: accepted, why: noAOF},
	{name: "aof-load-truncated", kind: boolean{}, def: "yes", status: accepted, why: noAOF},
	{name: "aof-use-rdb-preamble", kind: boolean{}, def: "yes", status: accepted, why: noAOF},
	{name: "aof-timestamp-enabled", kind: boolean{}, def: "no", status: accepted, why: noAOF},
	{name: "aof-rewrite-incremental-fsync", kind: boolean{}, def: "yes", status: accepted, why: noAOF},
	{name: "aof-disable-auto-gc", kind: boolean{}, def: "no", status: accepted, why: noAOF},
}

var replicationTable = []directive{
	// A cluster node takes its primary from CLUSTER REPLICATE; Redis refuses
	// the line in cluster mode with the same words.
	{name: "replicaof", alias: "slaveof", kind: replicaOf{}, flags: immutable | multi, status: protects,
		why: "replicaof directive not allowed in cluster mode"},
	{name: "masteruser", kind: anyName, flags: sensitive, status: accepted, why: noReplication},
	{name: "masterauth", kind: anyName, flags: sensitive, status: accepted, why: noReplication},
	{name: "min-replicas-to-write", alias: "min-slaves-to-write", kind: anyNatural, def: "0", status: protects,
		why: "writes are not refused when replicas are missing"},
	{name: "min-replicas-max-lag", alias: "min-slaves-max-lag", kind: anyNatural, def: "10", status: accepted,
		why: noReplication},
	{name: "replica-serve-stale-data", alias: "slave-serve-stale-data", kind: boolean{}, def: "yes",
		status: accepted, why: noReplication},
	{name: "replica-read-only", alias: "slave-read-only", kind: boolean{}, def: "yes", status: accepted,
		why: noReplication},
	{name: "replica-ignore-maxmemory", alias: "slave-ignore-maxmemory", kind: boolean{}, def: "yes",
		status: accepted, why: noReplication},
	{name: "replica-lazy-flush", alias: "slave-lazy-flush", kind: boolean{}, def: "no", status: accepted,
		why: noReplication},
	{name: "replica-priority", alias: "slave-priority", kind: anyNatural, def: "100", status: accepted,
		why: noReplication},
	{name: "replica-announced", kind: boolean{}, def: "yes", status: accepted, why: noReplication},
	{name: "replica-announce-ip", alias: "slave-announce-ip", kind: anyName, status: accepted, why: noReplication},
	{name: "replica-announce-port", alias: "slave-announce-port", kind: anyPort, def: "0", status: accepted,
		why: noReplication},
	{name: "replica-ignore-disk-write-errors", kind: boolean{}, def: "no", status: accepted, why: noReplication},
	{name: "propagation-error-behavior", kind: oneOf("ignore", "panic", "panic-on-replicas"), def: "ignore",
		status: accepted, why: noReplication},
	{name: "repl-diskless-sync", kind: boolean{}, def: "yes", status: accepted, why: noReplication},
	{name: "repl-diskless-sync-delay", kind: anyNatural, def: "5", status: accepted, why: noReplication},
	{name: "repl-diskless-sync-max-replicas", kind: anyNatural, def: "0", status: accepted, why: noReplication},
	{name: "repl-diskless-load", kind: oneOf("disabled", "on-empty-db", "swapdb"), def: "disabled",
		status: accepted, why: noReplication},
	{name: "repl-disable-tcp-nodelay", kind: boolean{}, def: "no", status: accepted, why: noReplication},
	{name: "repl-timeout", kind: integer{min: 1, max: maxInt32}, def: "60", status: accepted, why: noReplication},
	{name: "repl-ping-replica-period", alias: "repl-ping-slave-period", kind: integer{min: 1, max: maxInt32},
		def: "10", status: accepted, why: noReplication},
	{name: "repl-backlog-size", kind: memory{min: 1, max: maxInt64, clampMin: 16384}, def: "1048576",
		status: accepted, why: noReplication},
	{name: "repl-backlog-ttl", kind: anyCount, def: "3600", status: accepted, why: noReplication},
}
