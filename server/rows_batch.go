package server

import (
	"sync/atomic"

	"slotcast/channels"
	"slotcast/clusterstate"
)

// viewChange is the step from one published view to the next, with the rows that
// differ: found once for each port that clients are told, on the first demand.
// It is used under the commit lock.
type viewChange struct {
	old, new *clusterstate.View
	rows     map[clusterstate.Variant][]clusterstate.Row
}

func newViewChange(old, next *clusterstate.View) *viewChange {
	return &viewChange{old: old, new: next, rows: make(map[clusterstate.Variant][]clusterstate.Row)}
}

func (ch *viewChange) diff(va clusterstate.Variant) []clusterstate.Row {
	rows, found := ch.rows[va]
	if !found {
		rows = clusterstate.Diff(ch.old, ch.new, va)
		ch.rows[va] = rows
	}
	return rows
}

// rowsBatch is what one published change sends to one channel of the family,
// or to one pattern that sees it: all changed rows, encoded once for each form
// that somebody has.
type rowsBatch struct {
	*viewChange
	channel string
	pattern string // set for what a pattern's listeners receive
	bare    bool   // rows without a channel: pushes, for RESP3 alone
	pushed  *atomic.Int64
	encoded [channels.Forms][][]byte
	done    [channels.Forms]bool
	counts  [channels.Forms]int64 // of rows
}

// Slices implements channels.Batch.
func (b *rowsBatch) Slices(f channels.Form) [][]byte {
	switch {
	case b.bare && f&channels.RESP3 == 0:
		return nil
	case b.bare, b.channel == channels.SlotsMoved:
		f &^= channels.JSON
	}
	if !b.done[f] {
		b.encoded[f], b.counts[f] = b.encode(f)
		b.done[f] = true
	}
	b.pushed.Add(b.counts[f])
	return b.encoded[f]
}

func (b *rowsBatch) encode(f channels.Form) (slices [][]byte, rows int64) {
	m := messages{Reply: Reply{resp3: f&channels.RESP3 != 0}}
	switch {
	case b.bare:
		m.header = appendBareHeader(nil)
	case b.pattern != "":
		m.header = channels.AppendHeader(nil, f, "pmessage", b.pattern, b.channel)
	default:
		m.header = channels.AppendHeader(nil, f, "message", "", b.channel)
	}
	va := variant(f)
	var text []byte // of one row
	switch {
	case b.channel == channels.SlotsMoved:
		for _, row := range clusterstate.MovedRows(b.old, b.new, va) {
			m.next()
			text = b.new.AppendMoved(text[:0], row, va)
			m.Bulk(text)
		}
	case b.pattern != "" || b.channel == channels.SlotsJSON || b.channel == channels.Slots && f&channels.JSON != 0:
		w := b.new.JSON(va)
		for _, row := range b.diff(va) {
			m.next()
			text = w.AppendRow(text[:0], row)
			m.Bulk(text)
		}
	default:
		w := newRowWriter(b.new, va, true)
		for _, row := range b.diff(va) {
			m.next()
			w.append(&m.Reply, row)
		}
	}
	return m.end()
}

// sliceSize bounds the slices that a batch is cut into, between messages.
const sliceSize = 64 << 10

// messages collects the messages of a batch, cut into slices.
type messages struct {
	Reply
	header []byte // of each message, up to its payload
	slices [][]byte
	count  int64
}

// next begins a message. Whoever calls it writes the payload.
func (m *messages) next() {
	if len(m.buf) > sliceSize-sliceSize/8 {
		m.slices = append(m.slices, m.buf)
		m.buf = make([]byte, 0, sliceSize) // a batch this long has more
	}
	m.Raw(m.header)
	m.count++
}

func (m *messages) end() (slices [][]byte, count int64) {
	if len(m.buf) > 0 {
		m.slices = append(m.slices, m.buf)
	}
	return m.slices, m.count
}
