package frame

import "strconv"

// Type says what a message is about. The values are those on the wire.
type Type uint16

const (
	TypePing Type = iota
	TypePong
	TypeMeet // a PING that asks to be let in
	TypeFail // a majority finds that a node has failed
	TypePublish
	TypeAuthRequest // a replica asks for votes
	TypeAuthAck     // a vote
	TypeUpdate      // tells a node that its claim on slots is outdated
	TypeMFStart     // a replica asks its primary to pause for a manual failover
	TypeModule
	TypePublishShard
)

// Types is the number of types; every valid Type is below it.
const Types = int(TypePublishShard) + 1

// lightBit marks, in the type field, a frame with the light header.
const lightBit = 0x8000

// typeNames are the names of the messages, and how the fields of CLUSTER INFO
// and INFO that count them spell them.
var typeNames = [Types]struct{ name, label string }{
	TypePing:         {"PING", "ping"},
	TypePong:         {"PONG", "pong"},
	TypeMeet:         {"MEET", "meet"},
	TypeFail:         {"FAIL", "fail"},
	TypePublish:      {"PUBLISH", "publish"},
	TypeAuthRequest:  {"FAILOVER_AUTH_REQUEST", "auth-req"},
	TypeAuthAck:      {"FAILOVER_AUTH_ACK", "auth-ack"},
	TypeUpdate:       {"UPDATE", "update"},
	TypeMFStart:      {"MFSTART", "mfstart"},
	TypeModule:       {"MODULE", "module"},
	TypePublishShard: {"PUBLISHSHARD", "publishshard"},
}

// Valid tells whether the type is one that Decode knows.
func (t Type) Valid() bool { return int(t) < Types }

// Label is the word for the type in the names of statistics, as in
// cluster_stats_messages_auth-req_sent.
func (t Type) Label() string {
	if !t.Valid() {
		return "unknown"
	}
	return typeNames[t].label
}

func (t Type) String() string {
	if !t.Valid() {
		return "type " + strconv.Itoa(int(t))
	}
	return typeNames[t].name
}

// publishes tells whether a message is one of Pub/Sub, the only ones that may
// have the light header.
func (t Type) publishes() bool { return t == TypePublish || t == TypePublishShard }
