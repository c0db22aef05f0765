package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"slotcast/clusterstate"
	"slotcast/config"
	"slotcast/gossip"
	"slotcast/gossip/bus"
	"slotcast/nodesfile"
)

// owner is the goroutine that runs the state machine. It takes one thing at a
// time, a command or a tick, and applies what comes out in the order that
// gossip.Output gives. It waits for no socket; nobody who holds a slot, commit,
// registry or outbox lock waits for it.
type owner struct {
	server  *Server
	storage nodesfile.Storage
	inbox   chan func()
	quit    chan struct{}
	done    chan struct{}
	bus     *bus.Bus
	// outgoing is what clients published for other nodes.
	outgoing outgoing

	// savesLocked is set while nodes.conf is saved with slots locked.
	savesLocked atomic.Bool

	// The rest belongs to the owner's goroutine.
	node *gossip.Node
	wake time.Duration // when held-back replica lists are due, zero for never
	// moves are those that are yet to be told, and movesDue is ready when they
	// are due; nil while none wait.
	moves    gatherers
	movesDue <-chan time.Time
	dead     bool // a save failed, or a step; nothing is applied any more
	// stepping is set while the state machine, or what it said, is at work.
	stepping bool
}

// tickInterval is how often the state machine is told that time passes.
const tickInterval = 100 * time.Millisecond

// startOwner loads the cluster state and starts the owner.
func (s *Server) startOwner(options Options) (err error) {
	o := &owner{
		server: s, storage: options.Storage,
		inbox: make(chan func()), quit: make(chan struct{}), done: make(chan struct{}),
		moves: newGatherers(),
	}
	o.outgoing.init()
	o.startBus(options.DialBus)
	defer func() {
		if err != nil {
			close(o.quit) // nobody will take what the bus has to report
			o.bus.Close()
		}
	}()
	text, err := o.storage.Load()
	if err != nil {
		return fmt.Errorf("cluster configuration: %w", err)
	}
	var conf *clusterstate.NodesConf
	if len(text) > 0 {
		parsed, err := clusterstate.ParseNodesConf(text)
		if err != nil {
			return fmt.Errorf("cluster configuration: %w", err)
		}
		conf = &parsed
	}
	var seed [32]byte
	rand.Read(seed[:]) // never fails
	cfg := gossipConfig(s.config.Values())
	cfg.Formed = options.Formed
	node, out := gossip.New(cfg, conf, seed, o.now())
	o.node = node
	s.owner = o
	s.topology = newTopology(s, node.View())
	out.View = nil
	if err := o.apply(out, noSlotLocks, nil); err != nil {
		return err
	}
	if ip := concreteBind(s.config.Values()); ip != "" {
		if err := o.apply(node.Step(o.now(), gossip.LearnAddress{IP: ip}), noSlotLocks, nil); err != nil {
			return err
		}
	}
	go o.loop() // ends with close
	return nil
}

// gossipConfig is what the state machine needs to know of the directives.
func gossipConfig(v *config.Values) gossip.Config {
	return gossip.Config{
		Port: v.Port, BusPort: v.ClusterPort,
		AnnounceIP: v.AnnounceIP, AnnouncePort: v.AnnouncePort, AnnounceTLSPort: v.AnnounceTLSPort,
		AnnounceBusPort: v.AnnounceBusPort, AnnounceHostname: v.AnnounceHostname,
		AnnounceNodename:         v.AnnounceHumanNodename,
		PreferredEndpoint:        clusterstate.Endpoint(v.PreferredEndpoint),
		NodeTimeout:              nodeTimeout(v),
		RequireFullCoverage:      v.RequireFullCoverage,
		AllowReadsWhenDown:       v.ReadsWhenDown,
		AllowPubSubShardWhenDown: v.PubSubShardWhenDown,
		OwnAll:                   !v.StartsEmpty,
	}
}

// nodeTimeout is cluster-node-timeout. Redis takes any number of milliseconds;
// what would be more than a decade is cut, so that its multiples are still times.
func nodeTimeout(v *config.Values) time.Duration {
	const decade = 10 * 365 * 24 * time.Hour
	return time.Duration(min(v.NodeTimeoutMillis, decade.Milliseconds())) * time.Millisecond
}

