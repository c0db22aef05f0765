package sim

import (
	"fmt"
	"regexp"
	"strings"

	"slotcast/clusterstate"
)

// nodeTimes are the moments in a line of CLUSTER NODES: a script shows only
// whether a ping waits for its pong.
var nodeTimes = regexp.MustCompile(` (\S+) (\d+) \d+ (\d+ (?:dis)?connected)`)

// show gives what a word asks for of one node.
func (p *player) show(word string, m *Machine) string {
	switch word {
	case "view":
		return viewText(m.Node().View())
	case "nodes":
		text := string(m.Node().NodesText(clusterstate.Variant{}))
		return nodeTimes.ReplaceAllStringFunc(text, func(s string) string {
			words := strings.Fields(s)
			waits := "."
			if words[1] != "0" {
				waits = "waits"
			}
			return fmt.Sprintf(" %s %s %s %s", words[0], waits, words[3], words[4])
		})
	case "info":
		return string(m.Node().InfoText())
	case "dropped":
		var b strings.Builder
		for _, r := range m.Dropped {
			fmt.Fprintf(&b, "%d-%d\n", r.Start, r.End)
		}
		m.Dropped = nil
		return b.String()
	case "moved":
		var b strings.Builder
		for _, mv := range m.Moved {
			fmt.Fprintf(&b, "%d from %s to %s epoch %d\n", mv.Slot, mv.From, mv.To, mv.Epoch)
		}
		m.Moved = nil
		return b.String()
	}
	var b strings.Builder
	for _, l := range m.Logs {
		b.WriteString(l.Text + "\n")
	}
	m.Logs = nil
	return b.String()
}

// viewText shows a view: a line of state, a line for each range with its
// replicas, those without data in brackets, and the open slots.
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
		fmt.Fprintf(&b, "%d-%d %s epoch %d", r.Start, r.End, r.Owner.ID, r.Owner.ConfigEpoch)
		if r.Owner.Failed {
			b.WriteString(" failed")
		}
		for _, n := range r.Owner.Replicas {
			if n.Synced {
				fmt.Fprintf(&b, " %s", n.ID)
			} else {
				fmt.Fprintf(&b, " (%s)", n.ID)
			}
		}
		b.WriteByte('\n')
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
