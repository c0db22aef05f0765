package gossip

import (
	"slices"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// report is a peer's word, at a moment, that it does not reach a node. The peer
// is known by its number.
type report struct {
	from uint32
	at   time.Duration
}

// isFresh tells whether a report still counts.
func (n *Node) isFresh(r report, now time.Duration) bool { return now-r.at <= 2*n.cfg.NodeTimeout }

// freshReports counts the reports about a node that are not outdated.
func (n *Node) freshReports(p *peer, now time.Duration) int {
	fresh := 0
	for _, r := range p.reports {
		if n.isFresh(r, now) {
			fresh++
		}
	}
	return fresh
}

// report notes that a peer does not reach a node, or does again. The reports
// are in the order of who made them: in a partition of a large cluster there
// are some of half of the nodes by half of the nodes, and every ping repeats
// what its sender has to say of all. It returns the peer as it is now.
func (n *Node) report(t *turn, p *peer, from uint32, failing bool) *peer {
	if !failing {
		if len(p.reports) > 0 {
			p = n.table.altered(p)
			p.reports = slices.DeleteFunc(p.reports, func(r report) bool {
				return r.from == from || !n.isFresh(r, t.now.Mono)
			})
		}
		return p
	}
	p = n.table.altered(p)
	i, repeated := slices.BinarySearchFunc(p.reports, from, func(r report, from uint32) int {
		return int(r.from) - int(from)
	})
	if repeated {
		p.reports[i].at = t.now.Mono
	} else {
		p.reports = slices.Insert(p.reports, i, report{from, t.now.Mono})
	}
	n.convict(t, p.id)
	return p
}

// suspect sets or clears PFAIL of a node.
func (n *Node) suspect(t *turn, id clusterstate.NodeID, suspected bool) {
	if n.table.peer(id).suspected != suspected {
		n.table.suspect(id, suspected)
		t.news = true
	}
}

// convict finds that a suspect has failed if a majority of the primaries with
// slots say so. This node counts among them if it is one: a node that only
// watches is not asked, as it is not when votes are counted.
func (n *Node) convict(t *turn, id clusterstate.NodeID) {
	p := n.table.peer(id)
	if !p.suspected || n.node(t, id).Failed {
		return
	}
	own, quorum := 0, n.health.size/2+1
	if n.table.peer(n.view.Myself().ID).slots > 0 && !n.view.Myself().Replica {
		own = 1
	}
	if len(p.reports)+own < quorum {
		return // whatever their age
	}
	against := n.freshReports(p, t.now.Mono) + own
	if against < quorum {
		return
	}
	n.fail(t, id)
	t.send(intent{kind: frame.TypeFail, about: id})
	t.warnf("Node %s has failed: %d of %d primaries do not reach it", id, against, n.health.size)
}

// fail sets FAIL.
func (n *Node) fail(t *turn, id clusterstate.NodeID) {
	n.suspect(t, id, false)
	n.table.alter(id).failedAt = t.now.Mono
	n.setFailed(t, id, true)
}

func (n *Node) setFailed(t *turn, id clusterstate.NodeID, failed bool) {
	node := *n.node(t, id)
	node.Failed = failed
	t.edit.SetNode(node)
	t.mustSave()
}

// receiveFail takes in that a majority has found a node to have failed.
func (n *Node) receiveFail(t *turn, m *frame.Message) {
	node := n.node(t, m.Failed)
	if node == nil || node.Failed || node.ID == n.view.Myself().ID {
		return
	}
	n.fail(t, node.ID)
	t.warnf("Node %s says that node %s has failed", m.Sender, node.ID)
}

// absolve clears what stands against a node that has answered. A primary with
// slots stays failed for a while all the same: its replicas may be about to
// take over, and two owners at once are worse than none.
func (n *Node) absolve(t *turn, id clusterstate.NodeID) {
	n.suspect(t, id, false)
	node := n.node(t, id)
	if !node.Failed {
		return
	}
	p := n.table.peer(id)
	if !node.Replica && p.slots > 0 && t.now.Mono-p.failedAt <= 2*n.cfg.NodeTimeout {
		return
	}
	n.setFailed(t, id, false)
	t.warnf("Node %s is reachable again", id)
}

// forgetReports drops what a node that is forgotten has said of others.
func (n *Node) forgetReports(t *turn, from uint32) {
	for _, p := range n.table.rows {
		if len(p.reports) > 0 {
			n.report(t, p, from, false)
		}
	}
}
