package frame

import "slotcast/clusterstate"

// The nodes of the clusters of Redis 8 and of Valkey 9.
const (
	n327c clusterstate.NodeID = "327cc789b2399f2d1ebcd734e32323f0336862e0"
	n47cd clusterstate.NodeID = "47cd2485773209a4dca291437f9a6f99eda598ca"
	n74ce clusterstate.NodeID = "74ceaa296c400dc2a90d725ba23307fd3375f990"
	n8183 clusterstate.NodeID = "8183946c2340243f789551e04c2203977ced01c1"
	n8a21 clusterstate.NodeID = "8a2134158ad186ddb3e8de7f0f59a2ea9f749976"
	nafc2 clusterstate.NodeID = "afc2dacaded649ac186e4d1a41f6e414cd9feb7d"
	nb1ab clusterstate.NodeID = "b1abb2a6ce6483c6e40af31dfffc83c4ea3ace48"
	nc03e clusterstate.NodeID = "c03e05ceab3c615dee49dbda5a1acdee2885e446"
)

// redis8 is what Redis 8.2.3 sent.
var redis8 = []captured{
	{"r80-meet", 2256, Message{Type: TypeMeet, Header: Header{Sender: n47cd, CurrentEpoch: 1, ConfigEpoch: 1, Slots: slots(0, 5460),
		Port: 11331, BusPort: 16331, Flags: FlagPrimary | FlagMyself, MessageFlags: HasExtensions, StateFail: true}}},
	{"r80-pong-to-meet", 2256, Message{Type: TypePong, Header: Header{Sender: n74ce, CurrentEpoch: 3, ConfigEpoch: 3, Slots: slots(10922, 16383),
		Port: 11333, BusPort: 16333, Flags: FlagPrimary | FlagMyself, MessageFlags: HasExtensions, StateFail: true}}},
	{"r80-ping-secret-ext", 2496, Message{Type: TypePing, Header: Header{Sender: n327c, CurrentEpoch: 4, ConfigEpoch: 2, Slots: slots(5461, 10921),
		Port: 11332, BusPort: 16332, Flags: FlagPrimary | FlagMyself, MessageFlags: HasExtensions, StateFail: true}, Gossip: []Gossip{
		{ID: n74ce, IP: "127.0.0.1", Port: 11333, BusPort: 16333, Flags: FlagPrimary | FlagExtensions},
	}, Extensions: Extensions{Hostname: "two.example.com", Nodename: "two", ShardID: "87f8d92b37edbd1a7c72521d9e63b1809618bae2", Unknown: []UnknownExtension{{ExtClientIPv4, 3, []byte("13a03477136d423d4873d1dc8fccdac253d58fa4")}}}}},
	{"r80-pong-forgotten-ext", 2512, Message{Type: TypePong, Header: Header{Sender: n47cd, CurrentEpoch: 7, ConfigEpoch: 7, Slots: slots(0, 5460), Offset: 168,
		Port: 11331, BusPort: 16331, Flags: FlagPrimary | FlagMyself, MessageFlags: HasExtensions}, Gossip: []Gossip{
		{ID: n327c, PongReceived: 1796074557, IP: "127.0.0.1", Port: 11332, BusPort: 16332, Flags: FlagPrimary | FlagExtensions},
	}, Extensions: Extensions{Forgotten: []Forgotten{{nb1ab, 59}}, ShardID: "c4015393bc0da3875e538f30e9764668062a1d4c", Unknown: []UnknownExtension{{ExtClientIPv4, 2, []byte("0441d863fe03ec56fa2a7cf1e4723c96602b7542")}}}}},
	{"r80-pong-replica", 2560, Message{Type: TypePong, Header: Header{Sender: nb1ab, Primary: n47cd, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460),
		Port: 11334, BusPort: 16334, Flags: FlagReplica | FlagMyself, MessageFlags: HasExtensions}, Gossip: []Gossip{
		{ID: n74ce, PongReceived: 1796074534, IP: "127.0.0.1", Port: 11333, BusPort: 16333, Flags: FlagPrimary | FlagExtensions},
		{ID: n327c, PongReceived: 1796074534, IP: "127.0.0.1", Port: 11332, BusPort: 16332, Flags: FlagPrimary | FlagExtensions},
	}, Extensions: Extensions{ShardID: "c4015393bc0da3875e538f30e9764668062a1d4c", Unknown: []UnknownExtension{{ExtClientIPv4, 1, []byte("13a03477136d423d4873d1dc8fccdac253d58fa4")}}}}},
	{"r80-publish", 2277, Message{Type: TypePublish, Header: Header{Sender: n47cd, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 28,
		Port: 11331, BusPort: 16331, Flags: FlagPrimary | FlagMyself | FlagMigrateTo, MessageFlags: HasExtensions}, Publish: Publish{[]byte("news"), []byte("hello bus")}}},
	{"r80-publishshard", 2279, Message{Type: TypePublishShard, Header: Header{Sender: n47cd, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 28,
		Port: 11331, BusPort: 16331, Flags: FlagPrimary | FlagMyself | FlagMigrateTo, MessageFlags: HasExtensions}, Publish: Publish{[]byte("chan"), []byte("shard hello")}}},
	{"r80-mfstart", 2256, Message{Type: TypeMFStart, Header: Header{Sender: nb1ab, Primary: n47cd, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 42,
		Port: 11334, BusPort: 16334, Flags: FlagReplica | FlagMyself, MessageFlags: HasExtensions}}},
	{"r80-ping-paused", 2352, Message{Type: TypePing, Header: Header{Sender: n47cd, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 42,
		Port: 11331, BusPort: 16331, Flags: FlagPrimary | FlagMyself | FlagMigrateTo, MessageFlags: Paused | HasExtensions}, Extensions: Extensions{ShardID: "c4015393bc0da3875e538f30e9764668062a1d4c", Unknown: []UnknownExtension{{ExtClientIPv4, 1, []byte("13a03477136d423d4873d1dc8fccdac253d58fa4")}}}}},
	{"r80-auth-request-forceack", 2256, Message{Type: TypeAuthRequest, Header: Header{Sender: nb1ab, Primary: n47cd, CurrentEpoch: 5, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 42,
		Port: 11334, BusPort: 16334, Flags: FlagReplica | FlagMyself, MessageFlags: ForceAck | HasExtensions}}},
	{"r80-auth-ack", 2256, Message{Type: TypeAuthAck, Header: Header{Sender: n327c, CurrentEpoch: 5, ConfigEpoch: 2, Slots: slots(5461, 10921),
		Port: 11332, BusPort: 16332, Flags: FlagPrimary | FlagMyself, MessageFlags: HasExtensions}}},
	{"r80-update", 4352, Message{Type: TypeUpdate, Header: Header{Sender: nb1ab, CurrentEpoch: 5, ConfigEpoch: 5, Slots: slots(0, 5460), Offset: 42,
		Port: 11334, BusPort: 16334, Flags: FlagPrimary | FlagMyself, MessageFlags: HasExtensions}, Update: Update{5, nb1ab, slots(0, 5460)}}},
	{"r80-auth-request", 2256, Message{Type: TypeAuthRequest, Header: Header{Sender: n47cd, Primary: nb1ab, CurrentEpoch: 7, ConfigEpoch: 5, Slots: slots(0, 5460), Offset: 98,
		Port: 11331, BusPort: 16331, Flags: FlagReplica | FlagMyself, MessageFlags: HasExtensions, StateFail: true}}},
	{"r80-fail", 2296, Message{Type: TypeFail, Header: Header{Sender: n47cd, CurrentEpoch: 7, ConfigEpoch: 7, Slots: slots(0, 5460), Offset: 168,
		Port: 11331, BusPort: 16331, Flags: FlagPrimary | FlagMyself | FlagMigrateTo, MessageFlags: HasExtensions}, Failed: nb1ab}},
	{"r80-pong-fail-gossip", 2456, Message{Type: TypePong, Header: Header{Sender: n47cd, Primary: nb1ab, CurrentEpoch: 6, ConfigEpoch: 5, Slots: slots(0, 5460), Offset: 98,
		Port: 11331, BusPort: 16331, Flags: FlagReplica | FlagMyself, MessageFlags: HasExtensions, StateFail: true}, Gossip: []Gossip{
		{ID: nb1ab, PingSent: 1796074541, PongReceived: 1796074541, IP: "127.0.0.1", Port: 11334, BusPort: 16334, Flags: FlagPrimary | FlagFail | FlagMigrateTo | FlagExtensions},
	}, Extensions: Extensions{ShardID: "c4015393bc0da3875e538f30e9764668062a1d4c", Unknown: []UnknownExtension{{ExtClientIPv4, 1, []byte("13a03477136d423d4873d1dc8fccdac253d58fa4")}}}}},
	{"r80-ping-nofailover", 2456, Message{Type: TypePing, Header: Header{Sender: nb1ab, Primary: n47cd, CurrentEpoch: 7, ConfigEpoch: 7, Slots: slots(0, 5460), Offset: 154,
		Port: 11334, BusPort: 16334, Flags: FlagReplica | FlagMyself | FlagNoFailover, MessageFlags: HasExtensions}, Gossip: []Gossip{
		{ID: n47cd, PongReceived: 1796074551, IP: "127.0.0.1", Port: 11331, BusPort: 16331, Flags: FlagPrimary | FlagMigrateTo | FlagExtensions},
	}, Extensions: Extensions{ShardID: "c4015393bc0da3875e538f30e9764668062a1d4c", Unknown: []UnknownExtension{{ExtClientIPv4, 1, []byte("0441d863fe03ec56fa2a7cf1e4723c96602b7542")}}}}},
}

