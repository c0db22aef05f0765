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
// What the two views share costs one comparison for 128 slots, and one for each
// node.
func Diff(old, new *View, va Variant) []Row {
	if old == new {
		return nil
	}
	var rows []Row
	p := printer{old: old, new: new, va: va}
	for slot, owner := range changes(old, new, p.differ) {
		if last := len(rows) - 1; last >= 0 && rows[last].End+1 == slot && rows[last].Primary == owner {
			rows[last].End = slot
			continue
		}
		row := Row{Start: slot, End: slot, Primary: owner}
		if owner != nil {
			row.Replicas = owner.listed
		}
		rows = append(rows, row)
	}
	return rows
}

// printer compares shards of two views by the fingerprints of what a client
// is shown of them.
type printer struct {
	old, new *View
	va       Variant
	answers  map[*Node]bool // of the shards compared so far, by primary now
	buf      []byte
}

func (p *printer) differ(was, is *Node) bool {
	if was == nil || is == nil || was.ID != is.ID {
		return was != is
	}
	answer, known := p.answers[is]
	if !known {
		answer = p.print(p.old, was) != p.print(p.new, is)
		if p.answers == nil {
			p.answers = make(map[*Node]bool)
		}
		p.answers[is] = answer
	}
	return answer
}

func (p *printer) print(v *View, n *Node) uint64 {
	p.buf = v.appendShard(p.buf[:0], n, p.va)
	return xxhash.Sum64(p.buf)
}

// appendShard appends an unambiguous form of what CLUSTER SLOTS shows of the
// shard of a primary.
func (v *View) appendShard(b []byte, primary *Node, va Variant) []byte {
	b = v.appendShown(b, primary, va)
	for _, r := range primary.listed {
		b = v.appendShown(b, r, va)
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
