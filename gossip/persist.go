package gossip

import "slotcast/clusterstate"

// load makes the node that a nodes.conf describes.
func (n *Node) load(conf clusterstate.NodesConf, t *turn) {
	n.currentEpoch, n.lastVoteEpoch = conf.CurrentEpoch, conf.LastVoteEpoch
	n.table = newTable()
	n.health.restarted = len(conf.Nodes) > 1 && !n.cfg.Formed

	var mine *clusterstate.NodeLine
	for i := range conf.Nodes {
		if conf.Nodes[i].Has(clusterstate.LineMyself) {
			mine = &conf.Nodes[i]
		}
	}
	saved := nodeOf(mine)
	if n.cfg.AnnounceIP == "" {
		n.learned = saved.IP
	}
	saved.Failed, saved.NoAddr = false, false // whoever reads this is neither
	n.view = clusterstate.NewView(saved, n.cfg.viewSettings())
	t.edit = n.view.Edit()
	for i := range conf.Nodes {
		line := &conf.Nodes[i]
		if line != mine {
			t.edit.SetNode(nodeOf(line))
		}
		n.table.add(peerOf(line, t.now))
	}
	n.completeShardIDs(conf.Nodes, t)
	for i := range conf.Nodes {
		line := &conf.Nodes[i]
		eachSlot(line.Slots, func(slot uint16) { n.assign(t, slot, line.ID) })
	}
	for _, o := range mine.Migrating {
		t.edit.SetMigrating(o.Slot, o.Node)
	}
	for _, o := range mine.Importing {
		t.edit.SetImporting(o.Slot, o.Node)
	}
	n.announce(t)
	for _, node := range t.edit.Nodes() {
		if node.Primary == mine.ID {
			n.refuseReplica(t, node.ID)
		}
	}
	t.logf("Node configuration loaded, I'm %s", mine.ID)
}

// nodeOf returns the part of a line that belongs into the view. The epoch on a
// replica's line is its primary's; its own is 0. No replication offset is
// saved, so every replica starts as one that holds nothing.
func nodeOf(line *clusterstate.NodeLine) clusterstate.Node {
	node := clusterstate.Node{
		ID:          line.ID,
		Replica:     line.Has(clusterstate.LineReplica),
		Primary:     line.Primary,
		Failed:      line.Has(clusterstate.LineFail),
		IP:          line.IP,
		NoAddr:      line.Has(clusterstate.LineNoAddr),
		Hostname:    line.Hostname,
		Port:        line.Port,
		TLSPort:     line.TLSPort,
		BusPort:     line.BusPort,
		ConfigEpoch: line.ConfigEpoch,
	}
	if node.Replica {
		node.ConfigEpoch = 0
	}
	return node
}

// peerOf returns the rest of it. Saved times say nothing any more, except that
// there was a ping or a pong.
func peerOf(line *clusterstate.NodeLine, now Now) peer {
	p := newPeer(line.ID, line.ShardID)
	p.suspected = line.Has(clusterstate.LinePFail) && !line.Has(clusterstate.LineMyself)
	p.noFailover = line.Has(clusterstate.LineNoFailover)
	p.nodename = line.Nodename
	p.clientIPv4, p.clientIPv6 = line.ClientIPv4, line.ClientIPv6
	if line.PingSent != 0 {
		p.pingSent, p.pingAt = now.Wall.UnixMilli(), now.Mono
	}
	if line.PongReceived != 0 {
		p.pongReceived, p.pongAt = now.Wall.UnixMilli(), now.Mono
	}
	return p
}

// completeShardIDs makes up the shard ids that the file lacks, as one of Redis
// 7.0 does: a replica has its primary's, everyone else one of its own.
func (n *Node) completeShardIDs(lines []clusterstate.NodeLine, t *turn) {
	give := func(id clusterstate.NodeID, shard string) {
		n.table.alter(id).shardID = shard
		t.mustSave()
	}
	for i := range lines {
		if lines[i].ShardID == "" && lines[i].Primary == "" {
			give(lines[i].ID, string(n.newID()))
		}
	}
	for i := range lines {
		if lines[i].ShardID == "" && lines[i].Primary != "" {
			shard := n.table.peer(lines[i].Primary).shardID
			if shard == "" { // the primary is itself a replica without one
				shard = string(n.newID())
			}
			give(lines[i].ID, shard)
		}
	}
}

// lines returns every known node in the order of the ids.
func (n *Node) lines() []clusterstate.NodeLine {
	nodes := n.view.Nodes()
	lines := make([]clusterstate.NodeLine, len(nodes))
	for i, slots := range n.view.RangesOf(nodes) {
		lines[i] = n.line(nodes[i], slots)
	}
	return lines
}

func (n *Node) line(node *clusterstate.Node, slots []clusterstate.SlotRange) clusterstate.NodeLine {
	p := n.table.peer(node.ID)
	line := clusterstate.NodeLine{
		ID:           node.ID,
		IP:           node.IP,
		Hostname:     node.Hostname,
		Port:         node.Port,
		TLSPort:      node.TLSPort,
		BusPort:      node.BusPort,
		ShardID:      p.shardID,
		Nodename:     p.nodename,
		ClientIPv4:   p.clientIPv4,
		ClientIPv6:   p.clientIPv6,
		Primary:      node.Primary,
		PingSent:     p.pingSent,
		PongReceived: p.pongReceived,
		ConfigEpoch:  node.ConfigEpoch,
		Connected:    p.up,
		Slots:        slots,
	}
	if primary := n.view.Node(node.Primary); primary != nil {
		line.ConfigEpoch = primary.ConfigEpoch
	}
	flag := func(set bool, f clusterstate.LineFlags) {
		if set {
			line.Flags |= f
		}
	}
	flag(!node.Replica, clusterstate.LinePrimary)
	flag(node.Replica, clusterstate.LineReplica)
	flag(p.suspected, clusterstate.LinePFail)
	flag(node.Failed, clusterstate.LineFail)
	flag(node.NoAddr, clusterstate.LineNoAddr)
	flag(p.noFailover, clusterstate.LineNoFailover)
	if node == n.myself() {
		line.Flags |= clusterstate.LineMyself
		line.Connected = true
		line.Migrating, line.Importing = n.view.OpenSlots()
	}
	return line
}
