package gossip

import (
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// extensions are what this node's pings say beyond header and gossip. Whoever
// keeps a hostname takes it back when a ping comes without, so everyone gets
// it; the others go to those that know them.
func (n *Node) extensions(t *turn, all bool) frame.Extensions {
	e := frame.Extensions{Hostname: n.view.Myself().Hostname}
	if !all {
		return e
	}
	me := n.table.peer(n.view.Myself().ID)
	e.Nodename, e.ShardID = me.nodename, me.shardID
	for _, id := range n.bannedIDs(t.now.Mono) {
		// Rounded down, and not told in the last second: else each ban would
		// outlast the one that it comes from, and those who take the node in
		// again would be told to forget it by the others, in turn, for ever.
		if left := n.table.bans[id] - t.now.Mono; left >= time.Second {
			e.Forgotten = append(e.Forgotten, frame.Forgotten{ID: id, TTL: uint64(left / time.Second)})
		}
	}
	return e
}

// heedExtensions takes in what a node says of itself in extensions. One that is
// missing is taken back by that, except in frames without any whose sender has
// some: Valkey holds them back until it knows that they are read.
func (n *Node) heedExtensions(t *turn, m *frame.Message) {
	e := &m.Extensions
	withheld := m.MessageFlags.Has(frame.HasExtensions) && e.Hostname == "" && e.ShardID == ""
	if !withheld {
		n.heedTexts(t, m.Sender, e)
	}
	n.heedShardID(t, m.Sender, e.ShardID)
	for _, f := range e.Forgotten {
		if n.table.peer(f.ID) != nil && f.ID != n.view.Myself().ID && f.ID != n.view.Myself().Primary && f.TTL > 0 {
			n.ban(f.ID, t.now.Mono+time.Duration(min(f.TTL, maxBanSeconds))*time.Second, t.now.Mono)
			n.forget(t, f.ID)
			t.warnf("Node %s is forgotten, as node %s was told to", f.ID, m.Sender)
		}
	}
}

func (n *Node) heedTexts(t *turn, id clusterstate.NodeID, e *frame.Extensions) {
	node := *n.node(t, id)
	if node.Hostname != e.Hostname {
		node.Hostname = e.Hostname
		t.edit.SetNode(node)
		t.mustSave()
	}
	p := n.table.peer(id)
	if p.nodename != e.Nodename || p.clientIPv4 != e.ClientIPv4 || p.clientIPv6 != e.ClientIPv6 {
		p = n.table.alter(id)
		p.nodename, p.clientIPv4, p.clientIPv6 = e.Nodename, e.ClientIPv4, e.ClientIPv6
		t.mustSave()
	}
}

// heedShardID moves a node to its shard. One that does not tell, as those of
// Redis 7.0, is in its primary's.
func (n *Node) heedShardID(t *turn, id clusterstate.NodeID, told string) {
	if told == "" {
		primary := n.table.peer(n.node(t, id).Primary)
		if primary == nil {
			return
		}
		told = primary.shardID
	}
	if n.table.peer(id).shardID != told {
		n.table.alter(id).shardID = told
		t.mustSave()
	}
}
