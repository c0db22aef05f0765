package gossip

import "slotcast/clusterstate"

// Output is what one step wants to happen. Whoever runs the node applies the
// fields in the order in which they stand here, one output after the other:
//
//  1. Save: written, and if Sync is set known to be on disk, before anything
//     else leaves the process; if Late is set, after the view.
//  2. View: committed; with it, if Reset is set, the subscribers of the map
//     are closed instead of being told.
//     Moved: those who asked are told of the moves that their new owners have
//     confirmed, after the rows of the view, if that changed at all. A move that
//     does not agree with the view any more is not told.
//  3. Reply: sent to whoever gave the command. (On the same connection the
//     reply precedes the rows of the view.)
//  4. Send: frames are queued on their links, after the save, since a frame may
//     carry what must be on disk first, and after the view, since peers act on
//     what a frame says. What is sent to a link that has gone is lost.
//  5. Known: a node of the cluster has been found at the other end of these
//     links, which peers have opened. Then Close and Dial: links are closed, what
//     is still queued on them may be lost, and others are asked for.
//  6. Drop: the keys of these slots are deleted.
//  7. Deliver: messages go to this node's own subscribers.
//  8. Logs.
type Output struct {
	Save    *Save
	View    *clusterstate.View // nil if it did not change
	Reset   bool               // the view is that of a node that left its cluster
	Moved   []Move
	Reply   Reply
	Send    []Send
	Known   []LinkID
	Close   []LinkID
	Dial    []Dial
	Drop    []clusterstate.SlotRange
	Deliver []Message
	Logs    []Log
}

// Save is a new content of nodes.conf.
type Save struct {
	Text []byte

	// Sync demands that the content has reached the disk before the output is
	// applied any further: epochs, votes and slots that were acknowledged
	// must survive a crash. Otherwise a crash may take the file back to an
	// older content.
	Sync bool

	// Late lets subscribers have the view before it is on disk, which takes
	// longer than all the rest of a change's way. It is set when slots went
	// from one other node to another: this node has promised nobody anything
	// of it, and if a crash makes it forget, the new owner's next frame tells
	// it again. Votes, which depend on who owns what, are frames and so later.
	Late bool

	// MayFail is set for SAVECONFIG alone: a failure is answered to the
	// client. Any other failed save ends the process.
	MayFail bool
}

// Reply answers a command: Err, else Text, which is a status.
type Reply struct {
	Text string
	Err  error
}

// Log is a line for the log.
type Log struct {
	Warning bool
	Text    string
}

// Merge returns the one output that has the effect of o and then next, as for
// the commands of one EXEC: the states in between are never saved or shown.
// Frames of all of them are sent; what one tells a peer of a state in between,
// the next corrects.
// The reply is that of next.
func (o Output) Merge(next Output) Output {
	if next.Save == nil {
		next.Save = o.Save
	} else if o.Save != nil {
		save := *next.Save
		save.Sync = save.Sync || o.Save.Sync
		save.Late = save.Late && o.Save.Late
		save.MayFail = save.MayFail && o.Save.MayFail
		next.Save = &save
	}
	if next.View == nil {
		next.View = o.View
	}
	next.Reset = next.Reset || o.Reset
	next.Moved = join(o.Moved, next.Moved)
	next.Send = join(o.Send, next.Send)
	next.Known = join(o.Known, next.Known)
	next.Close = join(o.Close, next.Close)
	next.Dial = join(o.Dial, next.Dial)
	next.Drop = join(o.Drop, next.Drop)
	next.Deliver = join(o.Deliver, next.Deliver)
	next.Logs = join(o.Logs, next.Logs)
	return next
}

// join appends to a copy: outputs, once given out, are not altered.
func join[T any](a, b []T) []T { return append(a[:len(a):len(a)], b...) }
