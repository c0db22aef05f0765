package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"slotcast/clusterstate"
	"slotcast/gossip"
)

// storm is one random run: a cluster in bad weather to which commands are
// given, then quiet, then the failure of one node. The seed decides all of it.
//
// Every run has its own climate: some lose frames and some do not, some know
// only the commands of a reshard and some know all. So there are runs in which
// more can be asked of the nodes than in the worst.
type storm struct {
	seed    uint64
	random  *rand.Rand
	net     *Network
	timeout time.Duration
	climate climate
	watch   *watcher
	trace   []string
	log     func(format string, args ...any) // of what goes into the trace, may be nil

	large  bool // the plan of large_test.go
	banned bool // FORGET or RESET was given, so that some may not know others
}

type climate struct {
	latency                  time.Duration // at most
	loss, repeats, overtakes float64
	partitions, crashes      bool
	skews                    bool
	commands                 []string
}

// commandSets are what a run may give to its nodes.
var commandSets = [][]string{
	nil,
	{"reshard"},
	{"reshard", "hostname", "announce", "bumpepoch", "meet"},
	{"reshard", "addslots", "delslots", "setslot", "bumpepoch", "hostname", "saveconfig"},
	{"reshard", "forget", "meet", "hostname", "bumpepoch"},
	{"reshard", "addslots", "delslots", "setslot", "bumpepoch", "hostname", "announce", "meet", "forget", "reset", "flushslots", "set-config-epoch", "saveconfig"},
}

// smallRun is how many nodes a run has at most that is left to chance.
const smallRun = 20