// valkey9 is what Valkey 9.1.2 sent.
var valkey9 = []captured{
	{"v9-meet", 2256, Message{Type: TypeMeet, Header: Header{Sender: n8183, CurrentEpoch: 1, ConfigEpoch: 1, Slots: slots(0, 5460),
		Port: 11231, BusPort: 16231, Flags: FlagPrimary | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule, MessageFlags: HasExtensions, StateFail: true}}},
	{"v9-pong-to-meet", 2344, Message{Type: TypePong, Header: Header{Sender: n8a21, CurrentEpoch: 2, ConfigEpoch: 2, Slots: slots(5461, 10921),
		Port: 11232, BusPort: 16232, Flags: FlagPrimary | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule, MessageFlags: HasExtensions, StateFail: true}, Extensions: Extensions{Hostname: "two.example.com", Nodename: "two", ShardID: "1a984dd577817f8263c51a31dc817625178c8f28"}}},
	{"v9-ping-client-ip-ext", 2344, Message{Type: TypePing, Header: Header{Sender: nafc2, CurrentEpoch: 3, ConfigEpoch: 3, Slots: slots(10922, 16383),
		Port: 11233, BusPort: 16233, Flags: FlagPrimary | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule, MessageFlags: HasExtensions, StateFail: true}, Extensions: Extensions{ClientIPv4: "10.1.2.3", ClientIPv6: "fd00::2", ShardID: "83267c912de74b3c07d3f86f1309493ead897c08"}}},
	{"v9-ping-meet-gossip", 2360, Message{Type: TypePing, Header: Header{Sender: nc03e, CurrentEpoch: 4, ConfigEpoch: 4,
		Port: 11234, BusPort: 16234, Flags: FlagPrimary | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule, MessageFlags: HasExtensions, StateFail: true}, Gossip: []Gossip{
		{ID: nafc2, IP: "127.0.0.1", Port: 11233, BusPort: 16233, Flags: FlagPrimary | FlagMeet},
	}}},
	{"v9-pong-replica", 2512, Message{Type: TypePong, Header: Header{Sender: nc03e, Primary: n8183, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460),
		Port: 11234, BusPort: 16234, Flags: FlagReplica | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule, MessageFlags: HasExtensions}, Gossip: []Gossip{
		{ID: n8a21, PongReceived: 1796074534, IP: "127.0.0.1", Port: 11232, BusPort: 16232, Flags: FlagPrimary | FlagExtensions | FlagLightHeader | FlagLightModule},
		{ID: nafc2, PongReceived: 1796074534, IP: "127.0.0.1", Port: 11233, BusPort: 16233, Flags: FlagPrimary | FlagExtensions | FlagLightHeader | FlagLightModule},
	}, Extensions: Extensions{ShardID: "2a84e7c26556e54defcb0cffb948d77e33f5dde3"}}},
	{"v9-publish-light", 37, Message{Type: TypePublish, Light: true, Publish: Publish{[]byte("news"), []byte("hello bus")}}},
	{"v9-publishshard-light", 39, Message{Type: TypePublishShard, Light: true, Publish: Publish{[]byte("chan"), []byte("shard hello")}}},
	{"v9-mfstart", 2256, Message{Type: TypeMFStart, Header: Header{Sender: nc03e, Primary: n8183, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 42,
		Port: 11234, BusPort: 16234, Flags: FlagReplica | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule}}},
	{"v9-ping-paused", 2512, Message{Type: TypePing, Header: Header{Sender: n8183, CurrentEpoch: 4, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 42,
		Port: 11231, BusPort: 16231, Flags: FlagPrimary | FlagMyself | FlagMigrateTo | FlagExtensions | FlagLightHeader | FlagLightModule, MessageFlags: Paused | HasExtensions}, Gossip: []Gossip{
		{ID: nafc2, PongReceived: 1796074538, IP: "127.0.0.1", Port: 11233, BusPort: 16233, Flags: FlagPrimary | FlagExtensions | FlagLightHeader | FlagLightModule},
		{ID: n8a21, PongReceived: 1796074538, IP: "127.0.0.1", Port: 11232, BusPort: 16232, Flags: FlagPrimary | FlagExtensions | FlagLightHeader | FlagLightModule},
	}, Extensions: Extensions{ShardID: "2a84e7c26556e54defcb0cffb948d77e33f5dde3"}}},
	{"v9-auth-request-forceack", 2256, Message{Type: TypeAuthRequest, Header: Header{Sender: nc03e, Primary: n8183, CurrentEpoch: 5, ConfigEpoch: 1, Slots: slots(0, 5460), Offset: 42,
		Port: 11234, BusPort: 16234, Flags: FlagReplica | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule, MessageFlags: ForceAck}}},
	{"v9-auth-ack", 2256, Message{Type: TypeAuthAck, Header: Header{Sender: nafc2, CurrentEpoch: 5, ConfigEpoch: 3, Slots: slots(10922, 16383),
		Port: 11233, BusPort: 16233, Flags: FlagPrimary | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule}}},
	{"v9-fail", 2296, Message{Type: TypeFail, Header: Header{Sender: n8183, Primary: nc03e, CurrentEpoch: 6, ConfigEpoch: 5, Slots: slots(0, 5460), Offset: 126,
		Port: 11231, BusPort: 16231, Flags: FlagReplica | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule | FlagPrimaryFailed}, Failed: nc03e}},
	{"v9-auth-request-primary-failed", 2256, Message{Type: TypeAuthRequest, Header: Header{Sender: n8183, Primary: nc03e, CurrentEpoch: 7, ConfigEpoch: 5, Slots: slots(0, 5460), Offset: 126,
		Port: 11231, BusPort: 16231, Flags: FlagReplica | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule | FlagPrimaryFailed, MessageFlags: ForceAck, StateFail: true}}},
	{"v9-ping-fail-gossip", 2512, Message{Type: TypePing, Header: Header{Sender: n8183, Primary: nc03e, CurrentEpoch: 7, ConfigEpoch: 5, Slots: slots(0, 5460), Offset: 126,
		Port: 11231, BusPort: 16231, Flags: FlagReplica | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule | FlagPrimaryFailed, MessageFlags: HasExtensions, StateFail: true}, Gossip: []Gossip{
		{ID: nafc2, PongReceived: 1796074546, IP: "127.0.0.1", Port: 11233, BusPort: 16233, Flags: FlagPrimary | FlagExtensions | FlagLightHeader | FlagLightModule},
		{ID: nc03e, PingSent: 1796074544, PongReceived: 1796074543, IP: "127.0.0.1", Port: 11234, BusPort: 16234, Flags: FlagPrimary | FlagFail | FlagMigrateTo | FlagExtensions | FlagLightHeader | FlagLightModule},
	}, Extensions: Extensions{ShardID: "2a84e7c26556e54defcb0cffb948d77e33f5dde3"}}},
	{"v9-pong-forgotten-ext", 2464, Message{Type: TypePong, Header: Header{Sender: n8183, CurrentEpoch: 7, ConfigEpoch: 7, Slots: slots(0, 5460), Offset: 210,
		Port: 11231, BusPort: 16231, Flags: FlagPrimary | FlagMyself | FlagExtensions | FlagLightHeader | FlagLightModule | FlagPrimaryFailed, MessageFlags: HasExtensions}, Gossip: []Gossip{
		{ID: n8a21, PongReceived: 1796074560, IP: "127.0.0.1", Port: 11232, BusPort: 16232, Flags: FlagPrimary | FlagExtensions | FlagLightHeader | FlagLightModule},
	}, Extensions: Extensions{Forgotten: []Forgotten{{nc03e, 59}}, ShardID: "2a84e7c26556e54defcb0cffb948d77e33f5dde3"}}},
	{"v9-ping-nofailover", 2512, Message{Type: TypePing, Header: Header{Sender: nc03e, Primary: n8183, CurrentEpoch: 7, ConfigEpoch: 7, Slots: slots(0, 5460), Offset: 182,
		Port: 11234, BusPort: 16234, Flags: FlagReplica | FlagMyself | FlagNoFailover | FlagExtensions | FlagLightHeader | FlagLightModule, MessageFlags: HasExtensions}, Gossip: []Gossip{
		{ID: nafc2, PongReceived: 1796074553, IP: "127.0.0.1", Port: 11233, BusPort: 16233, Flags: FlagPrimary | FlagMigrateTo | FlagExtensions | FlagLightHeader | FlagLightModule},
		{ID: n8a21, PongReceived: 1796074553, IP: "127.0.0.1", Port: 11232, BusPort: 16232, Flags: FlagPrimary | FlagMigrateTo | FlagExtensions | FlagLightHeader | FlagLightModule},
	}, Extensions: Extensions{ShardID: "2a84e7c26556e54defcb0cffb948d77e33f5dde3"}}},
}
