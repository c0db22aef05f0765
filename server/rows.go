package server

import (
	"strconv"
	"sync"

	"slotcast/channels"
	"slotcast/clusterstate"
	"slotcast/resp2"
)

// variant is the part of a form that a row's contents depend on.
func variant(f channels.Form) clusterstate.Variant {
	return clusterstate.Variant{TLS: f&channels.TLS != 0}
}

// rowWriter appends rows of one view in one form, as CLUSTER SLOTS has them.
// Pushed and snapshot rows have the primary's config epoch as one more pair of its
// metadata. What all rows of a shard have in common is made once.
type rowWriter struct {
	view   *clusterstate.View
	va     clusterstate.Variant
	epoch  bool
	shards map[*clusterstate.Node][]byte // what follows the slots, by primary
}

func newRowWriter(v *clusterstate.View, va clusterstate.Variant, epoch bool) *rowWriter {
	return &rowWriter{view: v, va: va, epoch: epoch, shards: make(map[*clusterstate.Node][]byte)}
}

// append writes a row. All rows of a writer go to replies of one protocol.
func (w *rowWriter) append(r *Reply, row clusterstate.Row) {
	if row.Primary == nil {
		r.Array(2)
		r.Int(int64(row.Start))
		r.Int(int64(row.End))
		return
	}
	r.Array(3 + len(row.Replicas))
	r.Int(int64(row.Start))
	r.Int(int64(row.End))
	shard, written := w.shards[row.Primary]
	if written {
		r.Raw(shard)
		return
	}
	start := len(r.buf)
	appendEntry(r, w.view, row.Primary, w.va, w.epoch)
	for _, n := range row.Replicas {
		appendEntry(r, w.view, n, w.va, false)
	}
	w.shards[row.Primary] = r.buf[start:] // what is in a reply stays as it is
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

// rendered is a published view with the replies made from it.
type rendered struct {
	view    *clusterstate.View
	version uint64
	*replies
}

// replies are those that are made from a published view, each encoded on the
// first demand and then served as bytes. Published views of one version have
// them in common.
type replies struct {
	slots     [channels.Forms]lazyBytes
	snapshots [channels.Forms]lazyBytes
}

// render returns what is served while the view is the published one, after what
// was served before; nil if nothing was.
func render(v *clusterstate.View, version uint64, before *rendered) *rendered {
	if before != nil && before.version == version {
		return &rendered{v, version, before.replies}
	}
	return &rendered{v, version, new(replies)}
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
	return rd.slots[f].get(func() []byte { return encodeMap(rd.view, f, false) })
}

// snapshot is the payload of a snapshot channel: the whole map.
func (rd *rendered) snapshot(f channels.Form) []byte {
	return rd.snapshots[f].get(func() []byte {
		if f&channels.JSON != 0 {
			return resp2.AppendBulk(nil, rd.view.JSON(variant(f)).AppendRows(nil, rd.view.Rows()))
		}
		return encodeMap(rd.view, f, true)
	})
}

func encodeMap(v *clusterstate.View, f channels.Form, epoch bool) []byte {
	r := Reply{resp3: f&channels.RESP3 != 0}
	w := newRowWriter(v, variant(f), epoch)
	rows := v.Rows()
	r.Array(len(rows))
	for _, row := range rows {
		w.append(&r, row)
	}
	return r.buf
}
