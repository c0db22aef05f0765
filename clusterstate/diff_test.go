package clusterstate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shown is what CLUSTER SLOTS says of one slot, and of its shard with the
// epoch left out.
func shown(v *View, slot uint16, va Variant) string {
	n := v.Owner(slot)
	if n == nil {
		return ""
	}
	var s strings.Builder
	for _, m := range append([]*Node{n}, n.Replicas...) {
		if m != n && (m.Failed || !m.Synced) {
			continue
		}
		e := v.NodeEntry(m, va)
		fmt.Fprintf(&s, "%v %q %d %s %q;", e.Null, e.Endpoint, e.Port, e.ID, e.Meta())
	}
	return s.String()
}

func shownAll(v *View, va Variant) (all [Slots]string) {
	texts := map[*Node]string{}
	for slot := range uint16(Slots) {
		n := v.Owner(slot)
		if _, ok := texts[n]; !ok {
			texts[n] = shown(v, slot, va)
		}
		all[slot] = texts[n]
	}
	return all
}

// slowDiff is the oracle: slot by slot.
func slowDiff(old, new *View, va Variant) (rows []string) {
	var prev string
	was, now := shownAll(old, va), shownAll(new, va)
	for slot := range uint16(Slots) {
		is := now[slot]
		if was[slot] == is {
			prev = "-"
			continue
		}
		if n := len(rows); n > 0 && prev == is && prev != "-" {
			start, _, _ := strings.Cut(rows[n-1], " ")
			rows[n-1] = fmt.Sprintf("%s %d %s", start, slot, is)
		} else {
			rows = append(rows, fmt.Sprintf("%d %d %s", slot, slot, is))
		}
		prev = is
	}
	return rows
}

func diffText(old, new *View, va Variant) (rows []string) {
	for _, r := range Diff(old, new, va) {
		is := ""
		if r.Primary != nil {
			is = shown(new, r.Start, va)
		}
		rows = append(rows, fmt.Sprintf("%d %d %s", r.Start, r.End, is))
	}
	return rows
}

// slowMoved is the oracle of MovedRows.
func slowMoved(old, new *View, va Variant) (rows []string) {
	spell := func(v *View, slot uint16) string {
		n := v.Owner(slot)
		if n == nil || v.settings.Endpoint == EndpointIP && n.IP == "" && n.ID == v.myself.ID {
			return ""
		}
		_, address, _ := strings.Cut(strings.TrimPrefix(MovedText(v, slot, n, va), "MOVED "), " ")
		return address
	}
	var last NodeID
	for slot := range uint16(Slots) {
		is := spell(new, slot)
		if is == "" || is == spell(old, slot) {
			last = ""
			continue
		}
		id := new.Owner(slot).ID
		if last == id {
			rows[len(rows)-1] = fmt.Sprintf("%s-%d %s", strings.FieldsFunc(rows[len(rows)-1], func(r rune) bool { return r == '-' || r == ' ' })[0], slot, is)
		} else {
			rows = append(rows, fmt.Sprintf("%d %s", slot, is))
		}
		last = id
	}
	for i := range rows {
		rows[i] = "MOVED " + rows[i]
	}
	return rows
}

func movedText(old, new *View, va Variant) (rows []string) {
	for _, r := range MovedRows(old, new, va) {
		rows = append(rows, string(new.AppendMoved(nil, r, va)))
	}
	return rows
}

// randomChange alters one thing or a few.
func randomChange(random *rand.Rand, e *Editor) {
	i := random.IntN(8)
	switch random.IntN(10) {
	case 0, 1, 2:
		start := random.IntN(1000)
		id := testID(i)
		if random.IntN(4) == 0 || e.Node(id) == nil {
			id = ""
		}
		for s := start; s < start+1+random.IntN(300); s++ {
			e.SetOwner(uint16(s), id)
		}
	case 3:
		r := testReplica(20+random.IntN(6), i)
		r.Failed, r.Synced = random.IntN(3) == 0, random.IntN(3) > 0
		e.SetNode(r)
	case 4, 5:
		if i == 0 && random.IntN(2) == 0 {
			i = 1
		}
		n := testNode(i)
		n.ConfigEpoch = uint64(random.IntN(100))
		n.IP = []string{"127.0.0.1", "10.0.0.1", ""}[random.IntN(3)]
		n.Hostname = []string{"", "h"}[random.IntN(2)]
		n.TLSPort = random.IntN(3)
		n.Failed = random.IntN(2) == 0
		e.SetNode(n)
	case 6:
		e.SetSettings(Settings{Endpoint: Endpoint(random.IntN(3))})
	case 7:
		e.RemoveNode(testID(20 + random.IntN(6)))
	case 8:
		e.SetMigrating(uint16(random.IntN(100)), testID(0))
		e.SetClusterOK(random.IntN(2) == 0)
	case 9:
		e.RemoveNode(testID(1 + random.IntN(7)))
	}
}

