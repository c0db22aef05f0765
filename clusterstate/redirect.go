package clusterstate

import "strconv"

// Presence counts which of a command's keys this node holds. It is asked only
// while the command's slot is open, and must neither touch nor expire keys.
type Presence interface {
	// CountKeys returns how many of the keys exist and how many do not
	// (repeated keys count each time), and whether they are not all the same.
	CountKeys() (existing, missing int, distinct bool)
}

// Query is what the redirect decision asks of a command and its client. For
// an EXEC it describes all queued commands together.
type Query struct {
	// Slot is that of the first key, or of the first shard channel. A command
	// without keys needs no decision: it is served.
	Slot uint16

	// CrossSlot tells that some later key is in another slot.
	CrossSlot bool

	// Write is a command that may write; in an EXEC, if any may.
	Write bool

	// ReadOnly is the client's READONLY state. Asking is its ASKING flag, set
	// also for RESTORE-ASKING, which implies it.
	ReadOnly, Asking bool

	// ShardPubSub is SSUBSCRIBE, SUNSUBSCRIBE or SPUBLISH by itself (not in
	// an EXEC); Migrate is MIGRATE by itself.
	ShardPubSub, Migrate bool

	// Presence may be nil for shard pub/sub and for MIGRATE.
	Presence Presence
}

// Verdict is what becomes of a command.
type Verdict uint8

const (
	Serve        Verdict = iota
	Moved                // the slot is served by Decision.Node
	Ask                  // ask Decision.Node this once
	TryAgain             // some keys have moved, some have not
	CrossSlot            // the keys are in several slots
	DownUnserved         // the slot belongs to nobody
	DownState            // the cluster state is fail
	DownReadOnly         // the cluster state is fail, and this is a write
)

// Decision is a verdict and, for Moved and Ask, where the client is sent.
type Decision struct {
	Verdict Verdict
	Slot    uint16
	Node    *Node
}

// Decide tells whether this node serves the command, in the order of Redis
// 7.0: an unserved slot comes before keys in several slots, and both before
// the cluster state. It does not allocate.
func Decide(v *View, q Query) Decision {
	owner := v.Owner(q.Slot)
	mine := owner == v.myself
	if mine && v.ok && !q.CrossSlot && len(v.migrating) == 0 && len(v.importing) == 0 {
		return Decision{Slot: q.Slot}
	}
	d := Decision{Slot: q.Slot}
	if owner == nil {
		d.Verdict = DownUnserved
		return d
	}
	if q.CrossSlot {
		d.Verdict = CrossSlot
		return d
	}
	if !v.ok {
		if d.Verdict = v.whileDown(q); d.Verdict != Serve {
			return d
		}
	}

	var target *Node
	if mine {
		target = v.Migrating(q.Slot)
	}
	importing := target == nil && v.Importing(q.Slot) != nil
	if target != nil || importing {
		if q.Migrate {
			return d // keys must move freely while the slot is open
		}
		var existing, missing int
		var distinct bool
		if q.Presence != nil && !q.ShardPubSub {
			existing, missing, distinct = q.Presence.CountKeys()
		}
		switch {
		case target != nil && missing > 0 && existing > 0:
			d.Verdict = TryAgain
			return d
		case target != nil && missing > 0:
			d.Verdict, d.Node = Ask, target
			return d
		case importing && q.Asking:
			if distinct && missing > 0 {
				d.Verdict = TryAgain
			}
			return d
		}
	}

	if mine {
		return d
	}
	if (q.ReadOnly || q.ShardPubSub) && !q.Write && v.myself.Replica && v.myself.Primary == owner.ID {
		return d
	}
	d.Verdict, d.Node = Moved, owner
	return d
}

func (v *View) whileDown(q Query) Verdict {
	switch {
	case q.ShardPubSub:
		if !v.settings.AllowPubSubShardWhenDown {
			return DownState
		}
	case !v.settings.AllowReadsWhenDown:
		return DownState
	case q.Write:
		return DownReadOnly
	}
	return Serve
}

// Text returns the error that the client is sent, without the leading '-':
// the texts of Redis. It is empty for Serve.
func (d Decision) Text(v *View, va Variant) string {
	switch d.Verdict {
	case Moved:
		return MovedText(v, d.Slot, d.Node, va)
	case Ask:
		return string(v.appendRedirect(nil, "ASK ", SlotRange{d.Slot, d.Slot}, d.Node, va))
	case TryAgain:
		return "TRYAGAIN Multiple keys request during rehashing of slot"
	case CrossSlot:
		return "CROSSSLOT Keys in request don't hash to the same slot"
	case DownUnserved:
		return "CLUSTERDOWN Hash slot not served"
	case DownState:
		return "CLUSTERDOWN The cluster is down"
	case DownReadOnly:
		return "CLUSTERDOWN The cluster is down and only accepts read commands"
	}
	return ""
}

// MovedText returns the MOVED error, without the leading '-', that sends a
// client of the variant to the node: "MOVED 5461 127.0.0.1:30002".
func MovedText(v *View, slot uint16, n *Node, va Variant) string {
	return string(v.appendRedirect(nil, "MOVED ", SlotRange{slot, slot}, n, va))
}

func (v *View) appendRedirect(b []byte, word string, r SlotRange, n *Node, va Variant) []byte {
	b = append(b, word...)
	b = strconv.AppendUint(b, uint64(r.Start), 10)
	if r.End != r.Start {
		b = append(b, '-')
		b = strconv.AppendUint(b, uint64(r.End), 10)
	}
	b = append(b, ' ')
	return v.appendHostPort(b, n, va)
}

// appendHostPort spells an address as MOVED does: an unknown endpoint leaves
// the host empty.
func (v *View) appendHostPort(b []byte, n *Node, va Variant) []byte {
	e := v.NodeEntry(n, va)
	if !e.Null {
		b = append(b, e.Endpoint...)
	}
	b = append(b, ':')
	return strconv.AppendInt(b, int64(e.Port), 10)
}
