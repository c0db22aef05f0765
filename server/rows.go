package server

import (
	"strconv"
	"sync"
	"sync/atomic"

	"slotcast/channels"
	"slotcast/clusterstate"
	"slotcast/resp2"
)

// variant is the part of a form that a row's contents depend on.
func variant(f channels.Form) clusterstate.Variant {
	return clusterstate.Variant{TLS: f&channels.TLS != 0}
}

// appendRow writes a row as CLUSTER SLOTS does. Pushed and snapshot rows have
// the primary's config epoch as one more pair of its metadata.
func appendRow(r *Reply, v *clusterstate.View, row clusterstate.Row, va clusterstate.Variant, epoch bool) {
	if row.Primary == nil {
		r.Array(2)
		r.Int(int64(row.Start))
		r.Int(int64(row.End))
		return
	}
	r.Array(3 + len(row.Replicas))
	r.Int(int64(row.Start))
	r.Int(int64(row.End))
	appendEntry(r, v, row.Primary, va, epoch)
	for _, n := range row.Replicas {
		appendEntry(r, v, n, va, false)
	}
}

func appendEntry(r *Reply, v *clusterstate.View, n *clusterstate.Node, va clusterstate.Variant, epoch bool) {
	e := v.NodeEntry(n, va)
	r.Array(4)
	if e.Null {
		r.Null()
	} else {
		r.BulkString(e.Endpoint)
	}
	r.Int(int64(e.Port))
	r.BulkString(string(e.ID))
	meta := e.Meta()
	if !epoch {
		r.Map(len(meta))
	} else {
		r.Map(len(meta) + 1)
	}
	for _, pair := range meta {
		r.BulkString(pair[0])
		r.BulkString(pair[1])
	}
	if epoch {
		r.BulkString(clusterstate.MetaConfigEpoch)
		r.BulkString(strconv.FormatUint(n.ConfigEpoch, 10))
	}
}

// rendered is a published view with the replies made from it, each encoded on
// the first demand and then served as bytes.
type rendered struct {
	view      *clusterstate.View
	version   uint64
	slots     [channels.Forms]lazyBytes
	snapshots [channels.Forms]lazyBytes
}

type lazyBytes struct {
	once  sync.Once
	bytes []byte
}

func (l *lazyBytes) get(encode func() []byte) []byte {
	l.once.Do(func() { l.bytes = encode() })
	return l.bytes
}

// clusterSlots is the reply to CLUSTER SLOTS.
func (rd *rendered) clusterSlots(f channels.Form) []byte {
	f &^= channels.JSON
	return rd.slots[f].get(func() []byte { return appendMap(rd.view, f, false) })
}

// snapshot is the payload of a snapshot channel: the whole map.
func (rd *rendered) snapshot(f channels.Form) []byte {
	return rd.snapshots[f].get(func() []byte {
		if f&channels.JSON != 0 {
			return resp2.AppendBulk(nil, rd.view.AppendRowsJSON(nil, rd.view.Rows(), variant(f)))
		}
		return appendMap(rd.view, f, true)
	})
}

func appendMap(v *clusterstate.View, f channels.Form, epoch bool) []byte {
	r := Reply{resp3: f&channels.RESP3 != 0}
	rows := v.Rows()
	r.Array(len(rows))
	for _, row := range rows {
		appendRow(&r, v, row, variant(f), epoch)
	}
	return r.buf
}

// rowsBatch is what one published change sends to one channel of the family,
// or to one pattern that sees it: all changed rows, encoded once for each form
// that somebody has.
type rowsBatch struct {
	old, new *clusterstate.View
	channel  string
	pattern  string // set for what a pattern's listeners receive
	bare     bool   // rows without a channel: pushes, for RESP3 alone
	pushed   *atomic.Int64
	encoded  [channels.Forms][][]byte
	done     [channels.Forms]bool
	rows     [channels.Forms]int64
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
		b.encoded[f], b.rows[f] = b.encode(f)
		b.done[f] = true
	}
	b.pushed.Add(b.rows[f])
	return b.encoded[f]
}

// sliceSize bounds the slices that a batch is cut into, between messages.
const sliceSize = 64 << 10

func (b *rowsBatch) encode(f channels.Form) (slices [][]byte, rows int64) {
	r := Reply{resp3: f&channels.RESP3 != 0}
	var header []byte
	switch {
	case b.bare:
		header = appendBareHeader(header)
	case b.pattern != "":
		header = channels.AppendHeader(header, f, "pmessage", b.pattern, b.channel)
	default:
		header = channels.AppendHeader(header, f, "message", "", b.channel)
	}
	message := func(payload func()) {
		if len(r.buf) > sliceSize-sliceSize/8 {
			slices = append(slices, r.buf)
			r.buf = nil
		}
		r.Raw(header)
		payload()
		rows++
	}
	va := variant(f)
	if b.channel == channels.SlotsMoved {
		for _, row := range clusterstate.MovedRows(b.old, b.new, va) {
			message(func() { r.Bulk(b.new.AppendMoved(nil, row, va)) })
		}
	} else {
		text := b.pattern != "" || b.channel == channels.SlotsJSON || b.channel == channels.Slots && f&channels.JSON != 0
		for _, row := range clusterstate.Diff(b.old, b.new, va) {
			message(func() {
				if text {
					r.Bulk(b.new.AppendJSON(nil, row, va))
				} else {
					appendRow(&r, b.new, row, va, true)
				}
			})
		}
	}
	if len(r.buf) > 0 {
		slices = append(slices, r.buf)
	}
	return slices, rows
}
