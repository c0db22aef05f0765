package frame

import (
	"slices"

	"slotcast/clusterstate"
)

// The nodes of the clusters that the frames were captured in.
const (
	n05f5 clusterstate.NodeID = "05f5afc4e0724a17051aa883f2d386a3d278313d"
	n2071 clusterstate.NodeID = "207126026c398e4d853811fc8767fb5a7a2154eb"
	n3561 clusterstate.NodeID = "3561fb444c8da16d0adb5047c606af56eb470e7f"
	n4ff2 clusterstate.NodeID = "4ff2d9db1081e4f6eca9fe7271a80a8180f4680d"
	n6926 clusterstate.NodeID = "6926b240b5968372962496d8325bdfafbaac4abe"
	na044 clusterstate.NodeID = "a04449a029b59daff7f06763886beba46b6d032d"
	nab3a clusterstate.NodeID = "ab3aba360fbec46b96af2e2356e56506d53f0474"
	nbe66 clusterstate.NodeID = "be665307d3561c6d56a3036e4c769d7841aa67bc"
	ne168 clusterstate.NodeID = "e1685afdf232ac81e172a62895b00afad7988fef"
)

// slots makes the set of one range of slots.
func slots(start, end uint16) *Bitmap {
	b := new(Bitmap)
	for s := start; s <= end; s++ {
		b.Set(s)
	}
	return b
}

// captured is what a captured frame holds, as another decoder than this one
// found it.
type captured struct {
	name   string
	length int
	want   Message
}

// captures are all of them.
var captures = slices.Concat(redis7AndValkey8, redis8, valkey9)

