package server

import (
	"slotcast/clusterstate"
	"slotcast/keyspace"
)

// clusterSlots serves the published map. On a connection that listens the commit
// lock is held, so that the map does not overtake a row, nor a row the map.
func clusterSlots(cl *call) {
	if cl.exec != nil && cl.exec.staged != nil {
		staged := render(cl.exec.staged.node.View(), 0, nil)
		cl.reply.Raw(staged.clusterSlots(cl.conn.replyForm()))
		return
	}
	text := cl.server.topology.published().clusterSlots(cl.conn.replyForm())
	if cl.exec != nil || cl.conn.held {
		// What is parked, or EXEC's next reply, is to follow in the same piece.
		cl.reply.Raw(text)
		return
	}
	cl.reply.Shared(text)
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
