package sim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"

	"slotcast/clusterstate"
	"slotcast/gossip"
	"slotcast/gossip/frame"
)

// watcher looks at every step of every machine for what must never be.
type watcher struct {
	net   *Network
	fault error

	seen  map[*Machine]*sighting
	votes map[ballot]uint64              // the epochs of the votes that were given
	wins  map[uint64]clusterstate.NodeID // who won the election of an epoch
	moves map[int64]clusterstate.NodeID  // where a move of a number went

	readers int // how many machines have one
	frames  uint64
}

// ballot is a voter in an epoch.
type ballot struct {
	voter clusterstate.NodeID
	epoch uint64
}

// sighting is what was seen of one machine last.
type sighting struct {
	current uint64
	own     uint64 // the own config epoch: it does not fall in a crash either
	vote    uint64
	synced  epochs // what has to be found after a crash
	saved   epochs
	saves   int
	reader  *reader
	moves   map[int64]gossip.Move // told since it was started
}

// epochs are those of a nodes.conf.
type epochs struct{ current, vote, own uint64 }

func newWatcher(net *Network) *watcher {
	return &watcher{
		net: net, readers: 100, seen: map[*Machine]*sighting{},
		votes: map[ballot]uint64{}, wins: map[uint64]clusterstate.NodeID{},
		moves: map[int64]clusterstate.NodeID{},
	}
}

func (w *watcher) blame(format string, args ...any) {
	if w.fault == nil {
		w.fault = fmt.Errorf("at %.3f: %s", w.net.now.Seconds(), fmt.Sprintf(format, args...))
	}
}

// forget is told of RESET HARD, by which epochs fall. From then on the same
// numbers may come of other claims.
func (w *watcher) forget(m *Machine) {
	for _, s := range w.seen {
		s.moves = nil
	}
	clear(w.moves)
	if s := w.seen[m]; s != nil {
		s.current, s.own, s.vote, s.synced, s.saved = 0, 0, 0, epochs{}, epochs{}
	}
}

// starts is told that a machine is about to start: what its disk has must be
// no older than what was synced.
func (w *watcher) starts(m *Machine) {
	s := w.sighting(m)
	s.reader, s.moves = nil, nil
	text, err := m.Disk.Load()
	var e epochs
	if err == nil && len(text) > 0 {
		e, err = epochsOf(text)
	}
	if err != nil {
		w.blame("the disk of %s cannot be read: %v", m.Name, err)
		return
	}
	if e.current < s.synced.current || e.vote < s.synced.vote || e.own < s.synced.own {
		w.blame("the disk of %s has %+v, having been given %+v to keep", m.Name, e, s.synced)
	}
	// What was not synced may be forgotten.
	s.synced, s.saved, s.current = e, e, e.current
	w.rises(m, "vote on disk", &s.vote, e.vote)
}

func (w *watcher) sighting(m *Machine) *sighting {
	s := w.seen[m]
	if s == nil {
		s = &sighting{}
		w.seen[m] = s
	}
	return s
}

// won is told of a victory.
func (w *watcher) won(r *Redis, epoch uint64) {
	if other, twice := w.wins[epoch]; twice && other != r.ID {
		w.blame("nodes %s and %s both won the election of epoch %d", other, r.ID, epoch)
	}
	w.wins[epoch] = r.ID
}

// saw is called after each step.
func (w *watcher) saw(m *Machine, out gossip.Output) {
	w.frames += uint64(len(out.Send))
	n := m.Node()
	if n == nil {
		return
	}
	s := w.sighting(m)
	if out.Save != nil {
		w.sawSave(m, s, out.Save)
	}
	own := n.View().Myself().ConfigEpoch
	w.rises(m, "own config epoch", &s.own, own)
	if own > s.synced.own {
		w.blame("%s has config epoch %d, on disk is %d", m.Name, own, s.synced.own)
	}
	for _, send := range out.Send {
		w.sawFrame(m, s, send.Frame)
	}
	w.sawMoves(m, s, out.Moved)
	if m.number > w.readers {
		return
	}
	if s.reader == nil {
		s.reader = newReader(n.View(), w.net.now)
	}
	if err := s.reader.follow(w.net.now, n, out); err != nil {
		w.blame("%s: %v", m.Name, err)
	}
}

