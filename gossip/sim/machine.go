package sim

import (
	"encoding/binary"
	"fmt"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip"
	"slotcast/nodesfile"
)

// Machine is a computer with one node on it.
type Machine struct {
	Name   string
	IP     string
	Config gossip.Config

	// Disk keeps nodes.conf. It can be told to crash at any step of a save,
	// which stops the machine.
	Disk *nodesfile.Memory

	// Redis is the node if it is none of slotcast's. It is told to Form by
	// Replicates, or by Scripted for a primary.
	Redis      *Redis
	Scripted   bool
	Replicates *Machine

	// Skew is how far the wall clock is off.
	Skew time.Duration

	// Delivered are the messages of Pub/Sub that came for own subscribers,
	// Dropped the slots whose keys were deleted, Moved the moves of slots, Logs
	// the lines of the log.
	Delivered []gossip.Message
	Dropped   []clusterstate.SlotRange
	Moved     []gossip.Move
	Logs      []gossip.Log

	net      *Network
	number   int
	starts   int
	node     *gossip.Node // nil while the machine is down, or if Redis is the node
	running  resident     // whichever it is, nil while the machine is down
	up       int          // counts starts and crashes, so that old ticks end
	conns    map[gossip.LinkID]*conn
	accepted gossip.LinkID

	rangesOf *clusterstate.View // the view that ranges are of
	ranges   []clusterstate.OwnedRange
}

// resident is a node as a machine runs it.
type resident interface {
	Tick(now gossip.Now) gossip.Output
	Step(now gossip.Now, in gossip.Input) gossip.Output
}

// Add adds a machine that is not started yet. Its address is its own; the ports
// are those of the configuration, which is otherwise as the defaults have it.
func (w *Network) Add(name string) *Machine {
	number := len(w.machines) + 1
	m := &Machine{
		Name: name, IP: fmt.Sprintf("10.0.%d.%d", number>>8, number&255),
		Config: gossip.Config{
			Port: 7000, NodeTimeout: 15 * time.Second,
			RequireFullCoverage: true, AllowPubSubShardWhenDown: true,
		},
		Disk: nodesfile.NewMemory(), net: w, number: number,
	}
	w.machines = append(w.machines, m)
	w.byPlace[place(m.IP, m.Config.Port+10000)] = m
	return m
}

func place(ip string, port int) string { return fmt.Sprintf("%s:%d", ip, port) }

// Node returns the node, nil while the machine is down and if Redis is the node.
func (m *Machine) Node() *gossip.Node { return m.node }

// Running tells whether the machine is up.
func (m *Machine) Running() bool { return m.running != nil }

// ID returns the id of the node, which must run.
func (m *Machine) ID() clusterstate.NodeID {
	if m.Redis != nil {
		return m.Redis.ID
	}
	return m.node.View().Myself().ID
}

func (m *Machine) now() gossip.Now {
	return gossip.Now{Mono: m.net.now, Wall: m.net.wall.Add(m.net.now + m.Skew)}
}

// Start starts the node from what its disk has.
func (m *Machine) Start() error {
	if m.Redis != nil {
		m.boot()
		m.Redis.start()
		m.running = m.Redis
		m.tickLater()
		return nil
	}
	text, err := m.Disk.Load()
	if err != nil {
		return err
	}
	var conf *clusterstate.NodesConf
	if len(text) > 0 {
		parsed, err := clusterstate.ParseNodesConf(text)
		if err != nil {
			return err
		}
		m.net.texts.share(&parsed)
		conf = &parsed
	}
	if m.net.Starts != nil {
		m.net.Starts(m)
	}
	m.boot()
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], uint64(m.number))
	binary.LittleEndian.PutUint64(seed[8:], uint64(m.starts))
	node, out := gossip.New(m.Config, conf, seed, m.now())
	m.node, m.running = node, node
	m.apply(out)
	m.tickLater()
	return nil
}

func (m *Machine) boot() {
	m.starts++
	m.up++
	m.conns = map[gossip.LinkID]*conn{}
	m.accepted = gossip.FirstInbound
}

// tickLater begins the ticks. No two machines tick at the same moment.
func (m *Machine) tickLater() {
	m.tickAfter(tickInterval*time.Duration(m.number%97+1)/97, m.up)
}

func (m *Machine) tickAfter(d time.Duration, up int) {
	m.net.after(d, func() {
		if m.up == up && m.running != nil {
			m.apply(m.running.Tick(m.now()))
			m.tickAfter(tickInterval, up)
		}
	})
}

// Crash stops the machine. What was not synced is forgotten when it starts
// again; earlyNames is as in nodesfile.Memory. Connections break.
func (m *Machine) Crash(earlyNames bool) {
	m.Disk.Crash()
	m.stop()
	m.Disk.Restart(earlyNames)
}

func (m *Machine) stop() {
	m.node, m.running = nil, nil
	m.up++
	conns := sortedConns(m.conns)
	m.conns = nil
	for _, c := range conns {
		c.breaks(m)
	}
}

// Step gives the node an input, and returns the reply. A machine that is down,
// or that goes down by this step, has none.
func (m *Machine) Step(in gossip.Input) (reply gossip.Reply, alive bool) {
	if m.running == nil {
		return gossip.Reply{}, false
	}
	out := m.running.Step(m.now(), in)
	return out.Reply, m.apply(out)
}

// apply does what an output says, in its order. It returns false if the disk
// failed, which stops the machine.
func (m *Machine) apply(out gossip.Output) bool {
	if out.Save != nil {
		if err := m.Disk.Save(out.Save.Text, out.Save.Sync); err != nil {
			m.stop()
			m.Disk.Restart(false)
			return false
		}
	}
	for _, s := range out.Send {
		if c := m.conns[s.Link]; c != nil {
			c.send(m, s.Frame)
		}
	}
	for _, id := range out.Close {
		if c := m.conns[id]; c != nil {
			delete(m.conns, id)
			c.breaks(m)
		}
	}
	for _, d := range out.Dial {
		m.net.dial(m, d)
	}
	m.Dropped = append(m.Dropped, out.Drop...)
	m.Moved = append(m.Moved, out.Moved...)
	m.Delivered = append(m.Delivered, out.Deliver...)
	m.Logs = append(m.Logs, out.Logs...)
	if m.net.Watch != nil {
		m.net.Watch(m, out)
	}
	return true
}
