package gossip

import (
	"fmt"
	"strconv"
	"strings"

	"slotcast/clusterstate"
	"slotcast/nodesfile"
)

// input makes the input of a CLUSTER command, as the command table would; keys
// tells how many keys the node holds in a slot. nil is a command that is no
// input.
func input(words []string, keys map[uint16]int) Input {
	args := slotArgs(words[1:]...)
	switch words[0] {
	case "addslots":
		ranges, err := ParseSlots(args)
		return AddSlots{ranges, err}
	case "delslots":
		ranges, err := ParseSlots(args)
		return DelSlots{ranges, err}
	case "addslotsrange":
		ranges, err := ParseSlotRanges(args)
		return AddSlots{ranges, err}
	case "delslotsrange":
		ranges, err := ParseSlotRanges(args)
		return DelSlots{ranges, err}
	case "setslot":
		in := ParseSetSlot(args)
		in.KeysInSlot = keys[in.Slot]
		return in
	case "flushslots":
		return FlushSlots{DBEmpty: len(keys) == 0}
	case "bumpepoch":
		return BumpEpoch{}
	case "set-config-epoch":
		epoch, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			panic(err)
		}
		return SetConfigEpoch{epoch}
	case "saveconfig":
		return SaveConfig{}
	case "reset":
		return Reset{Hard: len(words) > 1 && words[1] == "hard", HasKeys: len(keys) > 0}
	}
	return nil
}

// machine is a node on a machine that can crash: what a process would do with
// each output, in order, on storage that forgets.
type machine struct {
	cfg     Config
	storage *nodesfile.Memory
	node    *Node // nil while it is down
	now     Now
	started byte
	keys    map[uint16]int

	// shown is the view that the outside sees, at last what a reply was sent
	// for.
	shown *clusterstate.View
}

func newMachine(cfg Config) *machine {
	return &machine{cfg: cfg, storage: nodesfile.NewMemory(), now: at(0), keys: map[uint16]int{}}
}

// start starts the node from what the storage has.
func (m *machine) start() error {
	text, err := m.storage.Load()
	if err != nil {
		return err
	}
	var conf *clusterstate.NodesConf
	if len(text) > 0 {
		parsed, err := clusterstate.ParseNodesConf(text)
		if err != nil {
			return err
		}
		conf = &parsed
	}
	m.started++
	n, out := New(m.cfg, conf, [32]byte{m.started}, m.now)
	m.node = n
	_, err = m.carryOut(out)
	return err
}

// carryOut does what an output says, and returns the reply.
func (m *machine) carryOut(out Output) (string, error) {
	if out.Save != nil {
		if err := m.storage.Save(out.Save.Text, out.Save.Sync); err != nil {
			m.node = nil
			return "", err
		}
	}
	if out.View != nil {
		m.shown = out.View
	}
	if out.Reply.Err != nil {
		return "ERR " + out.Reply.Err.Error(), nil
	}
	return out.Reply.Text, nil
}

// crash stops the machine and starts it anew, with what it remembers.
func (m *machine) crash(earlyNames bool) {
	m.storage.Crash()
	m.storage.Restart(earlyNames)
	m.node, m.shown = nil, nil
}

// viewText shows a view: a line of state, then a line for each range.
func viewText(v *clusterstate.View) string {
	var b strings.Builder
	state := "fail"
	if v.ClusterOK() {
		state = "ok"
	}
	fmt.Fprintf(&b, "state %s", state)
	if v.Minority() {
		b.WriteString(" minority")
	}
	b.WriteByte('\n')
	for _, r := range v.OwnedRanges() {
		fmt.Fprintf(&b, "%d-%d %s epoch %d\n", r.Start, r.End, r.Owner.ID, r.Owner.ConfigEpoch)
	}
	migrating, importing := v.OpenSlots()
	for _, o := range migrating {
		fmt.Fprintf(&b, "%d migrating to %s\n", o.Slot, o.Node)
	}
	for _, o := range importing {
		fmt.Fprintf(&b, "%d importing from %s\n", o.Slot, o.Node)
	}
	return b.String()
}

// clientVariant is a client on the plain port.
var clientVariant = clusterstate.Variant{}
