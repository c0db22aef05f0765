package server

import "slotcast/gossip"

func clusterCommands() []command {
	const change = admin | stale | noAsyncLoading | onOwner
	const ask = stale | onOwner
	const push = noScript | loading | stale | subscribes | readsMap
	const varies = "nondeterministic_output"
	sub := func(name string, arity int, f flags, since string, handler func(*call), tips ...string) *command {
		return &command{name: name, arity: arity, flags: f, since: since, handler: handler, tips: tips}
	}
	list := []*command{
		sub("addslots", -3, change, "3.0.0", clusterAddSlots),
		sub("addslotsrange", -4, change, "7.0.0", clusterAddSlotsRange),
		sub("bumpepoch", 2, change, "3.0.0", clusterBumpEpoch, varies),
		sub("count-failure-reports", 3, admin|stale|onOwner, "3.0.0", clusterFailureReports, varies),
		sub("countkeysinslot", 3, stale, "3.0.0", clusterCountKeysInSlot),
		sub("delslots", -3, change, "3.0.0", clusterDelSlots),
		sub("delslotsrange", -4, change, "7.0.0", clusterDelSlotsRange),
		sub("failover", -2, change, "3.0.0", clusterFailover),
		sub("flushslots", 2, change, "3.0.0", clusterFlushSlots),
		sub("forget", 3, change, "3.0.0", clusterForget),
		sub("getkeysinslot", 4, stale|eachSlot, "3.0.0", clusterGetKeysInSlot, varies),
		sub("help", 2, loading|stale, "5.0.0", help(clusterHelp)),
		sub("info", 2, ask, "3.0.0", clusterInfo, varies),
		sub("keyslot", 3, stale, "3.0.0", clusterKeySlot),
		sub("links", 2, ask, "7.0.0", clusterLinks, varies),
		sub("meet", -4, change, "3.0.0", clusterMeet),
		sub("myid", 2, stale, "3.0.0", clusterMyID),
		sub("myshardid", 2, ask, "7.2.0", clusterMyShardID),
		sub("nodes", 2, ask, "3.0.0", clusterNodes, varies),
		sub("replicas", 3, admin|stale|onOwner, "5.0.0", clusterReplicas, varies),
		sub("replicate", 3, change, "3.0.0", clusterReplicate),
		sub("reset", -2, admin|stale|noScript|onOwner, "3.0.0", clusterReset),
		sub("saveconfig", 2, change, "3.0.0", clusterSaveConfig),
		sub("set-config-epoch", 3, change, "3.0.0", clusterSetConfigEpoch),
		sub("setslot", -4, change|setsSlot, "3.0.0", clusterSetSlot),
		sub("shards", 2, ask, "7.0.0", clusterShards, varies),
		sub("slaves", 3, admin|stale|onOwner, "3.0.0", clusterReplicas, varies),
		sub("slots", 2, stale|readsMap, "3.0.0", clusterSlots, varies),
		sub("subscribe", 3, push, ownSince, clusterSubscribe),
		sub("unsubscribe", 3, push, ownSince, clusterUnsubscribe),
	}
	return []command{
		{name: "cluster", arity: -2, group: "cluster", since: "3.0.0", subcommands: list},
		{name: "asking", arity: 1, flags: fast | setsAsking, categories: catConnection, group: "cluster", since: "3.0.0", handler: setAsking},
		{name: "readonly", arity: 1, flags: loading | stale | fast, categories: catConnection, group: "cluster", since: "3.0.0", handler: setReadonly},
		{name: "readwrite", arity: 1, flags: loading | stale | fast, categories: catConnection, group: "cluster", since: "3.0.0", handler: setReadWrite},
	}
}

var clusterHelp = []string{
	"CLUSTER <subcommand> [argument ...], where <subcommand> is one of:",
	"ADDSLOTS <slot> [slot ...]",
	"    Assign slots that nobody owns to this node.",
	"ADDSLOTSRANGE <start> <end> [start end ...]",
	"    The same for ranges, both ends included.",
	"BUMPEPOCH",
	"    Take a config epoch greater than all others, unless this node has it.",
	"COUNT-FAILURE-REPORTS <node-id>",
	"    Count the nodes that lately reported a node as failing.",
	"COUNTKEYSINSLOT <slot>",
	"    Count the keys that this node holds in a slot.",
	"DELSLOTS <slot> [slot ...]",
	"    Forget who owns the slots, in the eyes of this node.",
	"DELSLOTSRANGE <start> <end> [start end ...]",
	"    The same for ranges, both ends included.",
	"FAILOVER [FORCE|TAKEOVER]",
	"    Make a replica take over from its primary.",
	"FLUSHSLOTS",
	"    Forget the owners of all slots; this node must hold no keys.",
	"FORGET <node-id>",
	"    Remove a node from the map.",
	"GETKEYSINSLOT <slot> <count>",
	"    List keys that this node holds in a slot.",
	"INFO",
	"    Print the state of the cluster as this node sees it.",
	"KEYSLOT <key>",
	"    Print the slot of a key.",
	"LINKS",
	"    List the links to and from other nodes.",
	"MEET <ip> <port> [bus-port]",
	"    Join this node and the one at the address.",
	"MYID",
	"    Print the id of this node.",
	"MYSHARDID",
	"    Print the id of this node's shard.",
	"NODES",
	"    Print one line for each known node.",
	"REPLICAS <node-id>",
	"    Print the lines of a primary's replicas.",
	"REPLICATE <node-id>",
	"    Make this node a replica of a primary.",
	"RESET [HARD|SOFT]",
	"    Leave the cluster; HARD takes a new id and epoch zero as well.",
	"SAVECONFIG",
	"    Write the cluster configuration file.",
	"SET-CONFIG-EPOCH <epoch>",
	"    Set the config epoch of a new node.",
	"SETSLOT <slot> (IMPORTING <node-id>|MIGRATING <node-id>|STABLE|NODE <node-id>)",
	"    Open a slot for a move, close it again, or set its owner.",
	"SHARDS",
	"    List the shards with their slots and nodes.",
	"SLOTS",
	"    List the slot ranges with their nodes.",
	"    Subscribe to __cluster-slots__ to be told when they change.",
	"SUBSCRIBE SLOTS",
	"    Push each row that changes to this RESP3 connection, without a channel.",
	"UNSUBSCRIBE SLOTS",
	"    Push no more rows that way.",
	"HELP",
	"    Print this text.",
}

// answer gives the state machine an input and writes its reply.
func (cl *call) answer(in gossip.Input, held slotLocks) {
	cl.answerAt(cl.server.owner.now(), in, held)
}

func (cl *call) answerAt(now gossip.Now, in gossip.Input, held slotLocks) {
	if text, err := cl.stepAt(now, in, held); err != nil {
		cl.fail(err)
	} else {
		cl.reply.Status(text)
	}
}
