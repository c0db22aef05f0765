package server

import (
	"slotcast/clusterstate"
	"slotcast/keyspace"
)

// redirect decides whether this node serves a command with keys. The slot of
// the first key is locked and cl.view loaded under that lock.
func (s *Server) redirect(cl *call, slot *keyspace.Slot, n uint16) error {
	q := clusterstate.Query{
		Slot:        n,
		Write:       cl.cmd.flags&write != 0,
		ReadOnly:    cl.conn.readonly,
		Asking:      cl.conn.asking || cl.cmd.flags&asking != 0,
		ShardPubSub: cl.cmd.flags&pubsub != 0,
		Migrate:     cl.cmd.flags&migrates != 0,
		CrossSlot:   cl.cmd.crossesSlots(cl.args, n),
	}
	if !cl.view.HasOpenSlots() {
		return decided(clusterstate.Decide(cl.view, q), cl)
	}
	q.Presence = presence{slot: slot, now: cl.now, keys: func(yield func([]byte) bool) {
		for i := range cl.cmd.keyIndexes(cl.args) {
			if !yield(cl.args[i]) {
				return
			}
		}
	}}
	return decided(clusterstate.Decide(cl.view, q), cl)
}

// redirectQueue decides for all that an EXEC will run, as for one command.
func (s *Server) redirectQueue(cl *call, queue []queuedCommand) error {
	q := clusterstate.Query{ReadOnly: cl.conn.readonly, Asking: cl.conn.asking}
	keyed := false
	for _, c := range queue {
		q.Write = q.Write || c.cmd.flags&write != 0
		n, has := c.cmd.slot(c.args)
		if !has {
			continue
		}
		if !keyed {
			keyed, q.Slot = true, n
		}
		q.CrossSlot = q.CrossSlot || n != q.Slot || c.cmd.crossesSlots(c.args, n)
	}
	if !keyed {
		return nil
	}
	q.Presence = presence{slot: s.keys.Slot(q.Slot), now: cl.now, keys: func(yield func([]byte) bool) {
		for _, c := range queue {
			for i := range c.cmd.keyIndexes(c.args) {
				if !yield(c.args[i]) {
					return
				}
			}
		}
	}}
	return decided(clusterstate.Decide(cl.view, q), cl)
}

func decided(d clusterstate.Decision, cl *call) error {
	if d.Verdict == clusterstate.Serve {
		return nil
	}
	return respError(d.Text(cl.view, cl.conn.variant()))
}

// variant is what the connection is told of ports.
func (c *conn) variant() clusterstate.Variant { return variant(c.form()) }

// crossesSlots reports whether a later key is in another slot than n.
func (cmd *command) crossesSlots(args [][]byte, n uint16) bool {
	if k := &cmd.keys[0]; len(cmd.keys) == 1 && k.last == 0 && k.keyword == "" && !k.count {
		return false
	}
	for i := range cmd.keyIndexes(args) {
		if clusterstate.KeySlot(args[i]) != n {
			return true
		}
	}
	return false
}

// presence counts the keys of a command in its slot, which is locked.
type presence struct {
	slot *keyspace.Slot
	now  int64
	keys func(func([]byte) bool)
}

// CountKeys implements clusterstate.Presence.
func (p presence) CountKeys() (existing, missing int, distinct bool) {
	var first []byte
	for key := range p.keys {
		if first == nil {
			first = key
		} else if string(key) != string(first) {
			distinct = true
		}
		if p.slot.Lookup(key, p.now, keyspace.Peek) != nil {
			existing++
		} else {
			missing++
		}
	}
	return existing, missing, distinct
}
