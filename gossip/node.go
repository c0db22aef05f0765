package gossip

import (
	"encoding/hex"
	"math/rand/v2"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
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

	// editor makes the next view. It goes from step to step, so that a step
	// that changes nothing allocates nothing.
	editor *clusterstate.Editor

	// table holds what is known of each node of the view, this one included,
	// beyond what the view holds, and the links.
	table table

	currentEpoch  uint64
	lastVoteEpoch uint64

	// learned is this node's own address as found out, used where none is
	// announced by configuration.
	learned string

	// fileRows is room for the peers in the order of nodes.conf, fileSize the
	// length that this had last.
	fileRows []*peer
	fileSize int

	// dry is set of a clone that nobody takes more from than the next view.
	dry bool

	random *rand.ChaCha8
	health health
	last   time.Duration // when the last step was

	// unclaimed are the slots whose owner has stopped claiming them while
	// nobody else has begun to.
	unclaimed frame.Bitmap

	moves moves

	// claims are the slots that claimant, this node or its primary, claims; nil
	// when they have to be gathered anew. They are never altered.
	claims   *frame.Bitmap
	claimant clusterstate.NodeID

	// served is set once this process has served slots: from then on it may
	// have keys to lose.
	served bool

	lastLink LinkID
	ticks    uint64

	// drawn says for each row of the table in which draw of gossip it was
	// drawn last, gossip has the room for what is drawn.
	drawn  []uint32
	draw   uint32
	gossip []frame.Gossip

	sent, received    [frame.Types]uint64
	overflows, forged uint64
}

// New makes the node that conf, the content of its nodes.conf, describes; with
// nil a fresh one, with a new id. The seed decides all ids the node will make
// up; it must not be used twice. The output is to be applied before any other;
// its Save is nil if the file already says everything.
func New(cfg Config, conf *clusterstate.NodesConf, seed [32]byte, now Now) (*Node, Output) {
	n := &Node{
		cfg: cfg, random: rand.NewChaCha8(seed), last: now.Mono,
	}
	t := turn{now: now, news: true}
	if conf == nil {
		n.begin(&t)
	} else {
		n.load(*conf, &t)
	}
	n.editor = t.edit
	n.finish(&t)
	t.out.View = n.view
	return n, t.out
}

// begin makes a fresh node.
func (n *Node) begin(t *turn) {
	me := n.announced(clusterstate.Node{ID: n.newID()})
	n.view = clusterstate.NewView(me, n.cfg.viewSettings())
	n.table = newTable()
	n.table.add(newPeer(me.ID, string(n.newID())))
	n.table.alter(me.ID).nodename = n.cfg.AnnounceNodename
	t.edit = n.view.Edit()
	t.mustSync()
	if n.cfg.OwnAll {
		for slot := range uint16(clusterstate.Slots) {
			n.assign(t, slot, me.ID)
		}
	}
	t.logf("No cluster configuration found, I'm %s", me.ID)
}

// View returns the current view.
func (n *Node) View() *clusterstate.View { return n.view }

// Config returns the configuration in force.
func (n *Node) Config() Config { return n.cfg }

// MyShardID returns the id of this node's shard.
func (n *Node) MyShardID() string { return n.table.peer(n.myself().ID).shardID }

// Clone returns a node that can take steps of its own, such as those of an
// EXEC that may yet be given up. It shares with the original what neither of
// them alters; its cost is a copy of a pointer for each known node.
func (n *Node) Clone() *Node {
	clone := *n
	clone.table = n.table.split()
	clone.editor = n.view.Edit()
	clone.drawn, clone.gossip = nil, nil
	random := *n.random
	clone.random = &random
	return &clone
}

// Preview returns the view that an input would lead to, nil if that would be the
// same or the input would be refused. What else would come of it is not made.
func (n *Node) Preview(now Now, in Input) *clusterstate.View {
	clone := n.Clone()
	clone.dry = true
	return clone.Step(now, in).View
}

// Step takes one command or other input.
func (n *Node) Step(now Now, in Input) Output {
	t := turn{now: now, edit: n.editor}
	n.last = now.Mono
	if err := in.apply(n, &t); err != nil {
		n.editor = n.view.Edit()
		return Output{Reply: Reply{Err: err}}
	}
	if _, command := in.(event); !command && t.out.Reply.Text == "" {
		t.out.Reply.Text = "OK"
	}
	n.finish(&t)
	return t.out
}

// Tick lets time pass; it wants to be called every 100 ms. Its output is empty
// if nothing is due.
func (n *Node) Tick(now Now) Output {
	t := turn{now: now, edit: n.editor}
	n.last = now.Mono
	n.tend(&t)
	t.waits = !n.view.ClusterOK() // how long it has not been ok may count
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
	late bool // of a sync

	intents []intent

	// heldPages and toldPages are the pages of moves that were copied in this
	// step.
	heldPages, toldPages uint64

	// assigned is the token that peers get whose slots change in this step.
	assigned *ownership

	// news is set if the cluster state has to be judged although the view may
	// not have changed.
	news bool

	// waits is set if it is to be judged anew although nothing changed: some
	// of it is a matter of time.
	waits bool
}

func (t *turn) mustSave() { t.save = true }
func (t *turn) mustSync() { t.save, t.sync = true, true }

// mustSyncLate is for what others have agreed on without this node.
func (t *turn) mustSyncLate() { t.save, t.late = true, true }

// finish makes the view, judges the cluster's health by it and completes the
// output.
func (n *Node) finish(t *turn) {
	n.arriveHere(t)
	v := t.edit.View()
	if t.news || t.waits || v != n.view {
		n.judge(t, v)
		v = t.edit.View()
		n.health.surveyed = v
	}
	if v != n.view {
		n.view = v
		t.out.View = v
	}
	if n.dry {
		return
	}
	n.served = n.served || v.ClusterOK() && n.table.peer(v.Myself().ID).slots > 0
	if t.save {
		t.out.Save = &Save{
			Text: n.confText(), Sync: t.sync || t.late, Late: t.late && !t.sync,
			MayFail: t.out.Save != nil && t.out.Save.MayFail,
		}
	}
	n.emit(t)
}

func (n *Node) myself() *clusterstate.Node { return n.view.Myself() }

// newID makes up an id of a node or of a shard.
func (n *Node) newID() clusterstate.NodeID {
	var raw [clusterstate.NodeIDLen / 2]byte
	n.random.Read(raw[:])
	return clusterstate.NodeID(hex.EncodeToString(raw[:]))
}
