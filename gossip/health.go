package gossip

import (
	"time"

	"slotcast/clusterstate"
)

const (
	// startDelay keeps a primary from serving right after a restart, before
	// its peers could tell it what it lost meanwhile.
	startDelay = 2000 * time.Millisecond

	// A primary that comes out of a minority waits as long as the node
	// timeout, within these bounds, for the same reason.
	minRejoinDelay = 500 * time.Millisecond
	maxRejoinDelay = 5000 * time.Millisecond
)

// health is what judging the cluster state needs to remember.
type health struct {
	judged      bool
	firstJudged time.Duration

	// restarted is set if nodes.conf named another node: only then is there
	// someone who could have changed the map while this node was down.
	restarted bool

	size int // primaries with slots, as judged last

	// last is the last survey, surveyed the view that it is of.
	last     survey
	surveyed *clusterstate.View

	minoritySeen bool
	lastMinority time.Duration
}

// survey counts what the cluster state is judged by.
type survey struct {
	assigned  int // slots with an owner
	suspected int // those of them whose owner is suspected, but did not fail
	failed    int // those whose owner failed
	size      int // primaries with slots
	reachable int // those of them that are neither failed nor suspected
}

func (s *survey) covered() bool { return s.assigned == clusterstate.Slots && s.failed == 0 }

func (n *Node) survey(v *clusterstate.View) survey {
	var s survey
	for _, p := range n.table.rows {
		if p.slots == 0 {
			continue
		}
		node := p.among(v.Nodes())
		s.assigned += p.slots
		switch {
		case node.Failed:
			s.failed += p.slots
		case p.suspected:
			s.suspected += p.slots
		}
		if node.Replica {
			continue
		}
		s.size++
		if !node.Failed && !p.suspected {
			s.reachable++
		}
	}
	return s
}

// judge decides on the cluster state and on the minority, following the rules
// of Redis but for one: a node that knows no other waits for nobody, neither
// after its start nor after having had no slots.
func (n *Node) judge(t *turn, v *clusterstate.View) {
	h, now, me := &n.health, t.now.Mono, v.Myself()
	if t.news || v != h.surveyed {
		h.last = n.survey(v)
	}
	s := h.last
	h.size = s.size
	quorum := s.size/2 + 1
	minority := s.reachable < quorum
	t.edit.SetMinority(minority && s.size > 0)

	if !h.judged {
		h.judged, h.firstJudged = true, now
	}
	if h.restarted && !me.Replica && !v.ClusterOK() && now-h.firstJudged < startDelay {
		return
	}
	ok := !minority && (s.covered() || !n.cfg.RequireFullCoverage)
	if minority {
		h.minoritySeen, h.lastMinority = true, now
	}
	if ok == v.ClusterOK() {
		return
	}
	alone := len(v.Nodes()) == 1
	rejoin := min(max(n.cfg.NodeTimeout, minRejoinDelay), maxRejoinDelay)
	if ok && !me.Replica && !alone && h.minoritySeen && now-h.lastMinority < rejoin {
		return
	}
	t.edit.SetClusterOK(ok)
	if ok {
		t.logf("Cluster state changed: ok")
	} else {
		t.warnf("Cluster state changed: fail")
	}
}
