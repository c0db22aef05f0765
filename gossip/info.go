package gossip

import (
	"fmt"

	"slotcast/gossip/frame"
)

// InfoText returns the lines of CLUSTER INFO, each ended by CR LF, in the
// order of Redis; what slotcast adds stands at the end.
func (n *Node) InfoText() []byte {
	v := n.view
	s := n.survey(v)
	epoch := v.Myself().ConfigEpoch
	if primary := v.Node(v.Myself().Primary); primary != nil {
		epoch = primary.ConfigEpoch
	}
	state := "fail"
	if v.ClusterOK() {
		state = "ok"
	}
	b := fmt.Appendf(nil, "cluster_state:%s\r\n", state)
	line := func(name string, value uint64) { b = fmt.Appendf(b, "%s:%d\r\n", name, value) }
	line("cluster_slots_assigned", uint64(s.assigned))
	line("cluster_slots_ok", uint64(s.assigned-s.suspected-s.failed))
	line("cluster_slots_pfail", uint64(s.suspected))
	line("cluster_slots_fail", uint64(s.failed))
	line("cluster_known_nodes", uint64(len(v.Nodes())+len(n.table.handshakes)))
	line("cluster_size", uint64(s.size))
	line("cluster_current_epoch", n.currentEpoch)
	line("cluster_my_epoch", epoch)
	b = appendCounts(b, "sent", &n.sent)
	b = appendCounts(b, "received", &n.received)
	line("total_cluster_links_buffer_limit_exceeded", n.overflows)
	return n.appendSuitors(b)
}

func appendCounts(b []byte, direction string, counts *[frame.Types]uint64) []byte {
	total := uint64(0)
	for kind, count := range counts {
		if count > 0 {
			b = fmt.Appendf(b, "cluster_stats_messages_%s_%s:%d\r\n", frame.Type(kind).Label(), direction, count)
		}
		total += count
	}
	return fmt.Appendf(b, "cluster_stats_messages_%s:%d\r\n", direction, total)
}

// appendSuitors names the replicas that get no data, if there are any.
func (n *Node) appendSuitors(b []byte) []byte {
	for i, node := range n.suitors() {
		if i == 0 {
			b = append(b, "cluster_replicas_without_data:"...)
		} else {
			b = append(b, ',')
		}
		b = append(b, node.ID...)
	}
	if len(n.suitors()) > 0 {
		b = append(b, "\r\n"...)
	}
	return b
}
