package clusterstate

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Diff returns the rows by which CLUSTER SLOTS of the new view differs from
// that of the old one for clients of the variant: every slot whose row reads
// otherwise, in ascending order, merged while neighbours have the same shard.
// Slots that lost their owner give rows without a primary.
//
// A config epoch, an open slot or the cluster state is not a difference.
// Stretches of the map that the two views share cost one comparison each.
func Diff(old, new *View, va Variant) []Row {
	if old == new {
		return nil
	}
	var rows []Row
	prints := newPrinter(old, new, va)
	var last *Node // owner of the row that may be extended
	extend := false
	for c := range new.owners {
		was, is := old.owners[c], new.owners[c]
		if was == is && !prints.settingsDiffer {
			extend = false
			continue
		}
		for i := range is {
			if !prints.differ(was[i], is[i]) {
				extend = false
				continue
			}
			slot := uint16(c<<chunkBits | i)
			if extend && last == is[i] {
				rows[len(rows)-1].End = slot
				continue
			}
			row := Row{Start: slot, End: slot, Primary: is[i]}
			if is[i] != nil {
				row.Replicas = is[i].listedReplicas()
			}
			rows = append(rows, row)
			last, extend = is[i], true
		}
	}
	return rows
}

// printer compares shards of two views by the fingerprints of what a client
// is shown of them.
type printer struct {
	old, new       *View
	va             Variant
	settingsDiffer bool // pointer-equal shards may be shown otherwise

	was, is *Node // the pair compared last, and the answer
	answer  bool

	oldPrints, newPrints map[*Node]uint64
	buf                  []byte
}

func newPrinter(old, new *View, va Variant) *printer {
	return &printer{
		old: old, new: new, va: va,
		settingsDiffer: old.settings.Endpoint != new.settings.Endpoint || old.myself.ID != new.myself.ID,
	}
}

func (p *printer) differ(was, is *Node) bool {
	if was == is && (is == nil || !p.settingsDiffer) {
		return false
	}
	if was != p.was || is != p.is {
		p.was, p.is, p.answer = was, is, p.compare(was, is)
	}
	return p.answer
}

func (p *printer) compare(was, is *Node) bool {
	if was == nil || is == nil || was.ID != is.ID {
		return true
	}
	return p.print(&p.oldPrints, p.old, was) != p.print(&p.newPrints, p.new, is)
}

func (p *printer) print(known *map[*Node]uint64, v *View, n *Node) uint64 {
	if sum, ok := (*known)[n]; ok {
		return sum
	}
	if *known == nil {
		*known = make(map[*Node]uint64)
	}
	p.buf = v.appendShard(p.buf[:0], n, p.va)
	sum := xxhash.Sum64(p.buf)
	(*known)[n] = sum
	return sum
}

// appendShard appends an unambiguous form of what CLUSTER SLOTS shows of the
// shard of a primary.
func (v *View) appendShard(b []byte, primary *Node, va Variant) []byte {
	b = v.appendShown(b, primary, va)
	for _, r := range primary.Replicas {
		if r.listed() {
			b = v.appendShown(b, r, va)
		}
	}
	return b
}

func (v *View) appendShown(b []byte, n *Node, va Variant) []byte {
	e := v.NodeEntry(n, va)
	null := byte(0)
	if e.Null {
		null = 1
	}
	b = append(b, null)
	b = appendSized(b, e.Endpoint)
	b = binary.AppendUvarint(b, uint64(e.Port))
	b = appendSized(b, string(e.ID))
	b = append(b, byte(e.pairs))
	for _, pair := range e.Meta() {
		b = appendSized(b, pair[0])
		b = appendSized(b, pair[1])
	}
	return b
}

func appendSized(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