// concreteBind is the one address that `bind` names, empty when it names
// several or a wildcard: then only a peer can tell by which this node is known.
func concreteBind(v *config.Values) string {
	if len(v.Bind) != 1 {
		return ""
	}
	ip := net.ParseIP(strings.TrimPrefix(v.Bind[0], "-"))
	if ip == nil || ip.IsUnspecified() {
		return ""
	}
	return ip.String()
}

func (o *owner) now() gossip.Now {
	now := time.Now()
	return gossip.Now{Mono: now.Sub(o.server.started), Wall: now}
}

func (o *owner) loop() {
	defer close(o.done)
	ticker := time.NewTicker(tickInterval)
	defer ticker.Stop()
	for {
		select {
		case f := <-o.inbox:
			f()
		case <-o.outgoing.ready:
			for _, m := range o.outgoing.take() {
				o.take(m)
			}
		case <-ticker.C:
			o.tick()
		case <-o.movesDue:
			o.releaseMoves()
		case <-o.quit:
			return
		}
	}
}

func (o *owner) tick() {
	if o.dead {
		return
	}
	now := o.now()
	if err := o.apply(o.node.Tick(now), noSlotLocks, nil); err != nil {
		return
	}
	if o.wake != 0 && now.Mono >= o.wake {
		o.wake = o.server.topology.release(now.Mono)
	}
}

// close ends the goroutine. No connection is left to ask anything.
func (o *owner) close() {
	close(o.quit)
	<-o.done
	o.bus.Close()
}

// do runs f on the owner's goroutine and waits for it.
func (o *owner) do(f func()) {
	done := make(chan struct{})
	o.inbox <- func() {
		defer close(done)
		f()
	}
	<-done
}

// run runs one command, or an EXEC, for a connection that waits meanwhile. It
// returns false if it did nothing because a key is busy: for that the connection
// waits, not the owner.
func (o *owner) run(cl *call) (done bool) {
	done = true
	o.do(func() {
		defer o.survive(cl)
		if o.dead {
			cl.conn.outbox.kill("this node is about to end")
			return
		}
		if cl.cmd.flags&runsExec != 0 {
			done = o.server.execHere(cl, &staged{node: o.node.Clone()})
			return
		}
		o.server.enter(cl)
		defer o.server.leave(cl)
		o.server.call(cl)
	})
	return done
}

// survive ends the connection of a command that panicked on the owner. If the
// state machine was at work, what it holds is no longer to be trusted, and the
// node ends; a staged one is simply dropped with its EXEC.
func (o *owner) survive(cl *call) {
	v := recover()
	if v == nil {
		return
	}
	o.server.log.Error("panic in a command, connection closed", "client", cl.conn.id, "panic", v, "stack", string(debug.Stack()))
	cl.conn.outbox.kill("internal error")
	if o.stepping {
		o.dead = true
		o.server.fatal(fmt.Errorf("panic in the state machine: %v", v))
	}
}

// staged is what the CLUSTER and CONFIG SET commands of one EXEC have done so
// far: to a copy of the node, so that states in between are neither saved nor
// shown.
type staged struct {
	node *gossip.Node
	out  gossip.Output
	any  bool
}

// node is the state machine that the call's command sees.
func (cl *call) node() *gossip.Node {
	if cl.exec != nil {
		return cl.exec.staged.node
	}
	return cl.server.owner.node
}

// step gives the state machine an input and applies what it says, or leaves
// that to the end of the EXEC. It returns the text of the reply.
func (cl *call) step(in gossip.Input, held slotLocks) (string, error) {
	return cl.stepAt(cl.server.owner.now(), in, held)
}

// stepAt is step for an input whose effect was looked at before, at that moment.
func (cl *call) stepAt(now gossip.Now, in gossip.Input, held slotLocks) (string, error) {
	o := cl.server.owner
	o.stepping = cl.exec == nil
	out := cl.node().Step(now, in)
	if out.Reply.Err != nil {
		o.stepping = false
		return "", out.Reply.Err
	}
	if cl.exec != nil {
		st := cl.exec.staged
		st.out, st.any = st.out.Merge(out), true
		return out.Reply.Text, nil
	}
	err := o.apply(out, held, cl.conn)
	o.stepping = false
	if err != nil {
		return "", err
	}
	return out.Reply.Text, nil
}

