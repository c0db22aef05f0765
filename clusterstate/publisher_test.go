package clusterstate

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// holdTest drives a Publisher; views differ in the state of two replicas.
type holdTest struct {
	*testing.T
	p *Publisher
	v *View
}

func newHoldTest(t *testing.T) *holdTest {
	v := edited(evenly(3), func(e *Editor) {
		e.SetNode(testReplica(8, 1))
		e.SetNode(testReplica(9, 2))
	})
	return &holdTest{t, NewPublisher(v), v}
}

func (h *holdTest) offer(now time.Duration, change func(e *Editor)) Publication {
	h.v = edited(h.v, change)
	return h.p.Offer(now, h.v)
}

func failing(i, of int, failed bool) func(e *Editor) {
	return func(e *Editor) {
		r := testReplica(i, of)
		r.Failed = failed
		e.SetNode(r)
	}
}

func (h *holdTest) published(va Variant) string {
	return rowsText(h.p.Published(), h.p.Published().Rows(), va)
}

func (h *holdTest) current() string { return rowsText(h.v, h.v.Rows(), Variant{}) }

func TestAReplicaListIsHeld(t *testing.T) {
	h := newHoldTest(t)
	before := h.published(Variant{})
	out := h.offer(1000*ms, failing(8, 1, true))
	require.True(t, out.Wake)
	require.Equal(t, 1100*ms, out.WakeAt)
	require.Equal(t, before, h.published(Variant{}))
	require.Equal(t, uint64(1), h.p.Version())

	// Another shard has its own time, and does not move the first one's.
	out = h.offer(1050*ms, failing(9, 2, true))
	require.Equal(t, 1100*ms, out.WakeAt)
	require.Nil(t, h.p.Tick(1099*ms).View)
	require.Equal(t, before, h.published(Variant{}))
	require.Equal(t, uint64(1), h.p.Version())

	old := h.p.Published()
	out = h.p.Tick(1100 * ms)
	require.Len(t, Diff(old, out.View, Variant{}), 1)
	require.Equal(t, testID(1), Diff(old, out.View, Variant{})[0].Primary.ID)
	require.Equal(t, 1150*ms, out.WakeAt)
	out = h.p.Tick(1150 * ms)
	require.True(t, h.v == out.View)
	require.False(t, out.Wake)
	require.Equal(t, uint64(3), h.p.Version())
}

func TestHoldsDoubleUpToFiveSecondsAndStartAnew(t *testing.T) {
	h := newHoldTest(t)
	now, failed := time.Duration(0), false
	var lengths []time.Duration
	flap := func() {
		failed = !failed
		out := h.offer(now, failing(8, 1, failed))
		require.True(t, out.Wake)
		lengths = append(lengths, out.WakeAt-now)
		now = out.WakeAt
		require.NotNil(t, h.p.Tick(now).View)
	}
	for range 8 {
		flap()
	}
	require.Equal(t, []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 5000 * ms, 5000 * ms}, lengths)
	now += 10*time.Second - 5001*ms // 9999 ms since the change
	flap()
	now += 5 * time.Second // 10 s since the change
	flap()
	require.Equal(t, []time.Duration{5000 * ms, 100 * ms}, lengths[8:])
}

func TestAChangeThatIsUndoneIsNeverShown(t *testing.T) {
	h := newHoldTest(t)
	first := h.p.Published()
	h.offer(0, failing(8, 1, true))
	out := h.offer(50*ms, failing(8, 1, false))
	require.False(t, out.Wake)
	require.Empty(t, Diff(first, h.p.Published(), Variant{}))
	require.Equal(t, uint64(1), h.p.Version())

	// It counts as a hold all the same.
	out = h.offer(60*ms, failing(8, 1, true))
	require.Equal(t, 260*ms, out.WakeAt)
}

