package clusterstate

import "bytes"

// MovedRow is a range of slots whose address, as MOVED spells it, changed.
type MovedRow struct {
	SlotRange
	Node *Node
}

// MovedRows returns the ranges for which clients of the variant would now be
// redirected to another host and port, also if they are now this node's. There
// is nothing to say of unassigned slots, nor of this node's own while its
// address is unknown.
func MovedRows(old, new *View, va Variant) []MovedRow {
	if old == new {
		return nil
	}
	var rows []MovedRow
	settings := settingsDiffer(old, new)
	differ := func(was, is *Node) bool {
		return (was != is || settings) && movedDiffers(old, was, new, is, va)
	}
	for slot, n := range changes(old, new, differ) {
		if last := len(rows) - 1; last >= 0 && rows[last].End+1 == slot && rows[last].Node == n {
			rows[last].End = slot
		} else {
			rows = append(rows, MovedRow{SlotRange{slot, slot}, n})
		}
	}
	return rows
}

func movedDiffers(old *View, was *Node, new *View, is *Node, va Variant) bool {
	if is == nil || !new.redirectable(is) {
		return false
	}
	if was == nil || !old.redirectable(was) {
		return true
	}
	var a, b [64]byte
	return !bytes.Equal(old.appendHostPort(a[:0], was, va), new.appendHostPort(b[:0], is, va))
}

// redirectable tells whether a redirect to the node can be spelled. A host
// left empty because the setting says so can be; one that is empty because
// this node does not know its own address cannot.
func (v *View) redirectable(n *Node) bool {
	return v.settings.Endpoint != EndpointIP || n.IP != "" || !v.isMyself(n)
}

// AppendMoved appends the text of a row as the ':moved' channel carries it:
// "MOVED 5461 127.0.0.1:30002", or "MOVED 5461-5470 …" for a range.
func (v *View) AppendMoved(b []byte, row MovedRow, va Variant) []byte {
	return v.appendRedirect(b, "MOVED ", row.SlotRange, row.Node, va)
}
