package server

import "slotcast/keyspace"

// lookup finds a key of the command's slot, and leaves the trace of it that
// both the command and the connection want: under CLIENT NO-TOUCH the time of
// the last access stays. TOUCH alone, which is there to set it, goes past this.
func (cl *call) lookup(key []byte, how keyspace.Access) *keyspace.Entry {
	if cl.conn.identity.Load().noTouch {
		how |= keyspace.NoTouch
	}
	return cl.slot.Lookup(key, cl.now, how)
}

// slotLocks tells the keyspace's walks over all slots who holds the locks.
func (cl *call) slotLocks() keyspace.Locks {
	if cl.exec != nil {
		return keyspace.HoldsLocks
	}
	return keyspace.TakeLocks
}
