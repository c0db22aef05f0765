package server

import (
	"slotcast/config"
	"slotcast/keyspace"
)

// notifyFlag is the directive's letter for a class of events.
func notifyFlag(c keyspace.Class) config.NotifyFlags {
	switch c {
	case keyspace.Generic:
		return config.NotifyGeneric
	case keyspace.Strings:
		return config.NotifyString
	case keyspace.Lists:
		return config.NotifyList
	case keyspace.Sets:
		return config.NotifySet
	case keyspace.Hashes:
		return config.NotifyHash
	case keyspace.SortedSets:
		return config.NotifyZSet
	case keyspace.Expiries:
		return config.NotifyExpired
	case keyspace.Evictions:
		return config.NotifyEvicted
	case keyspace.Streams:
		return config.NotifyStream
	case keyspace.Modules:
		return config.NotifyModule
	case keyspace.Misses:
		return config.NotifyKeyMiss
	case keyspace.NewKeys:
		return config.NotifyNew
	}
	return 0
}

// keyChanged is the keyspace's hook: every effect on a key passes here, under
// the lock of its slot. Keyspace notifications hang on it, those who wait for busy
// keys, and those who have keys in a cache.
func (s *Server) keyChanged(slot uint16, e keyspace.Effect) {
	s.busy.gone(slot, e.Change)
	s.caches.changed(slot, e)
	if e.Event == "" {
		return
	}
	flags := s.config.Values().NotifyEvents
	if flags&notifyFlag(e.Class) == 0 || !s.channels.Listening() {
		return
	}
	if flags&config.NotifyKeyspace != 0 {
		s.channels.Publish([]byte("__keyspace@0__:"+e.Key), []byte(e.Event))
	}
	if flags&config.NotifyKeyevent != 0 {
		s.channels.Publish([]byte("__keyevent@0__:"+e.Event), []byte(e.Key))
	}
}

// applyNotify tells the keyspace which events cost something to raise.
func (s *Server) applyNotify(v *config.Values) {
	s.keys.RaiseMisses(v.NotifyEvents&config.NotifyKeyMiss != 0)
}
