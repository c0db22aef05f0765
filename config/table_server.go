package config

import (
	"math"
	"slices"
	"strings"
)

const (
	maxInt32 = math.MaxInt32
	maxInt64 = math.MaxInt64
)

var (
	anyPort    = integer{min: 0, max: 65535}
	anyNatural = integer{min: 0, max: maxInt32}
	anyCount   = integer{min: 0, max: maxInt64}
	anyText    = str{}
	anyName    = str{emptyIsNone: true}
	anyAllow   = oneOf("no", "yes", "local")
)

const (
	noTitle  = "the process keeps its name: a Go program cannot rewrite its argument list"
	noSyslog = "the log goes to standard output or to logfile; let the supervisor pass it to syslog"
	noPin    = "threads belong to the Go runtime and are not pinned to CPUs; use taskset on the process"
	noIO     = "reading and writing are spread over all CPUs already, which GOMAXPROCS bounds"
	noDump   = "a crash prints Go's own stack trace"
)

var networkTable = []directive{
	// Redis listens on every address by default and leans on protected-mode.
	// This one is started with `go run .` on laptops, where an open port is a
	// surprise, so it takes a line to open it to the network.
	{name: "bind", kind: addresses{}, def: "127.0.0.1", flags: multi},
	{name: "bind-source-addr", kind: anyName, status: accepted,
		why: "the system picks the source address of outgoing connections"},
	{name: "protected-mode", kind: boolean{}, def: "yes"},
	{name: "port", kind: anyPort, def: "6379"},
	{name: "tcp-backlog", kind: anyNatural, def: "511", flags: immutable},
	{name: "unixsocket", kind: anyName, flags: immutable},
	{name: "unixsocketperm", kind: octal{max: 0o777}, def: "0", flags: immutable},
	{name: "timeout", kind: anyNatural, def: "0"},
	{name: "tcp-keepalive", kind: anyNatural, def: "300"},
	{name: "socket-mark-id", kind: integer{min: 0, max: math.MaxUint32}, def: "0", flags: immutable,
		status: accepted, why: "sockets are not marked"},
	{name: "requirepass", kind: anyName, flags: sensitive},

	{name: "aclfile", kind: anyName, flags: immutable, status: protects,
		why: "ACL users are not kept here, so the limits in this file would not hold"},
	{name: "acl-pubsub-default", kind: oneOf("allchannels", "resetchannels"), def: "resetchannels",
		status: accepted, why: "it is the default of ACL users, of which there are none to be created"},
	{name: "acllog-max-len", kind: anyCount, def: "128", status: accepted,
		why: "there is no ACL log"},
	{name: "enable-protected-configs", kind: anyAllow, def: "no", flags: immutable},
	{name: "enable-debug-command", kind: anyAllow, def: "no", flags: immutable},
	{name: "enable-module-command", kind: anyAllow, def: "no", flags: immutable, status: accepted,
		why: "there is no MODULE command to enable"},
}

