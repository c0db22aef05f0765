package config

import (
	"math"
	"strconv"
	"strings"
)

// Class is a class of clients with output limits of its own.
type Class uint8

const (
	ClassNormal Class = iota
	ClassReplica
	ClassPubSub
	classCount
)

// OutputLimit bounds the pending output of one client, in bytes. 0 is no
// limit. Soft may be exceeded for SoftSeconds.
type OutputLimit struct {
	Hard, Soft  int64
	SoftSeconds int
}

// Allow says from where a dangerous command is taken.
type Allow int

const (
	AllowNo Allow = iota
	AllowYes
	AllowLocal // from loopback addresses and unix sockets alone
)

// Permits tells whether a client may, given whether it is a local one.
func (a Allow) Permits(local bool) bool {
	return a == AllowYes || a == AllowLocal && local
}

// EndpointType is what the cluster's replies name a node by.
type EndpointType int

const (
	EndpointIP EndpointType = iota
	EndpointHostname
	EndpointUnknown
)

// Payload is the form of messages on the bare channel __cluster-slots__.
type Payload int

const (
	PayloadAuto Payload = iota // by the client's library
	PayloadRow
	PayloadJSON
)

// LogLevel is the least severe level that is logged.
type LogLevel int

const (
	LogDebug LogLevel = iota
	LogVerbose
	LogNotice
	LogWarning
)

// Values are the values that the server acts upon. Bytes are bytes; the unit
// of a time stands in its name. Do not modify: it is shared by all readers.
type Values struct {
	// Where to listen. A "-" before an address of Bind means that it may be
	// missing on this host. Dir is absolute; other paths go through Path.
	Port           int
	Bind           []string
	TCPBacklog     int
	UnixSocket     string
	UnixSocketPerm uint32 // 0 leaves the mode to the umask
	Dir            string
	ProtectedMode  bool

	// The process.
	Databases      int
	Hz             int
	LogLevel       LogLevel
	LogFile        string // "" is standard output
	PidFile        string // "" writes none
	Supervised     string // upstart, systemd, auto or no
	DebugCommand   Allow
	ProtectedAllow Allow // enable-protected-configs

	// Clients.
	RequirePass      string
	MaxClients       int
	TimeoutSeconds   int // 0 never closes an idle client
	KeepAliveSeconds int // 0 sends no keep-alive
	OutputLimits     [classCount]OutputLimit
	ProtoMaxBulkLen  int64
	QueryBufferLimit int64
	TrackingTableMax int64
	MaxMemory        int64 // 0 is no limit; beyond it writes are refused
	NotifyEvents     NotifyFlags
	SlowlogMicros    int64 // -1 logs nothing, 0 everything
	SlowlogMaxLen    int64
	LatencyMillis    int64 // milliseconds, 0 turns the monitor off
	// LatencyTracking keeps a histogram for each command, of which INFO shows
	// LatencyPercentiles.
	LatencyTracking    bool
	LatencyPercentiles []float64

	// The cluster. StartsEmpty is an explicit `cluster-enabled yes`: without
	// it a node that has no cluster file yet owns all slots.
	StartsEmpty           bool
	ClusterConfigFile     string
	NodeTimeoutMillis     int64
	ClusterPort           int // 0 is Port + 10000, see BusPort
	AnnounceIP            string
	AnnouncePort          int
	AnnounceTLSPort       int
	AnnounceBusPort       int
	AnnounceHostname      string
	AnnounceHumanNodename string
	PreferredEndpoint     EndpointType
	RequireFullCoverage   bool
	ReadsWhenDown         bool
	PubSubShardWhenDown   bool
	LinkSendbufLimit      int64
	AllowReplicaMigration bool
	MigrationBarrier      int
	ReplicaValidityFactor int
	ReplicaNoFailover     bool
	SlotsPayload          Payload
	SlotsPush             bool
	MaintNotifications    bool
}

// BusPort is the port on which the cluster bus listens.
func (v *Values) BusPort() int {
	if v.ClusterPort != 0 {
		return v.ClusterPort
	}
	return v.Port + busPortOffset
}

// busPortOffset is what every Redis adds to its port for the bus; peers that
// are told a port alone rely on it.
const busPortOffset = 10000

// textsReader reads typed values back out of canonical texts. A name that is
// not in the table, or a text of another type, is a mistake in this package
// that every test would hit, so it panics.
type textsReader []string

func (t textsReader) text(name string) string { return t[rows[name]] }

func (t textsReader) bool(name string) bool { return t.text(name) == "yes" }

func (t textsReader) int64(name string) int64 {
	n, err := strconv.ParseInt(t.text(name), 10, 64)
	if err != nil {
		panic("config: " + name + ": " + err.Error())
	}
	return n
}

