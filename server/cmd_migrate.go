package server

import (
	"math"
	"time"

	"slotcast/keyspace"
)

func migrateCommands() []command {
	const moved = keyRW | keyAccess | keyDelete
	return []command{{
		name: "migrate", arity: -6, flags: write | movableKeys | migrates, categories: catKeyspace | catDangerous, group: "generic", since: "2.6.0",
		keys: []keySpec{{flags: moved, begin: 3, step: 1}, {flags: moved | keyIncomplete, begin: -2, keyword: "KEYS", last: -1, step: 1}},
		tips: []string{"nondeterministic_output"}, findKeys: migrateKeys, handler: migrate,
	}}
}

// migrateOptions is how many arguments belong to an option of MIGRATE.
var migrateOptions = map[string]int{"copy": 0, "replace": 0, "auth": 1, "auth2": 2}

// migrateKeys are the keys of MIGRATE: what follows KEYS, else the one argument.
// If there are both there is none, and the handler says what is wrong.
func migrateKeys(args [][]byte) (keys []usedKey, ok bool) {
	const use = keyRW | keyAccess | keyDelete
	for i := 6; i < len(args)-1; i++ {
		if is(args[i], "keys") {
			if len(args[3]) > 0 {
				return nil, true
			}
			for k := i + 1; k < len(args); k++ {
				keys = append(keys, usedKey{k, use})
			}
			return keys, true
		}
		var small [8]byte
		i += migrateOptions[string(lower(small[:0], args[i]))]
	}
	return []usedKey{{3, use}}, true
}

// migration is one MIGRATE.
type migration struct {
	to            targetID
	auth          []string // password, or user and password; nil for none
	db            int64
	timeout       time.Duration
	copy, replace bool
	names         [][]byte
	keys          []movingKey
}

// movingKey is a key as it is sent. The value is shared, so that it can be read
// without the slot's lock, and the key is busy, unless it is only copied.
type movingKey struct {
	name         []byte
	value        keyspace.Value
	expireAt     int64
	version      uint64
	skipped      bool // its time was over before it was sent
	acknowledged bool // the target has it
}

// migrate sends keys to another server and deletes those that it acknowledges.
// Nothing is locked meanwhile: the keys are marked busy, and whoever wants one
// of them waits, while all others are served.
func migrate(cl *call) {
	m, err := parseMigrate(cl)
	if err != nil {
		cl.fail(err)
		return
	}
	m.take(cl)
	if len(m.keys) == 0 {
		cl.reply.Status("NOKEY")
		return
	}
	defer m.settle(cl) // also if what follows panics
	cl.announce()
	cl.unlocked(func() {
		cl.conn.arm(waitsForTarget) // the connection is not idle
		defer cl.conn.disarm()
		err = m.send(cl.server.targets)
	})
	if err != nil {
		cl.fail(err)
		return
	}
	cl.reply.OK()
}

func parseMigrate(cl *call) (m *migration, err error) {
	args := cl.args
	m = &migration{to: targetID{addr: targetAddr(args[1], args[2])}, names: args[3:4]}
	var user, password [][]byte // the last one given of each
options:
	for i := 6; i < len(args); i++ {
		switch more := len(args) - i - 1; {
		case is(args[i], "copy"):
			m.copy = true
		case is(args[i], "replace"):
			m.replace = true
		case is(args[i], "auth") && more >= 1:
			cl.redact(i + 1)
			password = args[i+1 : i+2]
			i++
		case is(args[i], "auth2") && more >= 2:
			cl.redact(i + 1)
			cl.redact(i + 2)
			user, password = args[i+1:i+2], args[i+2:i+3]
			i += 2
		case is(args[i], "keys"):
			if len(args[3]) > 0 {
				return nil, errMigrateKeys
			}
			m.names = args[i+1:]
			break options
		default:
			return nil, errSyntax
		}
	}
	for _, word := range append(user, password...) {
		m.auth = append(m.auth, string(word))
		m.to.auth += " " + string(word)
	}
	millis, ok := parseInt(args[5])
	if ok {
		m.db, ok = parseInt(args[4])
	}
	if !ok {
		return nil, errNotInteger
	}
	if millis <= 0 {
		millis = 1000
	}
	m.timeout = time.Duration(min(millis, math.MaxInt64/int64(time.Millisecond)/2)) * time.Millisecond
	return m, nil
}

// take notes the keys that are there, and marks them. None is busy yet, or the
// command would not have begun.
func (m *migration) take(cl *call) {
	for _, name := range m.names {
		e := cl.lookup(name, 0)
		if e == nil {
			continue
		}
		m.keys = append(m.keys, movingKey{name: name, value: e.Share(), expireAt: e.ExpireAt(), version: e.Version()})
		if !m.copy && !cl.slot.Busy(name) { // it may be named twice
			cl.slot.MarkBusy(e)
		}
	}
}

// settle deletes what was acknowledged and lets the other keys be used again.
// What is no longer the value that was sent, because the slot was dropped or
// flushed meanwhile, is left alone.
func (m *migration) settle(cl *call) {
	if m.copy {
		return
	}
	for i := range m.keys {
		k := &m.keys[i]
		if e := cl.slot.Release(k.name, k.version); e != nil && k.acknowledged {
			cl.slot.Delete(e, keyspace.Cause{Class: keyspace.Generic, Event: "del", As: keyspace.DelForm})
		}
	}
	cl.server.busy.wake(cl.slot.Number())
}
