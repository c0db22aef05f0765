package sim

import (
	"fmt"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip"
)

// reader is a subscriber of one node: it took the map once, and follows the
// rows.
type reader struct {
	publisher *clusterstate.Publisher
	variant   clusterstate.Variant
	wake      time.Duration
	wakes     bool
	rows      [clusterstate.Slots]string
	steps     int
}

func newReader(v *clusterstate.View, now time.Duration) *reader {
	r := &reader{publisher: clusterstate.NewPublisher(v)}
	r.apply(v, v.Rows())
	return r
}

// follow takes in what a step published.
func (r *reader) follow(now time.Duration, n *gossip.Node, out gossip.Output) error {
	was := r.publisher.Published()
	var p clusterstate.Publication
	switch {
	case out.View != nil:
		p = r.publisher.Offer(now, out.View)
	case r.wakes && now >= r.wake:
		p = r.publisher.Tick(now)
	default:
		return nil
	}
	r.wakes, r.wake = p.Wake, p.WakeAt
	if out.Reset {
		// Its subscribers are closed.
		r.rows = [clusterstate.Slots]string{}
		r.apply(r.publisher.Published(), r.publisher.Published().Rows())
		return nil
	}
	if p.View == nil {
		return nil
	}
	r.apply(p.View, clusterstate.Diff(was, p.View, r.variant))
	if r.steps++; r.steps%16 == 0 {
		return r.check()
	}
	return nil
}

func (r *reader) apply(v *clusterstate.View, rows []clusterstate.Row) {
	for _, row := range rows {
		text := rowText(v, row, r.variant)
		for slot := int(row.Start); slot <= int(row.End); slot++ {
			r.rows[slot] = text
		}
	}
}

// check compares what the rows gave with the map as it is published.
func (r *reader) check() error {
	v := r.publisher.Published()
	next := 0
	for _, row := range v.Rows() {
		for ; next < int(row.Start); next++ {
			if r.rows[next] != "" {
				return fmt.Errorf("slot %d is nobody's, by the rows it is %s", next, r.rows[next])
			}
		}
		text := rowText(v, row, r.variant)
		for ; next <= int(row.End); next++ {
			if r.rows[next] != text {
				return fmt.Errorf("slot %d is %s, by the rows it is %q", next, text, r.rows[next])
			}
		}
	}
	for ; next < clusterstate.Slots; next++ {
		if r.rows[next] != "" {
			return fmt.Errorf("slot %d is nobody's, by the rows it is %s", next, r.rows[next])
		}
	}
	return nil
}

func rowText(v *clusterstate.View, row clusterstate.Row, va clusterstate.Variant) string {
	if row.Primary == nil {
		return ""
	}
	text := ""
	for _, n := range append([]*clusterstate.Node{row.Primary}, row.Replicas...) {
		e := v.NodeEntry(n, va)
		text += fmt.Sprintf("[%s %v %d %s %v]", e.Endpoint, e.Null, e.Port, e.ID, e.Meta())
	}
	return text
}
