package sim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/gossip"
)

var update = flag.Bool("update", false, "write what the scripts in testdata give now")

const scripts = "../testdata/cluster"

// TestScripts plays the cluster scripts. A script opens with comments that say
// what it shows. Then come words, each on a line, with what they give indented
// below:
//
//	start <names>            starts fresh nodes
//	form <names>             starts a cluster that covers all slots; d>a is a
//	                         replica of a, neither of them slotcast
//	timeout <time>           is the node timeout of the nodes added later
//	meet <a> <b>             a meets b
//	addslots <a> <ranges>    and other CLUSTER commands: give the reply
//	tick <time>              time passes, and whatever is sent arrives
//	hold, release            what is sent stays in flight; all of it arrives
//	flying                   lists it
//	deliver <n>, drop <n>    the n-th of it arrives, or is lost; "all" is all
//	partition <a> … | <b> …  nothing passes between the sides
//	heal                     ends that
//	crash <a>, restart <a>   the machine stops, and starts anew
//	publish <a> <channel> <message>, spublish: gives who delivers it
//	view <a>, nodes <a>, info <a>, logs <a>
//	dropped <a>              the slots whose keys were deleted
//	moved <a>                the moves that it has told
//
// Ids are shown as the names of the nodes, made-up ones as <?>. Times are left
// out.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(scripts, "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(text), "# "), "expected a sentence on what it shows")
			p := &player{t: t, net: New(), timeout: 15 * time.Second, names: map[clusterstate.NodeID]string{}}
			p.net.Latency = func(*Machine, *Machine) time.Duration { return time.Millisecond }
			got := p.play(string(text))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			require.Equal(t, string(text), got)
		})
	}
}

// madeUp are the ids of handshakes.
var madeUp = regexp.MustCompile(`[0-9a-f]{40}`)

type player struct {
	t       *testing.T
	net     *Network
	timeout time.Duration
	names   map[clusterstate.NodeID]string // also of ids that a node had before
}

func (p *player) play(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "  ") {
			continue
		}
		out.WriteString(line)
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		answer := p.word(words)
		for _, m := range p.net.Machines() {
			if m.Node() != nil {
				p.names[m.ID()] = m.Name
			}
		}
		for l := range strings.Lines(p.shorten(answer)) {
			out.WriteString("  " + strings.TrimRight(l, "\r\n") + "\n")
		}
	}
	return out.String()
}

func (p *player) shorten(s string) string {
	for id, name := range p.names {
		s = strings.ReplaceAll(s, string(id), "<"+name+">")
	}
	return madeUp.ReplaceAllString(s, "<?>")
}

func (p *player) machine(name string) *Machine {
	m := p.net.Machine(name)
	require.NotNil(p.t, m, "no machine %q", name)
	return m
}

// id returns the id of the node of the name, or the word itself.
func (p *player) id(name string) string {
	for id, n := range p.names {
		if n == name {
			return string(id)
		}
	}
	return name
}

func (p *player) word(words []string) string {
	rest := words[1:]
	switch words[0] {
	case "timeout":
		d, err := time.ParseDuration(rest[0])
		require.NoError(p.t, err)
		p.timeout = d
	case "start", "form":
		return p.begin(words[0] == "form", rest)
	case "tick":
		d, err := time.ParseDuration(rest[0])
		require.NoError(p.t, err)
		p.net.Run(d)
	case "partition":
		var sides [][]*Machine
		for _, side := range strings.Split(strings.Join(rest, " "), "|") {
			var list []*Machine
			for _, name := range strings.Fields(side) {
				list = append(list, p.machine(name))
			}
			sides = append(sides, list)
		}
		p.net.Partition(sides...)
	case "heal":
		p.net.Heal()
	case "hold":
		p.net.Hold()
	case "release":
		p.net.Release()
	case "flying", "deliver", "drop":
		return p.flight(words[0], rest)
	case "crash":
		p.machine(rest[0]).Crash(false)
	case "restart":
		require.NoError(p.t, p.machine(rest[0]).Start())
	case "publish", "spublish":
		return p.publish(rest, words[0] == "spublish")
	case "view", "nodes", "info", "logs", "dropped", "moved":
		return p.show(words[0], p.machine(rest[0]))
	default:
		return p.command(words[0], p.machine(rest[0]), rest[1:])
	}
	return ""
}

