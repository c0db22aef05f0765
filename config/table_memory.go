package config

const (
	noTLS      = "it matters only with tls-port, and there is none"
	goMemory   = "memory is the Go runtime's; GOGC and GOMEMLIMIT tune it"
	ownStorage = "values have one encoding each, whatever their size"
	noLazy     = "freeing memory is the garbage collector's work and never holds a command up"
)

// The certificates and ciphers are worth a warning only: whatever would be
// left unprotected needs tls-port, tls-cluster or tls-replication, which stop
// the start by themselves.
var tlsTable = []directive{
	{name: "tls-port", kind: anyPort, def: "0", status: protects,
		why: "connections are not encrypted here"},
	{name: "tls-cluster", kind: boolean{}, def: "no", status: protects,
		why: "the cluster bus is not encrypted here"},
	{name: "tls-replication", kind: boolean{}, def: "no", status: protects,
		why: "connections to a primary are not encrypted here"},
	{name: "tls-cert-file", kind: anyName, status: accepted, why: noTLS},
	{name: "tls-key-file", kind: anyName, status: accepted, why: noTLS},
	{name: "tls-key-file-pass", kind: anyName, flags: sensitive, status: accepted, why: noTLS},
	{name: "tls-client-cert-file", kind: anyName, status: accepted, why: noTLS},
	{name: "tls-client-key-file", kind: anyName, status: accepted, why: noTLS},
	{name: "tls-client-key-file-pass", kind: anyName, flags: sensitive, status: accepted, why: noTLS},
	{name: "tls-dh-params-file", kind: anyName, status: accepted, why: noTLS},
	{name: "tls-ca-cert-file", kind: anyName, status: accepted, why: noTLS},
	{name: "tls-ca-cert-dir", kind: anyName, status: accepted, why: noTLS},
	{name: "tls-auth-clients", kind: oneOf("no", "yes", "optional"), def: "yes", status: accepted, why: noTLS},
	{name: "tls-protocols", kind: anyName, status: accepted, why: noTLS},
	{name: "tls-ciphers", kind: anyName, status: accepted, why: noTLS},
	{name: "tls-ciphersuites", kind: anyName, status: accepted, why: noTLS},
	{name: "tls-prefer-server-ciphers", kind: boolean{}, def: "no", status: accepted, why: noTLS},
	{name: "tls-session-caching", kind: boolean{}, def: "yes", status: accepted, why: noTLS},
	{name: "tls-session-cache-size", kind: anyNatural, def: "20480", status: accepted, why: noTLS},
	{name: "tls-session-cache-timeout", kind: anyNatural, def: "300", status: accepted, why: noTLS},
}

var memoryTable = []directive{
	{name: "lazyfree-lazy-eviction", kind: boolean{}, def: "no", status: accepted, why: noLazy},
	{name: "lazyfree-lazy-expire", kind: boolean{}, def: "no", status: accepted, why: noLazy},
	{name: "lazyfree-lazy-server-del", kind: boolean{}, def: "no", status: accepted, why: noLazy},
	{name: "lazyfree-lazy-user-del", kind: boolean{}, def: "no", status: accepted, why: noLazy},
	{name: "lazyfree-lazy-user-flush", kind: boolean{}, def: "no", status: accepted, why: noLazy},
	{name: "activerehashing", kind: boolean{}, def: "yes", status: accepted,
		why: "tables grow by slot, in steps that need no background work"},
	{name: "active-expire-effort", kind: integer{min: 1, max: 10}, def: "1", status: accepted,
		why: "keys are expired as they fall due, at the pace that this takes"},
	{name: "activedefrag", kind: boolean{}, def: "no", status: accepted, why: goMemory},
	{name: "active-defrag-ignore-bytes", kind: memory{min: 1, max: maxInt64}, def: "104857600",
		status: accepted, why: goMemory},
	{name: "active-defrag-threshold-lower", kind: integer{min: 0, max: 1000}, def: "10", status: accepted, why: goMemory},
	{name: "active-defrag-threshold-upper", kind: integer{min: 0, max: 1000}, def: "100", status: accepted, why: goMemory},
	{name: "active-defrag-cycle-min", kind: integer{min: 1, max: 99}, def: "1", status: accepted, why: goMemory},
	{name: "active-defrag-cycle-max", kind: integer{min: 1, max: 99}, def: "25", status: accepted, why: goMemory},
	{name: "active-defrag-max-scan-fields", kind: integer{min: 1, max: maxInt64}, def: "1000",
		status: accepted, why: goMemory},
	{name: "jemalloc-bg-thread", kind: boolean{}, def: "yes", status: accepted, why: goMemory},
}

var encodingTable = []directive{
	{name: "hash-max-listpack-entries", alias: "hash-max-ziplist-entries", kind: anyCount, def: "512",
		status: accepted, why: ownStorage},
	{name: "hash-max-listpack-value", alias: "hash-max-ziplist-value", kind: memory{max: maxInt64}, def: "64",
		status: accepted, why: ownStorage},
	{name: "list-max-listpack-size", alias: "list-max-ziplist-size",
		kind: integer{min: -maxInt32 - 1, max: maxInt32}, def: "-2", status: accepted, why: ownStorage},
	{name: "list-compress-depth", kind: anyNatural, def: "0", status: accepted, why: ownStorage},
	{name: "set-max-intset-entries", kind: anyCount, def: "512", status: accepted, why: ownStorage},
	{name: "set-max-listpack-entries", kind: anyCount, def: "128", status: accepted, why: ownStorage},
	{name: "set-max-listpack-value", kind: memory{max: maxInt64}, def: "64", status: accepted, why: ownStorage},
	{name: "zset-max-listpack-entries", alias: "zset-max-ziplist-entries", kind: anyCount, def: "128",
		status: accepted, why: ownStorage},
	{name: "zset-max-listpack-value", alias: "zset-max-ziplist-value", kind: memory{max: maxInt64}, def: "64",
		status: accepted, why: ownStorage},
	{name: "hll-sparse-max-bytes", kind: memory{max: maxInt64}, def: "3000", status: accepted, why: ownStorage},
	{name: "stream-node-max-bytes", kind: memory{max: maxInt64}, def: "4096", status: accepted, why: ownStorage},
	{name: "stream-node-max-entries", kind: anyCount, def: "100", status: accepted, why: ownStorage},
}