// sawMoves is told of moves. A client drops a number that it has seen, from
// whichever node, so no two moves may have the same.
func (w *watcher) sawMoves(m *Machine, s *sighting, moved []gossip.Move) {
	for _, mv := range moved {
		if again, twice := s.moves[mv.Number()]; twice {
			w.blame("%s tells the number of %+v again: %+v", m.Name, again, mv)
		}
		if s.moves == nil {
			s.moves = map[int64]gossip.Move{}
		}
		s.moves[mv.Number()] = mv
		if to := w.moves[mv.Number()]; to != "" && to != mv.To {
			w.blame("%s tells of a move with the number of one to %s: %+v", m.Name, to, mv)
		}
		w.moves[mv.Number()] = mv.To
	}
}

func (w *watcher) rises(m *Machine, what string, was *uint64, is uint64) {
	if is < *was {
		w.blame("%s of %s fell from %d to %d", what, m.Name, *was, is)
	}
	*was = is
}

func (w *watcher) sawSave(m *Machine, s *sighting, save *gossip.Save) {
	e, err := epochsOf(save.Text)
	if s.saves++; err == nil && s.saves%8 == 0 {
		err = saysTheSame(save.Text, m.Node().NodesText(clusterstate.Variant{}))
	}
	if err != nil {
		w.blame("%s saved what cannot be read: %v", m.Name, err)
		return
	}
	w.rises(m, "saved current epoch", &s.saved.current, e.current)
	w.rises(m, "saved vote", &s.saved.vote, e.vote)
	w.rises(m, "saved config epoch", &s.saved.own, e.own)
	w.rises(m, "last vote", &s.vote, e.vote)
	w.rises(m, "current epoch", &s.current, e.current)
	if save.Sync {
		s.synced = e
	}
}

// sawFrame looks at a frame that leaves.
func (w *watcher) sawFrame(m *Machine, s *sighting, b []byte) {
	kind := frame.Type(binary.BigEndian.Uint16(b[12:]))
	if len(b) < frame.HeaderLen {
		return
	}
	epoch := binary.BigEndian.Uint64(b[16:])
	w.rises(m, "current epoch", &s.current, epoch)
	if own := binary.BigEndian.Uint64(b[24:]); own < s.own {
		w.blame("%s told config epoch %d, having had %d", m.Name, own, s.own)
	}
	if kind != frame.TypeAuthAck {
		return
	}
	voter := ballot{clusterstate.NodeID(b[40:80]), epoch}
	if w.votes[voter]++; w.votes[voter] > 1 {
		w.blame("%s votes twice in epoch %d", m.Name, epoch)
	}
	if s.synced.vote != epoch {
		w.blame("%s votes in epoch %d, and has %d on disk", m.Name, epoch, s.synced.vote)
	}
}

// epochsOf reads the epochs of a nodes.conf, without reading all of it.
func epochsOf(text []byte) (e epochs, err error) {
	vars := text[bytes.LastIndex(text[:len(text)-1], []byte("\n"))+1:]
	if _, err := fmt.Sscanf(string(vars), "vars currentEpoch %d lastVoteEpoch %d", &e.current, &e.vote); err != nil {
		return e, err
	}
	i := bytes.Index(text, []byte(" myself,"))
	if i < 0 {
		return e, fmt.Errorf("no myself")
	}
	line := text[bytes.LastIndexByte(text[:i], '\n')+1:]
	fields := bytes.Fields(line[:bytes.IndexByte(line, '\n')])
	_, err = fmt.Sscan(string(fields[6]), &e.own)
	return e, err
}

// saysTheSame compares a nodes.conf with CLUSTER NODES, but for the times.
func saysTheSame(conf, nodes []byte) error {
	var known []byte
	for line := range bytes.Lines(nodes) {
		if !bytes.Contains(line, []byte(" handshake ")) {
			known = append(known, line...)
		}
	}
	saved, err := clusterstate.ParseNodesConf(conf)
	if err != nil {
		return err
	}
	shown, err := clusterstate.ParseNodesConf(known)
	if err != nil {
		return err
	}
	if len(saved.Nodes) != len(shown.Nodes) {
		return fmt.Errorf("%d nodes, CLUSTER NODES has %d", len(saved.Nodes), len(shown.Nodes))
	}
	for i := range saved.Nodes {
		a, b := saved.Nodes[i], shown.Nodes[i]
		a.ShardID, a.Nodename = "", ""
		for _, at := range []*int64{&a.PingSent, &a.PongReceived, &b.PingSent, &b.PongReceived} {
			*at = min(*at, 1)
		}
		if !reflect.DeepEqual(a, b) {
			return fmt.Errorf("saved is %+v, CLUSTER NODES has %+v", a, b)
		}
	}
	return nil
}