func oneOf[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// newStorm forms the cluster, and adds fresh nodes that will be met.
func newStorm(seed uint64, nodes int) (*storm, error) {
	r := rand.New(rand.NewPCG(seed, 0))
	s := &storm{seed: seed, random: r, net: New(), timeout: oneOf(r, time.Second, 2*time.Second, 5*time.Second, 15*time.Second)}
	s.climate = climate{
		latency: oneOf(r, time.Millisecond, 20*time.Millisecond, 300*time.Millisecond),
		loss:    oneOf(r, 0, 0, 0.01, 0.1), repeats: oneOf(r, 0, 0, 0.05), overtakes: oneOf(r, 0, 0, 0.1),
		partitions: r.IntN(3) > 0, crashes: r.IntN(3) > 0, skews: r.IntN(4) == 0,
		commands: oneOf(r, commandSets...),
	}
	s.watch = newWatcher(s.net)
	s.net.Starts, s.net.Watch = s.watch.starts, s.watch.saw
	s.storms(true)
	if nodes == 0 {
		nodes = 3 + r.IntN(7)
	}
	replicas, fresh := 0, 0
	if s.large = nodes > smallRun; s.large {
		s.fairWeather(nodes)
	} else {
		if nodes >= 5 && r.IntN(2) == 0 {
			replicas = 1 + r.IntN(2)
		}
		if nodes-replicas > 3 && r.IntN(3) == 0 {
			fresh = 1
		}
	}
	var names []string
	for i := range nodes - fresh {
		names = append(names, fmt.Sprintf("n%d", i+1))
	}
	_, err := s.net.Form(names, func(m *Machine) {
		m.Config.NodeTimeout = s.timeout
		m.Config.AnnounceIP = oneOf(r, "", m.IP)
		if replicas == 0 {
			return
		}
		// The first is a primary with data, and the last replicate it.
		first := s.net.machines[0]
		m.Scripted = m == first
		if m.number > len(names)-replicas {
			m.Replicates = first
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range fresh {
		m := s.net.Add(fmt.Sprintf("n%d", nodes-fresh+i+1))
		m.Config.NodeTimeout = s.timeout
		if err := m.Start(); err != nil {
			return nil, err
		}
	}
	for _, m := range s.net.machines {
		if m.Redis != nil {
			m.Redis.Quorum = (nodes-replicas)/2 + 1
			m.Redis.Won = s.watch.won
		}
	}
	s.note("seed %d: %d nodes, %d fresh, %d replicas, timeout %v, %+v", seed, nodes, fresh, replicas, s.timeout, s.climate)
	return s, nil
}

func (s *storm) note(format string, args ...any) {
	line := fmt.Sprintf("%10.3f ", s.net.now.Seconds()) + fmt.Sprintf(format, args...)
	s.trace = append(s.trace, line)
	if s.log != nil {
		s.log("%s", line)
	}
}

// storms lets the weather of the climate rage, or calms it.
func (s *storm) storms(rage bool) {
	c, r := s.climate, s.random
	chance := func(p float64) func(*Flight) bool {
		if p == 0 || !rage {
			return nil
		}
		return func(*Flight) bool { return r.Float64() < p }
	}
	s.net.Loses, s.net.Repeats, s.net.Overtakes = chance(c.loss), chance(c.repeats), chance(c.overtakes)
	most := c.latency
	if !rage {
		most = min(most, 10*time.Millisecond)
	}
	s.net.Latency = func(*Machine, *Machine) time.Duration { return time.Duration(r.Int64N(int64(most))) + 1 }
}

// run is the whole of it. The error is the first thing that is not as it must.
func (s *storm) run() error {
	if s.large {
		return s.largeRun()
	}
	if s.random.IntN(4) > 0 {
		s.net.Settle(3 * s.timeout)
		s.note("settled")
	}
	for range 10 + s.random.IntN(40) {
		s.disturb()
		s.net.Run(time.Duration(s.random.Int64N(int64(oneOf(s.random, 50*time.Millisecond, s.timeout/2, 2*s.timeout)))))
		if s.watch.fault != nil {
			return s.watch.fault
		}
	}
	if err := s.calm(); err != nil {
		return err
	}
	settling := 5*s.timeout + 5*time.Second
	if s.banned {
		settling = bans + 2*s.timeout
	}
	s.net.Run(settling)
	s.note("all are to agree")
	if s.watch.fault != nil {
		return s.watch.fault
	}
	if err := s.agreement(); err != nil {
		return err
	}
	if err := s.failure(); err != nil {
		return err
	}
	if err := s.calm(); err != nil {
		return err
	}
	// A node that failed counts as failed for twice the timeout once it is
	// back, and somebody may have been elected meanwhile.
	s.net.Run(5*s.timeout + 5*time.Second)
	if s.watch.fault != nil {
		return s.watch.fault
	}
	return s.agreement()
}

// bans is how long a forgotten node is not taken in again.
const bans = 60 * time.Second

// calm ends every partition and trouble, and brings everyone up.
func (s *storm) calm() error {
	s.storms(false)
	s.net.Heal()
	s.note("calm")
	for _, m := range s.net.machines {
		m.Disk.CrashAfter(-1)
		if !m.Running() {
			s.note("restart %s", m.Name)
			if err := m.Start(); err != nil {
				return fmt.Errorf("%s does not start again: %w", m.Name, err)
			}
		}
	}
	return nil
}

// up are the machines that run.
func (s *storm) up() (out []*Machine) {
	for _, m := range s.net.machines {
		if m.Running() {
			out = append(out, m)
		}
	}
	return out
}

// disturb does one thing.
func (s *storm) disturb() {
	r, c := s.random, s.climate
	m := oneOf(r, s.net.machines...)
	switch k := r.IntN(10); {
	case k == 0 && c.partitions:
		s.partition()
	case k == 1 && c.partitions:
		s.note("heal")
		s.net.Heal()
	case k == 2 && c.crashes && m.Running() && len(s.up()) > 2:
		early := r.IntN(2) == 0
		s.note("crash %s early names %v", m.Name, early)
		m.Crash(early)
	case k == 3 && c.crashes && m.Running() && m.Redis == nil:
		steps := r.IntN(12)
		s.note("crash %s in %d steps of its disk", m.Name, steps)
		m.Disk.CrashAfter(steps)
	case (k == 4 || k == 5) && !m.Running():
		s.note("restart %s", m.Name)
		if err := m.Start(); err != nil {
			s.watch.blame("%s does not start again: %v", m.Name, err)
		}
	case k == 6 && c.skews:
		m.Skew += time.Duration(r.Int64N(int64(20*time.Second))) - 10*time.Second
		if r.IntN(5) == 0 {
			m.Skew += oneOf(r, -time.Hour, time.Hour)
		}
		s.note("skew %s %v", m.Name, m.Skew)
	case len(c.commands) > 0 && m.Node() != nil:
		s.command(oneOf(r, c.commands...), m)
	}
}

// partition puts every machine on one of two or three sides.
func (s *storm) partition() {
	sides := make([][]*Machine, 2+s.random.IntN(2))
	for _, m := range s.net.machines {
		i := s.random.IntN(len(sides))
		sides[i] = append(sides[i], m)
	}
	s.note("partition %s", sidesText(sides))
	s.net.Partition(sides...)
}

func sidesText(sides [][]*Machine) string {
	var out []string
	for _, side := range sides {
		var names []string
		for _, m := range side {
			names = append(names, m.Name)
		}
		out = append(out, strings.Join(names, " "))
	}
	return strings.Join(out, " | ")
}

// views shows what everyone sees, for a report of a failed run.
func (s *storm) views() string {
	var b strings.Builder
	for _, m := range s.net.machines {
		switch {
		case m.Node() != nil:
			fmt.Fprintf(&b, "-- %s %s at %v\n%s%s", m.Name, m.ID(), m.net.now, m.Node().NodesText(clusterstate.Variant{}), viewText(m.Node().View()))
			for _, l := range m.Logs[max(0, len(m.Logs)-20):] {
				b.WriteString("   " + l.Text + "\n")
			}
		case m.Redis != nil:
			r := m.Redis
			fmt.Fprintf(&b, "-- %s %s replica %v of %s epoch %d %d slots %s\n", m.Name, r.ID, r.Replica, r.Primary, r.ConfigEpoch, r.CurrentEpoch, &r.Slots)
		}
	}
	return b.String()
}

// step gives a command, and notes what came of it.
func (s *storm) step(m *Machine, text string, in gossip.Input) bool {
	reply, alive := m.Step(in)
	switch {
	case !alive:
		text += ": down"
	case reply.Err != nil:
		text += ": " + reply.Err.Error()
	}
	s.note("%s %s", m.Name, text)
	return alive && reply.Err == nil
}