func TestDiffAndMovedAgainstOracles(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	v := evenly(8)
	for range 60 {
		w := edited(v, func(e *Editor) {
			for range 1 + random.IntN(3) {
				randomChange(random, e)
			}
		})
		for _, va := range []Variant{{}, {TLS: true}} {
			require.Equal(t, slowDiff(v, w, va), diffText(v, w, va))
			require.Equal(t, slowMoved(v, w, va), movedText(v, w, va))
		}
		if random.IntN(3) > 0 {
			v = w
		}
	}
}

func TestDiffSaysNoMoreThanChanged(t *testing.T) {
	v := evenly(3)
	none := func(name string, change func(e *Editor)) {
		w := edited(v, change)
		require.NotSame(t, v, w, name)
		require.Empty(t, Diff(v, w, Variant{}), name)
		require.Empty(t, MovedRows(v, w, Variant{}), name)
	}
	none("an epoch", func(e *Editor) { n := testNode(1); n.ConfigEpoch = 99; e.SetNode(n) })
	none("a failed primary", func(e *Editor) { n := testNode(1); n.Failed = true; e.SetNode(n) })
	none("open slots", func(e *Editor) { e.SetMigrating(1, testID(1)); e.SetImporting(16000, testID(2)) })
	none("the state", func(e *Editor) { e.SetClusterOK(false); e.SetMinority(true) })
	none("a lost address", func(e *Editor) { n := testNode(1); n.NoAddr = true; e.SetNode(n) })
	none("a TLS port, to a plain client", func(e *Editor) { n := testNode(1); n.TLSPort = 9; e.SetNode(n) })
	none("a replica without data", func(e *Editor) { n := testReplica(9, 1); n.Synced = false; e.SetNode(n) })
	none("a primary without slots", func(e *Editor) { e.SetNode(testNode(9)) })

	w := edited(v, func(e *Editor) { n := testNode(1); n.TLSPort = 9; e.SetNode(n) })
	require.Len(t, Diff(v, w, Variant{TLS: true}), 1)

	w = edited(v, func(e *Editor) { e.SetOwner(5461, testID(1)); e.SetOwner(100, ""); e.SetOwner(101, "") })
	require.Equal(t, fmt.Sprintf(`[[100,101],[5461,5461,["127.0.0.1",7001,"%s",{"config-epoch":"1"}]]]`, testID(1)),
		rowsText(w, Diff(v, w, Variant{}), Variant{}))
	require.Equal(t, []string{"MOVED 5461 127.0.0.1:7001"}, movedText(v, w, Variant{}))
	require.Equal(t, []string{"MOVED 100-101 127.0.0.1:7000", "MOVED 5461 127.0.0.1:7000"}, movedText(w, v, Variant{}))
}

func BenchmarkDiffOneSlot(b *testing.B) {
	v := evenly(1000)
	w := edited(v, func(e *Editor) { e.SetOwner(5461, testID(0)) })
	b.ReportAllocs()
	for b.Loop() {
		if len(Diff(v, w, Variant{})) != 1 {
			b.Fatal("expected one row")
		}
	}
}

func BenchmarkCommitOneSlot(b *testing.B) {
	v := evenly(1000)
	to := []NodeID{testID(0), testID(999)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e := v.Edit()
		e.SetOwner(5461, to[i&1])
		v = e.View()
	}
}

func TestDiffOfOneSlotAllocates(t *testing.T) {
	v := evenly(1000)
	w := edited(v, func(e *Editor) { e.SetOwner(5461, testID(0)) })
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() { Diff(v, w, Variant{}) }), 2.0)
}
