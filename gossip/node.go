package gossip

import (
	"encoding/hex"
	"maps"
	"math/rand/v2"
	"time"

	"slotcast/clusterstate"
)

// Now is the moment of a step: Mono, from any start, is what intervals are
// measured with; Wall is what is shown and saved.
type Now struct {
	Mono time.Duration
	Wall time.Time
}

// Node is the state machine of this node.
type Node struct {
	cfg  Config
	view *clusterstate.View

	// peers holds what is known of each node of the view, this one included,
	// beyond what the view holds.
	peers map[clusterstate.NodeID]peer

	currentEpoch  uint64
	lastVoteEpoch uint64

	// learned is this node's own address as found out, used where none is
	// announced by configuration.
	learned string

	random *rand.ChaCha8
	health health
}

// peer is what NODES and nodes.conf say of a node and the view does not.
type peer struct {
	suspected    bool // PFAIL
	noFailover   bool
	shardID      string
	nodename     string
	clientIPv4   string
	clientIPv6   string
	pingSent     int64 // unix ms of the ping that waits for its pong, 0 for none
	pongReceived int64 // unix ms
}

// New makes the node that conf, the content of its nodes.conf, describes; with
// nil a fresh one, with a new id. The seed decides all ids the node will make
// up; it must not be used twice. The output is to be applied before any other;
// its Save is nil if the file already says everything.
func New(cfg Config, conf *clusterstate.NodesConf, seed [32]byte, now Now) (*Node, Output) {
	n := &Node{cfg: cfg, random: rand.NewChaCha8(seed)}
	t := turn{now: now}
	if conf == nil {
		n.begin(&t)
	} else {
		n.load(*conf, &t)
	}
	n.finish(&t)
	t.out.View = n.view
	return n, t.out
}

// begin makes a fresh node.
func (n *Node) begin(t *turn) {
	me := n.announced(clusterstate.Node{ID: n.newID()})
	n.view = clusterstate.NewView(me, n.cfg.viewSettings())
	n.peers = map[clusterstate.NodeID]peer{me.ID: {shardID: string(n.newID())}}
	t.edit = n.view.Edit()
	t.mustSync()
	if n.cfg.OwnAll {
		for slot := range uint16(clusterstate.Slots) {
			t.edit.SetOwner(slot, me.ID)
		}
	}
	t.logf("No cluster configuration found, I'm %s", me.ID)
}

// View returns the current view.
func (n *Node) View() *clusterstate.View { return n.view }

// Config returns the configuration in force.
func (n *Node) Config() Config { return n.cfg }

// MyShardID returns the id of this node's shard.
func (n *Node) MyShardID() string { return n.peers[n.myself().ID].shardID }

// Clone returns a node that can take steps of its own, such as those of an
// EXEC that may yet be given up. It shares the view; its cost is a copy of the
// table of known nodes.
func (n *Node) Clone() *Node {
	clone := *n
	clone.peers = maps.Clone(n.peers)
	random := *n.random
	clone.random = &random
	return &clone
}

// Step takes one command or other input.
func (n *Node) Step(now Now, in Input) Output {
	t := turn{now: now, edit: n.view.Edit()}
	if err := in.apply(n, &t); err != nil {
		return Output{Reply: Reply{Err: err}}
	}
	if t.out.Reply.Text == "" {
		t.out.Reply.Text = "OK"
	}
	n.finish(&t)
	return t.out
}

// Tick lets time pass; it wants to be called every 100 ms or so.
func (n *Node) Tick(now Now) Output {
	if n.view.ClusterOK() {
		return Output{} // without news nothing turns an ok cluster to fail
	}
	t := turn{now: now, edit: n.view.Edit()}
	n.finish(&t)
	return t.out
}

// turn is one step in the making.
type turn struct {
	now  Now
	edit *clusterstate.Editor
	out  Output
	save bool
	sync bool
}

func (t *turn) mustSave() { t.save = true }
func (t *turn) mustSync() { t.save, t.sync = true, true }

// finish makes the view, judges the cluster's health by it and completes the
// output.
func (n *Node) finish(t *turn) {
	n.judge(t, t.edit.View())
	if v := t.edit.View(); v != n.view {
		n.view = v
		t.out.View = v
	}
	if t.save {
		conf := n.conf()
		t.out.Save = &Save{Text: conf.Append(nil), Sync: t.sync, MayFail: t.out.Save != nil && t.out.Save.MayFail}
	}
}

func (n *Node) myself() *clusterstate.Node { return n.view.Myself() }

// newID makes up an id of a node or of a shard.
func (n *Node) newID() clusterstate.NodeID {
	var raw [clusterstate.NodeIDLen / 2]byte
	n.random.Read(raw[:])
	return clusterstate.NodeID(hex.EncodeToString(raw[:]))
}
