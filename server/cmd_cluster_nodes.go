package server

import (
	"strconv"

	"slotcast/gossip"
	"slotcast/gossip/bus"
)

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