var processTable = []directive{
	// An init script that waits for the parent to return would wait for ever,
	// but the stock file of a distribution says yes and its unit overrides it,
	// so this is no reason to stop.
	{name: "daemonize", kind: boolean{}, def: "no", flags: immutable, status: accepted,
		why: "the process stays in the foreground; let a supervisor put it into the background"},
	{name: "supervised", kind: oneOf("upstart", "systemd", "auto", "no"), def: "no", flags: immutable,
		status: accepted, why: "readiness is told by the log line and the open port, not to the supervisor"},
	{name: "pidfile", kind: anyName, flags: immutable},
	{name: "dir", kind: directory{}, flags: guarded},
	{name: "loglevel", kind: oneOf("debug", "verbose", "notice", "warning"), def: "notice"},
	{name: "logfile", kind: anyText, flags: immutable},
	{name: "syslog-enabled", kind: boolean{}, def: "no", flags: immutable, status: accepted, why: noSyslog},
	{name: "syslog-ident", kind: anyText, def: "redis", flags: immutable, status: accepted, why: noSyslog},
	{name: "syslog-facility", kind: oneOf("user", "local0", "local1", "local2", "local3", "local4",
		"local5", "local6", "local7"), def: "local0", flags: immutable, status: accepted, why: noSyslog},
	{name: "crash-log-enabled", kind: boolean{}, def: "yes", status: accepted, why: noDump},
	{name: "crash-memcheck-enabled", kind: boolean{}, def: "yes", status: accepted, why: noDump},
	{name: "use-exit-on-panic", kind: boolean{}, def: "no", flags: hidden, status: accepted, why: noDump},
	{name: "watchdog-period", kind: anyNatural, def: "0", flags: hidden, status: accepted,
		why: "there is no main loop to watch"},
	{name: "databases", kind: integer{min: 1, max: maxInt32}, def: "16", flags: immutable},
	{name: "always-show-logo", kind: boolean{}, def: "no", flags: immutable, status: accepted,
		why: "there is no logo"},
	{name: "set-proc-title", kind: boolean{}, def: "yes", flags: immutable, status: accepted, why: noTitle},
	{name: "proc-title-template", kind: str{check: processTitle}, def: "{title} {listen-addr} {server-mode}",
		status: accepted, why: noTitle},
	{name: "locale-collate", kind: anyText, status: accepted,
		why: "texts are compared byte by byte"},
	{name: "hz", kind: integer{min: 0, max: maxInt32, clampMin: 1, clampMax: 500}, def: "10"},
	{name: "dynamic-hz", kind: boolean{}, def: "yes", status: accepted,
		why: "idle connections cost no periodic work that a changing hz could spread"},
	{name: "io-threads", kind: integer{min: 1, max: 128}, def: "1", flags: immutable, status: accepted, why: noIO},
	{name: "io-threads-do-reads", kind: boolean{}, def: "no", flags: immutable, status: accepted, why: noIO},
	{name: "server_cpulist", kind: anyName, flags: immutable, status: accepted, why: noPin},
	{name: "bio_cpulist", kind: anyName, flags: immutable, status: accepted, why: noPin},
	{name: "aof_rewrite_cpulist", kind: anyName, flags: immutable, status: accepted, why: noPin},
	{name: "bgsave_cpulist", kind: anyName, flags: immutable, status: accepted, why: noPin},
	{name: "ignore-warnings", kind: anyText, status: accepted,
		why: "the start-up checks that it silences are not made"},
	{name: "disable-thp", kind: boolean{}, def: "yes", flags: immutable, status: accepted,
		why: "no child process is forked, so huge pages are not copied"},
	{name: "oom-score-adj", kind: enumeration{names: []string{"no", "yes", "relative", "absolute"},
		same: map[string]string{"relative": "yes"}}, def: "no", status: accepted,
		why: "the score is left as it is; let the supervisor set it"},
	{name: "oom-score-adj-values", kind: oomScores{}, def: "0 200 800", flags: multi, status: accepted,
		why: "the score is left as it is; let the supervisor set it"},
	{name: "shutdown-timeout", kind: anyNatural, def: "10", status: accepted,
		why: "there are no replicas to wait for"},
	{name: "shutdown-on-sigint", kind: shutdownFlags, def: "default", flags: multi, status: protects,
		why: whyShutdown, unsafe: savesOnShutdown},
	{name: "shutdown-on-sigterm", kind: shutdownFlags, def: "default", flags: multi, status: protects,
		why: whyShutdown, unsafe: savesOnShutdown},
	{name: "busy-reply-threshold", alias: "lua-time-limit", kind: anyCount, def: "5000", status: accepted,
		why: "no script can keep the server busy"},
	{name: "lua-enable-deprecated-api", kind: boolean{}, def: "no", flags: immutable | hidden,
		status: accepted, why: "there are no scripts"},

	{name: "ignore-unsupported", kind: unsupportedNames{}, flags: multi | immutable},
}

var shutdownFlags = flagSet{names: []string{"default", "save", "nosave", "now", "force"}}

const whyShutdown = "no snapshot is written, at a shutdown either"

// savesOnShutdown: only "save" asks for a snapshot; the other flags make a
// shutdown quicker than it is here in any case.
func savesOnShutdown(text string) bool {
	return slices.Contains(strings.Fields(text), "save")
}