func (t textsReader) int(name string) int { return int(t.int64(name)) }

func (t textsReader) floats(name string) (list []float64) {
	for _, word := range strings.Fields(t.text(name)) {
		f, err := strconv.ParseFloat(word, 64)
		if err != nil {
			panic("config: " + name + ": " + err.Error())
		}
		list = append(list, f)
	}
	return list
}

// bytes reads an amount of memory, which Redis holds in 64 unsigned bits. What
// is beyond an int64 is as good as the largest one.
func (t textsReader) bytes(name string) int64 {
	return clampBytes(t.text(name))
}

func clampBytes(text string) int64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic("config: " + err.Error())
	}
	return int64(min(n, math.MaxInt64))
}

// enum is the position of the value among the names of its enumeration.
func (t textsReader) enum(name string) int {
	for i, known := range table[rows[name]].kind.(enumeration).names {
		if known == t.text(name) {
			return i
		}
	}
	panic("config: " + name + ": " + t.text(name))
}

func newValues(texts []string) *Values {
	t := textsReader(texts)
	perm, err := strconv.ParseUint(t.text("unixsocketperm"), 8, 32)
	if err != nil {
		panic("config: unixsocketperm: " + err.Error())
	}
	notify, _ := ParseNotifyFlags(t.text("notify-keyspace-events"))
	return &Values{
		Port:           t.int("port"),
		Bind:           strings.Fields(t.text("bind")),
		TCPBacklog:     t.int("tcp-backlog"),
		UnixSocket:     t.text("unixsocket"),
		UnixSocketPerm: uint32(perm),
		Dir:            t.text("dir"),
		ProtectedMode:  t.bool("protected-mode"),

		Databases:      t.int("databases"),
		Hz:             t.int("hz"),
		LogLevel:       LogLevel(t.enum("loglevel")),
		LogFile:        t.text("logfile"),
		PidFile:        t.text("pidfile"),
		Supervised:     t.text("supervised"),
		DebugCommand:   Allow(t.enum("enable-debug-command")),
		ProtectedAllow: Allow(t.enum("enable-protected-configs")),

		RequirePass:      t.text("requirepass"),
		MaxClients:       t.int("maxclients"),
		TimeoutSeconds:   t.int("timeout"),
		KeepAliveSeconds: t.int("tcp-keepalive"),
		OutputLimits:     parseOutputLimits(t.text("client-output-buffer-limit")),
		ProtoMaxBulkLen:  t.bytes("proto-max-bulk-len"),
		QueryBufferLimit: t.bytes("client-query-buffer-limit"),
		TrackingTableMax: t.int64("tracking-table-max-keys"),
		MaxMemory:        t.bytes("maxmemory"),
		NotifyEvents:     notify,
		SlowlogMicros:    t.int64("slowlog-log-slower-than"),
		SlowlogMaxLen:    t.int64("slowlog-max-len"),
		LatencyMillis:    t.int64("latency-monitor-threshold"),

		LatencyTracking:    t.bool("latency-tracking"),
		LatencyPercentiles: t.floats("latency-tracking-info-percentiles"),

		StartsEmpty:           t.text("cluster-enabled") == "yes",
		ClusterConfigFile:     t.text("cluster-config-file"),
		NodeTimeoutMillis:     t.int64("cluster-node-timeout"),
		ClusterPort:           t.int("cluster-port"),
		AnnounceIP:            t.text("cluster-announce-ip"),
		AnnouncePort:          t.int("cluster-announce-port"),
		AnnounceTLSPort:       t.int("cluster-announce-tls-port"),
		AnnounceBusPort:       t.int("cluster-announce-bus-port"),
		AnnounceHostname:      t.text("cluster-announce-hostname"),
		AnnounceHumanNodename: t.text("cluster-announce-human-nodename"),
		PreferredEndpoint:     EndpointType(t.enum("cluster-preferred-endpoint-type")),
		RequireFullCoverage:   t.bool("cluster-require-full-coverage"),
		ReadsWhenDown:         t.bool("cluster-allow-reads-when-down"),
		PubSubShardWhenDown:   t.bool("cluster-allow-pubsubshard-when-down"),
		LinkSendbufLimit:      t.bytes("cluster-link-sendbuf-limit"),
		AllowReplicaMigration: t.bool("cluster-allow-replica-migration"),
		MigrationBarrier:      t.int("cluster-migration-barrier"),
		ReplicaValidityFactor: t.int("cluster-replica-validity-factor"),
		ReplicaNoFailover:     t.bool("cluster-replica-no-failover"),
		SlotsPayload:          Payload(t.enum("cluster-slots-payload")),
		SlotsPush:             t.bool("cluster-slots-push"),
		MaintNotifications:    t.bool("cluster-maint-notifications"),
	}
}