var redis7AndValkey8 = []captured{
	{"r70-meet", 2288, Message{Type: TypeMeet, Header: Header{Sender: nab3a, CurrentEpoch: 2, ConfigEpoch: 2, Slots: slots(5461, 10922),
		Port: 21002, BusPort: 41002, Flags: FlagPrimary | FlagMyself, MessageFlags: HasExtensions, StateFail: true}, Extensions: Extensions{Hostname: "node2.example.com"}}},
	{"r70-pong-to-meet", 2256, Message{Type: TypePong, Header: Header{Sender: n4ff2, CurrentEpoch: 1, ConfigEpoch: 1, Slots: slots(0, 5460),
		Port: 21001, BusPort: 41001, Flags: FlagPrimary | FlagMyself, StateFail: true}}},
	{"r70-ping-gossip3", 2600, Message{Type: TypePing, Header: Header{Sender: nab3a, CurrentEpoch: 5, ConfigEpoch: 2, Slots: slots(5461, 10922),
		Port: 21002, BusPort: 41002, Flags: FlagPrimary | FlagMyself, MessageFlags: HasExtensions}, Gossip: []Gossip{
		{ID: n4ff2, PingSent: 1796057721, PongReceived: 1796057720, IP: "127.0.0.1", Port: 21001, BusPort: 41001, Flags: FlagReplica},
		{ID: n2071, PongReceived: 1796057720, IP: "127.0.0.1", Port: 21003, BusPort: 41003, Flags: FlagPrimary},
		{ID: na044, PingSent: 1796057719, PongReceived: 1796057718, IP: "127.0.0.1", Port: 21004, BusPort: 41004, Flags: FlagPrimary | FlagPFail | FlagMigrateTo},
	}, Extensions: Extensions{Hostname: "node2.example.com"}}},
	{"r70-ping-hostname-ext", 2392, Message{Type: TypePing, Header: Header{Sender: nab3a, CurrentEpoch: 4, ConfigEpoch: 2, Slots: slots(5461, 10922),
		Port: 21002, BusPort: 41002, Flags: FlagPrimary | FlagMyself, MessageFlags: HasExtensions, StateFail: true}, Gossip: []Gossip{
		{ID: n4ff2, PongReceived: 1796057693, IP: "127.0.0.1", Port: 21001, BusPort: 41001, Flags: FlagPrimary},
	}, Extensions: Extensions{Hostname: "node2.example.com"}}},
	{"r70-pong-replica", 2464, Message{Type: TypePong, Header: Header{Sender: na044, Primary: n4ff2, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460),
		Port: 21004, BusPort: 41004, Flags: FlagReplica | FlagMyself}, Gossip: []Gossip{
		{ID: nab3a, PongReceived: 1796057696, IP: "127.0.0.1", Port: 21002, BusPort: 41002, Flags: FlagPrimary},
		{ID: n4ff2, PongReceived: 1796057697, IP: "127.0.0.1", Port: 21001, BusPort: 41001, Flags: FlagPrimary | FlagMigrateTo},
	}}},
	{"r70-ping-handshake", 2256, Message{Type: TypePing, Header: Header{Sender: n4ff2, CurrentEpoch: 1, ConfigEpoch: 1, Slots: slots(0, 5460),
		Port: 21001, BusPort: 41001, Flags: FlagPrimary | FlagMyself, StateFail: true}}},
	{"r70-publish", 2277, Message{Type: TypePublish, Header: Header{Sender: n4ff2, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 14,
		Port: 21001, BusPort: 41001, Flags: FlagPrimary | FlagMyself | FlagMigrateTo}, Publish: Publish{[]byte("news"), []byte("hello bus")}}},
	{"r70-publishshard", 2279, Message{Type: TypePublishShard, Header: Header{Sender: n4ff2, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 14,
		Port: 21001, BusPort: 41001, Flags: FlagPrimary | FlagMyself | FlagMigrateTo}, Publish: Publish{[]byte("chan"), []byte("shard hello")}}},
	{"r70-mfstart", 2256, Message{Type: TypeMFStart, Header: Header{Sender: na044, Primary: n4ff2, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 14,
		Port: 21004, BusPort: 41004, Flags: FlagReplica | FlagMyself}}},
	{"r70-ping-paused", 2464, Message{Type: TypePing, Header: Header{Sender: n4ff2, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 14,
		Port: 21001, BusPort: 41001, Flags: FlagPrimary | FlagMyself | FlagMigrateTo, MessageFlags: Paused}, Gossip: []Gossip{
		{ID: nab3a, PongReceived: 1796057708, IP: "127.0.0.1", Port: 21002, BusPort: 41002, Flags: FlagPrimary},
		{ID: na044, PongReceived: 1796057709, IP: "127.0.0.1", Port: 21004, BusPort: 41004, Flags: FlagReplica},
	}}},
	{"r70-auth-request-forceack", 2256, Message{Type: TypeAuthRequest, Header: Header{Sender: na044, Primary: n4ff2, CurrentEpoch: 5, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 14,
		Port: 21004, BusPort: 41004, Flags: FlagReplica | FlagMyself, MessageFlags: ForceAck}}},
	{"r70-auth-request", 2256, Message{Type: TypeAuthRequest, Header: Header{Sender: n4ff2, Primary: na044, CurrentEpoch: 6, ConfigEpoch: 5, Slots: slots(0, 5460), Offset: 28,
		Port: 21001, BusPort: 41001, Flags: FlagReplica | FlagMyself, StateFail: true}}},
	{"r70-auth-ack", 2256, Message{Type: TypeAuthAck, Header: Header{Sender: n2071, CurrentEpoch: 5, ConfigEpoch: 3, Slots: slots(10923, 16383),
		Port: 21003, BusPort: 41003, Flags: FlagPrimary | FlagMyself}}},
	{"r70-pong-after-promotion", 2464, Message{Type: TypePong, Header: Header{Sender: na044, CurrentEpoch: 5, ConfigEpoch: 5, Slots: slots(0, 5460), Offset: 14,
		Port: 21004, BusPort: 41004, Flags: FlagPrimary | FlagMyself, MessageFlags: Paused}, Gossip: []Gossip{
		{ID: n4ff2, PongReceived: 1796057708, IP: "127.0.0.1", Port: 21001, BusPort: 41001, Flags: FlagPrimary},
		{ID: n2071, PongReceived: 1796057709, IP: "127.0.0.1", Port: 21003, BusPort: 41003, Flags: FlagPrimary},
	}}},
	{"r70-fail", 2296, Message{Type: TypeFail, Header: Header{Sender: n4ff2, Primary: na044, CurrentEpoch: 5, ConfigEpoch: 5, Slots: slots(0, 5460), Offset: 28,
		Port: 21001, BusPort: 41001, Flags: FlagReplica | FlagMyself}, Failed: na044}},
	{"r70-ping-pfail-gossip", 2568, Message{Type: TypePong, Header: Header{Sender: n2071, CurrentEpoch: 5, ConfigEpoch: 3, Slots: slots(10923, 16383),
		Port: 21003, BusPort: 41003, Flags: FlagPrimary | FlagMyself}, Gossip: []Gossip{
		{ID: n4ff2, PongReceived: 1796057720, IP: "127.0.0.1", Port: 21001, BusPort: 41001, Flags: FlagReplica},
		{ID: nab3a, PongReceived: 1796057719, IP: "127.0.0.1", Port: 21002, BusPort: 41002, Flags: FlagPrimary},
		{ID: na044, PingSent: 1796057718, PongReceived: 1796057717, IP: "127.0.0.1", Port: 21004, BusPort: 41004, Flags: FlagPrimary | FlagPFail | FlagMigrateTo},
	}}},
	{"r70-pong-fail-gossip", 2464, Message{Type: TypePing, Header: Header{Sender: n2071, CurrentEpoch: 5, ConfigEpoch: 3, Slots: slots(10923, 16383),
		Port: 21003, BusPort: 41003, Flags: FlagPrimary | FlagMyself, StateFail: true}, Gossip: []Gossip{
		{ID: na044, PingSent: 1796057718, PongReceived: 1796057717, IP: "127.0.0.1", Port: 21004, BusPort: 41004, Flags: FlagPrimary | FlagFail | FlagMigrateTo},
		{ID: n4ff2, PingSent: 1796057721, PongReceived: 1796057720, IP: "127.0.0.1", Port: 21001, BusPort: 41001, Flags: FlagReplica},
	}}},
	{"r70-update", 4352, Message{Type: TypeUpdate, Header: Header{Sender: nab3a, CurrentEpoch: 6, ConfigEpoch: 2, Slots: slots(5461, 10922),
		Port: 21002, BusPort: 41002, Flags: FlagPrimary | FlagMyself}, Update: Update{6, n4ff2, slots(0, 5460)}}},
	{"v8-meet", 2256, Message{Type: TypeMeet, Header: Header{Sender: ne168, CurrentEpoch: 4, ConfigEpoch: 4,
		Port: 22004, BusPort: 42004, Flags: FlagPrimary | FlagMyself | FlagLightHeader, MessageFlags: HasExtensions, StateFail: true}}},
	{"v8-pong-to-meet", 2320, Message{Type: TypePong, Header: Header{Sender: n3561, CurrentEpoch: 1, ConfigEpoch: 1, Slots: slots(0, 5460),
		Port: 22001, BusPort: 42001, Flags: FlagPrimary | FlagMyself | FlagLightHeader, MessageFlags: HasExtensions, StateFail: true}, Extensions: Extensions{Nodename: "vk-1", ShardID: "3acdbd03cd6851fd6fee0e237f157a041fe5d8da"}}},
	{"v8-ping-all-ext", 2384, Message{Type: TypePong, Header: Header{Sender: n6926, CurrentEpoch: 2, ConfigEpoch: 2, Slots: slots(5461, 10922),
		Port: 22002, BusPort: 42002, Flags: FlagPrimary | FlagMyself | FlagLightHeader, MessageFlags: HasExtensions, StateFail: true}, Extensions: Extensions{Hostname: "vk2.example.com", Nodename: "vk-2", ClientIPv4: "10.1.2.3", ClientIPv6: "fd00::2", ShardID: "350fdcfdbf6852c68d7fa88667bf640b2d771cb3"}}},
	{"v8-pong-forgotten-ext", 2480, Message{Type: TypePong, Header: Header{Sender: n3561, Primary: ne168, CurrentEpoch: 5, ConfigEpoch: 5, Slots: slots(0, 5460), Offset: 56,
		Port: 22001, BusPort: 42001, Flags: FlagReplica | FlagMyself | FlagLightHeader, MessageFlags: HasExtensions}, Gossip: []Gossip{
		{ID: n6926, PongReceived: 1796057826, IP: "127.0.0.1", Port: 22002, BusPort: 42002, Flags: FlagPrimary | FlagExtensions | FlagLightHeader},
	}, Extensions: Extensions{Nodename: "vk-1", Forgotten: []Forgotten{{nbe66, 60}}, ShardID: "3acdbd03cd6851fd6fee0e237f157a041fe5d8da"}}},
	{"v8-publish-light", 39, Message{Type: TypePublish, Light: true, Publish: Publish{[]byte("news"), []byte("light hello")}}},
	{"v8-publishshard-light", 39, Message{Type: TypePublishShard, Light: true, Publish: Publish{[]byte("chan"), []byte("light shard")}}},
	{"v8-auth-request-forceack", 2256, Message{Type: TypeAuthRequest, Header: Header{Sender: ne168, Primary: n3561, CurrentEpoch: 5, ConfigEpoch: 1, Slots: slots(0, 5460),
		Port: 22004, BusPort: 42004, Flags: FlagReplica | FlagMyself | FlagLightHeader, MessageFlags: ForceAck}}},
	{"v8-auth-ack", 2256, Message{Type: TypeAuthAck, Header: Header{Sender: n05f5, CurrentEpoch: 5, ConfigEpoch: 3, Slots: slots(10923, 16383),
		Port: 22003, BusPort: 42003, Flags: FlagPrimary | FlagMyself | FlagLightHeader}}},
	{"v8-mfstart", 2256, Message{Type: TypeMFStart, Header: Header{Sender: ne168, Primary: n3561, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460),
		Port: 22004, BusPort: 42004, Flags: FlagReplica | FlagMyself | FlagLightHeader}}},
	{"v8-update", 4352, Message{Type: TypeUpdate, Header: Header{Sender: ne168, CurrentEpoch: 5, ConfigEpoch: 5, Slots: slots(0, 5460),
		Port: 22004, BusPort: 42004, Flags: FlagPrimary | FlagMyself | FlagLightHeader}, Update: Update{5, ne168, slots(0, 5460)}}},
	{"v8-fail", 2296, Message{Type: TypeFail, Header: Header{Sender: ne168, CurrentEpoch: 5, ConfigEpoch: 5, Slots: slots(0, 5460), Offset: 42,
		Port: 22004, BusPort: 42004, Flags: FlagPrimary | FlagMyself | FlagMigrateTo | FlagLightHeader}, Failed: nbe66}},
}