// finish commits what an EXEC staged. Every slot is locked.
func (st *staged) finish(cl *call) error {
	if !st.any {
		return nil
	}
	o := cl.server.owner
	o.stepping = true
	o.node = st.node
	err := o.apply(st.out, slotLocks{all: true}, cl.conn)
	o.stepping = false
	return err
}

// lockSetSlot fills in how many keys a SETSLOT NODE finds, and returns with the
// slot locked, so that the count holds until the commit. Should the change
// alter the redirection of other slots as well (the cluster state may turn),
// all of them are locked: locks are taken in ascending order or not at all. The
// cluster state may turn by the time alone, so the step has to be made at the
// same moment.
func (o *owner) lockSetSlot(now gossip.Now, in *gossip.SetSlot) (held slotLocks, unlock func()) {
	keys := o.server.keys
	slot := keys.Slot(in.Slot)
	slot.Lock()
	in.KeysInSlot = slot.Len()
	preview := o.node.Preview(now, *in)
	if preview == nil {
		return slotLocks{slot: int(in.Slot)}, slot.Unlock
	}
	changed, all := clusterstate.RedirectDiff(o.node.View(), preview)
	if !all && (len(changed) == 0 || len(changed) == 1 && changed[0] == in.Slot) {
		return slotLocks{slot: int(in.Slot)}, slot.Unlock
	}
	slot.Unlock()
	keys.LockAll()
	in.KeysInSlot = slot.Len()
	return slotLocks{all: true}, keys.UnlockAll
}

// errSaveFailed is what the commands get that wait for an owner whose save
// failed, should they still be read.
var errSaveFailed = errors.New("the cluster configuration could not be saved")

// apply does what an output says, in its order. A save that fails ends the
// process, but for SAVECONFIG's, which is the error returned.
func (o *owner) apply(out gossip.Output, held slotLocks, cause *conn) error {
	if held != noSlotLocks {
		// Whoever wants these slots waits for the disk; no loop shall.
		o.savesLocked.Store(true)
		defer o.savesLocked.Store(false)
	}
	late := out.Save != nil && out.Save.Late
	if out.Save != nil && !late {
		if err := o.save(out.Save, cause); err != nil {
			return err
		}
	}
	told := o.gatherMoves(out)
	if out.View != nil {
		island := out.View.Minority() && !o.server.topology.current().Minority()
		o.wake = o.server.topology.commit(o.now().Mono, out.View, held, out.Reset, told)
		switch {
		case out.Reset:
			o.server.family.closeAll(cause, "this node has left its cluster")
		case island:
			o.server.family.closeAll(cause, "this node sees only a minority of its cluster")
		}
	} else if len(told) > 0 {
		o.server.topology.tellMovesLater(told)
	}
	if late {
		if err := o.save(out.Save, cause); err != nil {
			return err
		}
	}
	o.transmit(out)
	for _, r := range out.Drop {
		for n := int(r.Start); n <= int(r.End); n++ {
			slot := o.server.keys.Slot(uint16(n))
			if held.cover(uint16(n)) {
				slot.Drop()
				continue
			}
			slot.Lock()
			slot.Drop()
			slot.Unlock()
		}
	}
	o.server.caches.broadcast(nil)
	o.deliver(out.Deliver)
	for _, l := range out.Logs {
		if l.Warning {
			o.server.log.Warn(l.Text)
		} else {
			o.server.log.Info(l.Text)
		}
	}
	return nil
}

// save writes nodes.conf.
func (o *owner) save(save *gossip.Save, cause *conn) error {
	err := o.storage.Save(save.Text, save.Sync)
	switch {
	case err == nil:
		return nil
	case save.MayFail:
		return fmt.Errorf("error saving the cluster node config: %w", err)
	}
	o.dead = true
	o.server.fatal(fmt.Errorf("saving the cluster configuration: %w", err))
	if cause != nil {
		cause.outbox.kill(errSaveFailed.Error())
	}
	return errSaveFailed
}
