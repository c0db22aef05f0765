package server

import (
	"strconv"
	"strings"

	"slotcast/clusterstate"
	"slotcast/gossip"
	"slotcast/gossip/bus"
	"slotcast/keyspace"
)

func clusterCommands() []command {
	const change = admin | stale | noAsyncLoading | onOwner
	const ask = stale | onOwner
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

func clusterAddSlots(cl *call) {
	ranges, err := gossip.ParseSlots(cl.args[2:])
	cl.answer(gossip.AddSlots{Ranges: ranges, Invalid: err}, noSlotLocks)
}

func clusterDelSlots(cl *call) {
	ranges, err := gossip.ParseSlots(cl.args[2:])
	cl.answer(gossip.DelSlots{Ranges: ranges, Invalid: err}, noSlotLocks)
}

// pairs reports whether the ranges come in pairs, and answers when not.
func (cl *call) pairs() bool {
	if len(cl.args)%2 != 0 {
		cl.fail(errArity(cl.cmd.fullName))
		return false
	}
	return true
}

func clusterAddSlotsRange(cl *call) {
	if cl.pairs() {
		ranges, err := gossip.ParseSlotRanges(cl.args[2:])
		cl.answer(gossip.AddSlots{Ranges: ranges, Invalid: err}, noSlotLocks)
	}
}

func clusterDelSlotsRange(cl *call) {
	if cl.pairs() {
		ranges, err := gossip.ParseSlotRanges(cl.args[2:])
		cl.answer(gossip.DelSlots{Ranges: ranges, Invalid: err}, noSlotLocks)
	}
}

// lockKeys locks every slot for an input that depends on there being no key.
// In EXEC they are locked.
func (cl *call) lockKeys() (held slotLocks, unlock func()) {
	if cl.exec == nil {
		cl.server.keys.LockAll()
		return slotLocks{all: true}, cl.server.keys.UnlockAll
	}
	return slotLocks{all: true}, func() {}
}

func clusterFlushSlots(cl *call) {
	held, unlock := cl.lockKeys()
	defer unlock()
	cl.answer(gossip.FlushSlots{DBEmpty: cl.server.keys.Len() == 0}, held)
}

func clusterReset(cl *call) {
	hard := false
	switch {
	case len(cl.args) == 3 && strings.EqualFold(cl.str(2), "hard"):
		hard = true
	case len(cl.args) == 3 && !strings.EqualFold(cl.str(2), "soft"):
		cl.fail(errSyntax)
		return
	case len(cl.args) > 3:
		cl.fail(errSubcommandSyntax(cl.cmd.parent.name, cl.str(1)))
		return
	}
	held, unlock := cl.lockKeys()
	defer unlock()
	cl.answer(gossip.Reset{Hard: hard, HasKeys: cl.server.keys.Len() != 0}, held)
}

func clusterSetSlot(cl *call) {
	in := gossip.ParseSetSlot(cl.args[2:])
	now, held := cl.server.owner.now(), noSlotLocks
	if in.Invalid == nil && in.Action == gossip.SlotNode {
		if cl.exec != nil {
			in.KeysInSlot = cl.server.keys.Slot(in.Slot).Len()
		} else {
			var unlock func()
			held, unlock = cl.server.owner.lockSetSlot(now, &in)
			defer unlock()
		}
	}
	cl.answerAt(now, in, held)
}

func clusterBumpEpoch(cl *call)  { cl.answer(gossip.BumpEpoch{}, noSlotLocks) }
func clusterSaveConfig(cl *call) { cl.answer(gossip.SaveConfig{}, noSlotLocks) }

func clusterSetConfigEpoch(cl *call) {
	epoch, ok := parseInt(cl.args[2])
	if !ok {
		cl.fail(errNotInteger)
		return
	}
	cl.answer(gossip.SetConfigEpoch{Epoch: epoch}, noSlotLocks)
}

func clusterMeet(cl *call) {
	if len(cl.args) > 5 {
		cl.fail(errSubcommandSyntax(cl.cmd.parent.name, cl.str(1)))
		return
	}
	cl.answer(gossip.ParseMeet(cl.args[2:]), noSlotLocks)
}

func clusterForget(cl *call)    { cl.answer(gossip.Forget{Node: cl.str(2)}, noSlotLocks) }
func clusterReplicate(cl *call) { cl.answer(gossip.Replicate{Node: cl.str(2)}, noSlotLocks) }

func clusterFailover(cl *call) {
	switch {
	case len(cl.args) > 3:
		cl.fail(errSubcommandSyntax(cl.cmd.parent.name, cl.str(1)))
	case len(cl.args) == 3 && !is(cl.args[2], "force") && !is(cl.args[2], "takeover"):
		cl.fail(errSyntax)
	default:
		cl.answer(gossip.Failover{}, noSlotLocks)
	}
}

func clusterFailureReports(cl *call) {
	n, err := cl.node().FailureReports(cl.str(2))
	if err != nil {
		cl.fail(err)
		return
	}
	cl.reply.Int(int64(n))
}

func clusterReplicas(cl *call) {
	lines, err := cl.node().ReplicaLines(cl.str(2), cl.conn.variant())
	if err != nil {
		cl.fail(err)
		return
	}
	cl.reply.Strings(lines)
}

func clusterNodes(cl *call) {
	cl.reply.Verbatim("txt", string(cl.node().NodesText(cl.conn.variant())))
}

func clusterInfo(cl *call) {
	text := string(cl.node().InfoText())
	f := &cl.server.family
	on := "0"
	if cl.server.config.Values().SlotsPush {
		on = "1"
	}
	text += "cluster_slots_push:" + on + "\r\n" +
		"cluster_slots_subscribers:" + strconv.Itoa(int(f.count.Load())) + "\r\n" +
		"cluster_slots_rows_pushed:" + strconv.FormatInt(f.rows.Load(), 10) + "\r\n" +
		"cluster_slots_forged_dropped:" + strconv.FormatUint(cl.node().Forged(), 10) + "\r\n" +
		"cluster_slots_version:" + strconv.FormatUint(cl.server.topology.published().version, 10) + "\r\n"
	cl.reply.Verbatim("txt", text)
}

func clusterMyShardID(cl *call) { cl.reply.BulkString(cl.node().MyShardID()) }

// clusterLinks lists the links of the cluster bus, to and from each node.
func clusterLinks(cl *call) {
	type entry struct {
		gossip.LinkInfo
		bus.LinkStats
	}
	var links []entry
	for _, l := range cl.node().Links() {
		if stats, open := cl.server.owner.bus.Stats(l.Link); open {
			links = append(links, entry{l, stats})
		}
	}
	r := cl.reply
	r.Array(len(links))
	for _, l := range links {
		direction, events := "from", "r"
		if l.To {
			direction = "to"
		}
		if l.Writing {
			events = "rw"
		}
		r.Map(6)
		r.BulkString("direction")
		r.BulkString(direction)
		r.BulkString("node")
		r.BulkString(string(l.Node))
		r.BulkString("create-time")
		r.Int(l.LinkInfo.Created.UnixMilli())
		r.BulkString("events")
		r.BulkString(events)
		r.BulkString("send-buffer-allocated")
		r.Int(int64(l.Allocated))
		r.BulkString("send-buffer-used")
		r.Int(int64(l.Used))
	}
}

func clusterShards(cl *call) {
	shards := cl.node().Shards(0)
	cl.reply.Array(len(shards))
	for _, s := range shards {
		cl.reply.Map(2)
		cl.reply.BulkString("slots")
		cl.reply.Array(2 * len(s.Slots))
		for _, r := range s.Slots {
			cl.reply.Int(int64(r.Start))
			cl.reply.Int(int64(r.End))
		}
		cl.reply.BulkString("nodes")
		cl.reply.Array(len(s.Nodes))
		for _, n := range s.Nodes {
			cl.shardNode(n)
		}
	}
}

func (cl *call) shardNode(n gossip.ShardNode) {
	role := "master"
	if n.Replica {
		role = "replica"
	}
	pairs := 6
	for _, present := range []bool{n.Port != 0, n.TLSPort != 0, n.Hostname != ""} {
		if present {
			pairs++
		}
	}
	r := cl.reply
	r.Map(pairs)
	r.BulkString("id")
	r.BulkString(string(n.ID))
	if n.Port != 0 {
		r.BulkString("port")
		r.Int(int64(n.Port))
	}
	if n.TLSPort != 0 {
		r.BulkString("tls-port")
		r.Int(int64(n.TLSPort))
	}
	r.BulkString("ip")
	r.BulkString(n.IP)
	r.BulkString("endpoint")
	r.BulkString(n.Endpoint)
	if n.Hostname != "" {
		r.BulkString("hostname")
		r.BulkString(n.Hostname)
	}
	r.BulkString("role")
	r.BulkString(role)
	r.BulkString("replication-offset")
	r.Int(n.Offset)
	r.BulkString("health")
	r.BulkString(n.Health)
}

// clusterSlots serves the published map. On a connection that listens the commit
// lock is held, so that the map does not overtake a row, nor a row the map.
func clusterSlots(cl *call) {
	if cl.exec != nil && cl.exec.staged != nil {
		rd := rendered{view: cl.exec.staged.node.View()}
		cl.reply.Raw(rd.clusterSlots(cl.conn.replyForm()))
		return
	}
	cl.reply.Raw(cl.server.topology.published().clusterSlots(cl.conn.replyForm()))
}

func clusterMyID(cl *call) {
	cl.reply.BulkString(string(cl.server.topology.current().Myself().ID))
}

func clusterKeySlot(cl *call) { cl.reply.Int(int64(clusterstate.KeySlot(cl.args[2]))) }

func clusterCountKeysInSlot(cl *call) {
	slot, ok := parseInt(cl.args[2])
	if !ok {
		cl.fail(errNotInteger)
		return
	}
	if slot < 0 || slot >= clusterstate.Slots {
		cl.fail(errInvalidSlot)
		return
	}
	cl.reply.Int(int64(cl.server.keys.Slot(uint16(slot)).Len()))
}

func clusterGetKeysInSlot(cl *call) {
	slot, ok := parseInt(cl.args[2])
	count, ok2 := parseInt(cl.args[3])
	if !ok || !ok2 {
		cl.fail(errNotInteger)
		return
	}
	if slot < 0 || slot >= clusterstate.Slots || count < 0 {
		cl.fail(errInvalidSlotOrCount)
		return
	}
	var keys []string
	cl.withSlot(uint16(slot), func(s *keyspace.Slot) { keys = s.Keys(int(min(count, 1<<31))) })
	cl.reply.Strings(keys)
}

// withSlot runs f with a slot locked; in an EXEC that looks at slots all are.
func (cl *call) withSlot(n uint16, f func(*keyspace.Slot)) {
	slot := cl.server.keys.Slot(n)
	if cl.exec == nil {
		slot.Lock()
		defer slot.Unlock()
	}
	f(slot)
}

func setAsking(cl *call) {
	cl.conn.asking = true
	cl.reply.OK()
}

func setReadonly(cl *call) {
	cl.conn.readonly = true
	cl.conn.alter(func(id *identity) { id.readonly = true })
	cl.reply.OK()
}

func setReadWrite(cl *call) {
	cl.conn.readonly = false
	cl.conn.alter(func(id *identity) { id.readonly = false })
	cl.reply.OK()
}