func TestOwnersAndAddressesTakeAlongWhatIsHeld(t *testing.T) {
	for name, change := range map[string]func(e *Editor){
		"owner":    func(e *Editor) { e.SetOwner(3, testID(2)) },
		"lost":     func(e *Editor) { e.SetOwner(3, "") },
		"port":     func(e *Editor) { n := testNode(2); n.Port = 1; e.SetNode(n) },
		"hostname": func(e *Editor) { n := testReplica(9, 2); n.Hostname = "h"; e.SetNode(n) },
		"endpoint": func(e *Editor) { e.SetSettings(Settings{Endpoint: EndpointUnknown}) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHoldTest(t)
			h.offer(0, failing(8, 1, true))
			out := h.offer(10*ms, change)
			require.True(t, h.v == out.View)
			require.False(t, out.Wake)
			require.Nil(t, h.p.Tick(200*ms).View)
		})
	}
}

func TestTheRestOfAViewIsPublishedWhileAListIsHeld(t *testing.T) {
	h := newHoldTest(t)
	h.offer(0, failing(8, 1, true))
	out := h.offer(10*ms, func(e *Editor) {
		n := testNode(1)
		n.ConfigEpoch = 50
		e.SetNode(n)
		e.SetMigrating(1, testID(1))
	})
	require.NotNil(t, out.View)
	require.Equal(t, uint64(50), out.View.Owner(6000).ConfigEpoch)
	require.Len(t, out.View.Owner(6000).listed, 1)
	require.NotNil(t, out.View.Migrating(1))
	require.Empty(t, Diff(newHoldTest(t).p.Published(), out.View, Variant{}))
	require.Equal(t, uint64(2), h.p.Version(), "a snapshot shows the epoch")
}

// TestPublisherPromises checks, over random changes, that the published view
// differs in nothing but replica lists, never for longer than the longest
// hold, and that a subscriber who follows the differences ends up with it.
func TestPublisherPromises(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	h := &holdTest{T: t, v: evenly(8)}
	h.p = NewPublisher(h.v)
	followed := shownAll(h.v, Variant{})
	follow := func(old *View, out Publication) {
		if out.View == nil {
			return
		}
		for _, row := range Diff(old, out.View, Variant{}) {
			for s := int(row.Start); s <= int(row.End); s++ {
				followed[s] = shown(out.View, uint16(s), Variant{})
			}
		}
	}
	var now, wake time.Duration
	waiting := false
	for range 150 {
		now += time.Duration(random.IntN(300)) * ms
		for waiting && wake <= now {
			old := h.p.Published()
			out := h.p.Tick(wake)
			require.NotNil(t, out.View)
			follow(old, out)
			waiting, wake = out.Wake, out.WakeAt
		}
		old := h.p.Published()
		out := h.offer(now, func(e *Editor) {
			if random.IntN(4) == 0 {
				randomChange(random, e)
			} else {
				failing(20+random.IntN(6), random.IntN(8), random.IntN(2) == 0)(e)
			}
		})
		follow(old, out)
		waiting, wake = out.Wake, out.WakeAt

		require.False(t, ownersOrAddressesDiffer(h.p.Published(), h.v))
		differ := len(Diff(h.p.Published(), h.v, Variant{})) > 0
		require.True(t, !differ || waiting)
		if waiting {
			require.LessOrEqual(t, wake-now, lastHold)
		}
		require.Equal(t, shownAll(h.p.Published(), Variant{}), followed)
	}
	for waiting {
		old := h.p.Published()
		out := h.p.Tick(wake)
		follow(old, out)
		waiting, wake = out.Wake, out.WakeAt
	}
	require.Equal(t, h.current(), h.published(Variant{}))
	require.Equal(t, shownAll(h.v, Variant{}), followed)
	h.p.Tick(now + time.Minute)
	require.Empty(t, h.p.holds, "a quiet publisher keeps no history")
}

// BenchmarkOffer is one slot moved among a thousand nodes.
func BenchmarkOffer(b *testing.B) {
	v := evenly(1000)
	views := []*View{v, edited(v, func(e *Editor) { e.SetOwner(5461, testID(0)) })}
	p := NewPublisher(v)
	b.ReportAllocs()
	for i := 1; b.Loop(); i++ {
		p.Offer(0, views[i&1])
	}
}
