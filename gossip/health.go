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

	minoritySeen bool
	lastMinority time.Duration
}

// survey counts what the cluster state is judged by.
type survey struct {
	covered   bool // every slot has an owner that did not fail
	size      int  // primaries with slots
	reachable int  // those of them that are neither failed nor suspected
}

func (n *Node) survey(v *clusterstate.View) survey {
	s := survey{covered: true}
	seen := make(map[*clusterstate.Node]struct{})
	var last *clusterstate.Node
	for slot := range uint16(clusterstate.Slots) {
		owner := v.Owner(slot)
		if owner == nil {
			s.covered, last = false, nil
			continue
		}
		if owner == last {
			continue
		}
		last = owner
		if _, again := seen[owner]; again {
			continue
		}
		seen[owner] = struct{}{}
		s.covered = s.covered && !owner.Failed
		if owner.Replica {
			continue
		}
		s.size++
		if !owner.Failed && !n.peers[owner.ID].suspected {
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
	s := n.survey(v)
	quorum := s.size/2 + 1
	minority := s.reachable < quorum
	t.edit.SetMinority(minority && s.size > 0)

	if !h.judged {
		h.judged, h.firstJudged = true, now
	}
	if h.restarted && !me.Replica && !v.ClusterOK() && now-h.firstJudged < startDelay {
		return
	}
	ok := !minority && (s.covered || !n.cfg.RequireFullCoverage)
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
