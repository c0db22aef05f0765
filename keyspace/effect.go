package keyspace

import "strconv"

// Change says what an effect did.
type Change uint8

const (
	// Notified is an event without a change of data: a further event of a
	// command whose effect has its own, a new key, a miss.
	Notified Change = iota
	Written
	Retimed // the expiry time was set, changed or removed
	Deleted
	Expired
	// Dropped is the loss of a whole slot and Flushed of all slots; both have
	// no key. The hook runs while the keys are still in place, so that a
	// listener which needs each of them can walk them.
	Dropped
	Flushed
)

// Class is a set of notification classes, one letter each in
// notify-keyspace-events.
type Class uint16

const (
	Generic    Class = 1 << iota // g
	Strings                      // $
	Lists                        // l
	Sets                         // s
	Hashes                       // h
	SortedSets                   // z
	Expiries                     // x
	Evictions                    // e
	Streams                      // t
	Modules                      // d
	Misses                       // m
	NewKeys                      // n
)

// Form is how an effect is written down for those who copy the data: always as
// what happened, never as something that depends on the time of its replay.
type Form uint8

const (
	Verbatim   Form = iota // the command as the client sent it, in Args
	Covered                // by another effect of the same command
	SetForm                // SET key value, with PXAT if the key expires
	SetKeepTTL             // SET key value KEEPTTL
	DelForm                // DEL key
	RetimeForm             // PEXPIREAT key time, or PERSIST key
	UnlinkForm             // UNLINK key
)

// Cause is what a command says about its effect on a key: the notification it
// raises and how it is propagated. Building one allocates nothing.
type Cause struct {
	Class Class
	Event string // empty if the effect raises no notification
	As    Form
	Args  [][]byte // the command and its arguments, if As is Verbatim
}

// Effect is one change as the hook sees it.
type Effect struct {
	Change
	Cause
	Key      string
	Value    Value // after the change; the last one if the key is gone
	ExpireAt int64 // after the change
	Version  uint64
}

// Hook receives every effect of a slot under the slot's lock, in order. It must
// not wait, and must keep neither Args nor Value without copying. For Flushed,
// whose caller holds all locks, slot is 0.
type Hook func(slot uint16, e Effect)

// AppendCommand appends the command by which a copy of the data follows the
// effect; nothing for Notified, Covered and Dropped. The bytes of Args are not
// copied.
func (e Effect) AppendCommand(dst [][]byte) [][]byte {
	if e.Change == Notified || e.Change == Dropped {
		return dst
	}
	key := []byte(e.Key)
	switch e.As {
	case Verbatim:
		return append(dst, e.Args...)
	case SetForm, SetKeepTTL:
		text, _ := e.Value.(*String)
		dst = append(dst, []byte("SET"), key, text.Bytes(nil))
		if e.As == SetKeepTTL {
			return append(dst, []byte("KEEPTTL"))
		}
		if e.ExpireAt != 0 {
			return append(dst, []byte("PXAT"), strconv.AppendInt(nil, e.ExpireAt, 10))
		}
	case DelForm:
		return append(dst, []byte("DEL"), key)
	case UnlinkForm:
		return append(dst, []byte("UNLINK"), key)
	case RetimeForm:
		if e.ExpireAt == 0 {
			return append(dst, []byte("PERSIST"), key)
		}
		return append(dst, []byte("PEXPIREAT"), key, strconv.AppendInt(nil, e.ExpireAt, 10))
	}
	return dst
}

// effect is the one way out: every change of the slot's data passes here.
func (s *Slot) effect(change Change, e *Entry, c Cause) {
	s.version++
	e.version = s.version
	s.touchWatched(e, change == Deleted || change == Expired)
	s.emit(change, e, c)
}

func (s *Slot) emit(change Change, e *Entry, c Cause) {
	if s.ks.hook != nil {
		s.ks.hook(s.number, Effect{
			Change: change, Cause: c,
			Key: e.key, Value: e.value, ExpireAt: e.expireAt, Version: e.version,
		})
	}
}

// Notify raises a further event about a key, after the effect that carries the
// command's first one: SET with an expiry raises set and expire. The entry may
// be one that Delete has just removed.
func (s *Slot) Notify(e *Entry, class Class, event string) {
	s.emit(Notified, e, Cause{Class: class, Event: event, As: Covered})
}

// miss raises keymiss for a key that a reader did not find.
func (s *Slot) miss(key []byte) {
	if s.ks.hook != nil && s.ks.raiseMisses.Load() {
		s.ks.hook(s.number, Effect{
			Cause: Cause{Class: Misses, Event: "keymiss", As: Covered}, Key: string(key),
		})
	}
}