func (p *player) begin(form bool, names []string) string {
	configure := func(m *Machine) { m.Config.NodeTimeout = p.timeout }
	if form {
		p.form(names, configure)
		return ""
	}
	for _, name := range names {
		m := p.net.Add(name)
		configure(m)
		require.NoError(p.t, m.Start())
	}
	return ""
}

func (p *player) form(words []string, configure func(*Machine)) {
	names, of := make([]string, len(words)), map[string]string{}
	scripted := map[string]bool{}
	for i, word := range words {
		name, primary, replica := strings.Cut(word, ">")
		names[i] = name
		if replica {
			of[name], scripted[primary] = primary, true
		}
	}
	machines, err := p.net.Form(names, func(m *Machine) {
		configure(m)
		m.Scripted = scripted[m.Name]
		if of[m.Name] != "" {
			m.Replicates = p.machine(of[m.Name])
		}
	})
	require.NoError(p.t, err)
	for _, m := range machines {
		p.names[m.ID()] = m.Name
		if m.Redis != nil {
			m.Redis.Quorum = (len(names)-len(of))/2 + 1
		}
	}
}

func (p *player) flight(word string, args []string) string {
	flying := p.net.Flying()
	var b strings.Builder
	for i, f := range flying {
		number := fmt.Sprint(i + 1)
		switch {
		case word == "flying":
			fmt.Fprintf(&b, "%s %s\n", number, f)
		case args[0] != "all" && args[0] != number:
		case word == "deliver":
			p.net.Deliver(f)
		default:
			p.net.Drop(f)
		}
	}
	return b.String()
}

func (p *player) publish(args []string, shard bool) string {
	for _, m := range p.net.Machines() {
		m.Delivered = nil
	}
	in := gossip.Publish{Channel: []byte(args[1]), Payload: []byte(args[2]), Shard: shard}
	if reply, _ := p.machine(args[0]).Step(in); reply.Err != nil {
		return "ERR " + reply.Err.Error()
	}
	p.net.Run(10 * time.Millisecond)
	var b strings.Builder
	for _, m := range p.net.Machines() {
		for _, d := range m.Delivered {
			fmt.Fprintf(&b, "%s %s %s\n", m.Name, d.Channel, d.Payload)
		}
	}
	return b.String()
}

func (p *player) command(word string, m *Machine, args []string) string {
	raw := make([][]byte, len(args))
	for i, a := range args {
		raw[i] = []byte(p.id(a))
	}
	var in gossip.Input
	switch word {
	case "meet":
		other := p.machine(args[0])
		in = gossip.Meet{IP: other.IP, Port: other.Config.Port, BusPort: other.Config.Port + 10000}
	case "addslots", "delslots":
		var ranges []clusterstate.SlotRange
		for _, a := range args {
			var r clusterstate.SlotRange
			if n, _ := fmt.Sscanf(a, "%d-%d", &r.Start, &r.End); n == 1 {
				r.End = r.Start
			}
			ranges = append(ranges, r)
		}
		in = gossip.AddSlots{Ranges: ranges}
		if word == "delslots" {
			in = gossip.DelSlots{Ranges: ranges}
		}
	case "setslot":
		in = gossip.ParseSetSlot(raw)
	case "set-config-epoch":
		var e gossip.SetConfigEpoch
		_, err := fmt.Sscan(args[0], &e.Epoch)
		require.NoError(p.t, err)
		in = e
	case "bumpepoch":
		in = gossip.BumpEpoch{}
	case "forget":
		in = gossip.Forget{Node: string(raw[0])}
	case "replicate":
		in = gossip.Replicate{Node: string(raw[0])}
	case "failover":
		in = gossip.Failover{}
	case "reset":
		in = gossip.Reset{Hard: len(args) > 0}
	case "hostname":
		c := m.Node().Config()
		c.AnnounceHostname = args[0]
		in = gossip.Configure{Config: c}
	case "announce":
		c := m.Node().Config()
		_, err := fmt.Sscan(args[0], &c.AnnouncePort)
		require.NoError(p.t, err)
		in = gossip.Configure{Config: c}
	case "count-failure-reports":
		n, err := m.Node().FailureReports(string(raw[0]))
		if err != nil {
			return "ERR " + err.Error()
		}
		return fmt.Sprint(n)
	default:
		require.Fail(p.t, "unknown word", word)
	}
	reply, alive := m.Step(in)
	switch {
	case !alive:
		return "down"
	case reply.Err != nil:
		return "ERR " + reply.Err.Error()
	}
	return reply.Text
}
