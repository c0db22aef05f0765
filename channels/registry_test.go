package channels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/glob"
)

// ear records what it is delivered, as wire bytes of one form.
type ear struct {
	form  Form
	heard []string
}

func (e *ear) Deliver(b Batch) {
	for _, s := range b.Slices(e.form) {
		e.heard = append(e.heard, string(s))
	}
}

func TestMessageForms(t *testing.T) {
	r := New()
	two, three := &ear{}, &ear{form: RESP3 | TLS | JSON}
	r.Subscribe("news", two)
	r.Subscribe("news", three)
	r.SubscribePattern("n*", two)
	r.SubscribePattern("n*", three)
	r.SubscribeShard("news", two)
	r.SubscribeShard("news", three)
	require.Equal(t, 4, r.Publish([]byte("news"), []byte("hi")))
	require.Equal(t, 2, r.PublishShard([]byte("news"), []byte("yo")))
	require.Equal(t, []string{
		"*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$2\r\nhi\r\n",
		"*4\r\n$8\r\npmessage\r\n$2\r\nn*\r\n$4\r\nnews\r\n$2\r\nhi\r\n",
		"*3\r\n$8\r\nsmessage\r\n$4\r\nnews\r\n$2\r\nyo\r\n",
	}, two.heard)
	require.Equal(t, []string{
		">3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$2\r\nhi\r\n",
		">4\r\n$8\r\npmessage\r\n$2\r\nn*\r\n$4\r\nnews\r\n$2\r\nhi\r\n",
		">3\r\n$8\r\nsmessage\r\n$4\r\nnews\r\n$2\r\nyo\r\n",
	}, three.heard)
}

func TestOneEncodingForAll(t *testing.T) {
	m := NewMessage([]byte("c"), []byte("payload"))
	a, b := m.Slices(RESP3), m.Slices(RESP3|JSON)
	require.Same(t, &a[0][0], &b[0][0], "forms of one protocol share their bytes")
}

func TestDeliveryAllocatesNothingPerSubscriber(t *testing.T) {
	r := New()
	counts := make([]counter, 1000)
	for i := range counts {
		r.Subscribe("c", &counts[i])
	}
	channel, payload := []byte("c"), []byte("payload")
	allocs := testing.AllocsPerRun(10, func() { r.Publish(channel, payload) })
	require.LessOrEqual(t, allocs, 4.0, "the message and its encoding, whatever the number of subscribers")
	require.NotZero(t, counts[999])
}

type counter int

func (c *counter) Deliver(b Batch) { *c += counter(len(b.Slices(0))) }

// TestAgainstTwin drives the registry and a list of pairs with the same random
// steps, and compares who hears what.
func TestAgainstTwin(t *testing.T) {
	type pair struct {
		kind, name string
		ear        int
	}
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		r := New()
		ears := make([]*ear, 6)
		for i := range ears {
			ears[i] = &ear{}
		}
		held := map[pair]*Subscription{}
		kinds := []string{"channel", "pattern", "shard"}
		names := []string{"a", "b", "ab", "a*", "?", "[ab]*", "*"}
		for range 300 {
			p := pair{kinds[rnd.IntN(3)], names[rnd.IntN(len(names))], rnd.IntN(len(ears))}
			sn := held[p]
			switch {
			case sn == nil && p.kind == "channel":
				held[p] = r.Subscribe(p.name, ears[p.ear])
			case sn == nil && p.kind == "pattern":
				held[p] = r.SubscribePattern(p.name, ears[p.ear])
			case sn == nil:
				held[p] = r.SubscribeShard(p.name, ears[p.ear])
			case p.kind == "channel":
				r.Unsubscribe(sn)
				delete(held, p)
			case p.kind == "pattern":
				r.UnsubscribePattern(sn)
				delete(held, p)
			default:
				r.UnsubscribeShard(sn)
				delete(held, p)
			}

			channel := names[rnd.IntN(len(names))]
			want := map[int]int{}
			total, shards := 0, 0
			listed := map[string]bool{}
			for q := range held {
				switch {
				case q.kind == "channel" && q.name == channel,
					q.kind == "pattern" && glob.Match([]byte(q.name), []byte(channel), false):
					want[q.ear]++
					total++
				case q.kind == "shard" && q.name == channel:
					shards++
				}
				if q.kind == "channel" {
					listed[q.name] = true
				}
			}
			require.Equal(t, total, r.Publish([]byte(channel), nil))
			require.Equal(t, shards, r.PublishShard([]byte(channel), nil))
			got := map[int]int{}
			for i, e := range ears {
				for _, s := range e.heard {
					if s[5] != '8' || s[8] != 's' { // not an smessage
						got[i]++
					}
				}
				e.heard = nil
			}
			require.Equal(t, want, got, "seed %d channel %q", seed, channel)
			all := []string{}
			for name := range listed {
				all = append(all, name)
			}
			sort.Strings(all)
			require.Equal(t, all, r.Channels(nil))
			require.Equal(t, len(all), r.Names())
		}
	}
}

func TestDropShards(t *testing.T) {
	r := New()
	e := &ear{}
	kept := r.SubscribeShard("kept", e)
	lost := r.SubscribeShard("lost", e)
	var ended []string
	r.DropShards(func(name string) bool { return name == "lost" }, func(sub Subscriber, name string) {
		require.Same(t, e, sub)
		ended = append(ended, name)
	})
	require.Equal(t, []string{"lost"}, ended)
	require.Equal(t, []string{"kept"}, r.ShardChannels(nil))
	require.Equal(t, 1, r.ShardNames())
	r.UnsubscribeShard(lost) // by its own connection, a moment too late
	require.Equal(t, 1, r.ShardNames())
	require.Zero(t, r.PublishShard([]byte("lost"), nil))
	r.UnsubscribeShard(kept)
	require.Zero(t, r.ShardNames())
}

func TestFamilyNames(t *testing.T) {
	for name, want := range map[string]bool{
		"__cluster-slots__": true, "__cluster-slots__:": true, "__cluster-slots__:json": true,
		"__cluster-slots__:nonsense": true, "__cluster-slots__x": false, "__cluster-slots_": false,
		"x__cluster-slots__": false, "__CLUSTER-SLOTS__": false, "": false,
	} {
		require.Equal(t, want, Reserved([]byte(name)), name)
	}
	for _, name := range []string{Slots, SlotsRow, SlotsJSON, SlotsMoved, Snapshot, SnapshotJSON} {
		require.True(t, Known(name), name)
	}
	require.False(t, Known(Slots+":"))
	require.False(t, Known(Slots+":row:json"))
}

func TestPatternsAndTheFamily(t *testing.T) {
	for pattern, want := range map[string]bool{
		"*": false, "__cluster*": false, "__cluster-slots_?": false, "[_]_cluster-slots__": false,
		"__cluster-slots__":            true,
		"__cluster-slots__*":           true,
		"__cluster-slots__:*":          true,
		"__cluster-slots__:mov?d":      true,
		`__cluster-slots\__*`:          true,
		"__cluster-slots__:snapshot*":  false,
		"__cluster-slots__?snapshot":   false,
		"__cluster-slots__x*":          false,
		"__cluster-slots__:[js]*":      true,
		"__cluster-slots__[^:]nothing": false,
	} {
		require.Equal(t, want, MatchesFamily(pattern), pattern)
	}
}

// batchOf is a batch that looks the same in every form.
type batchOf string

func (b batchOf) Slices(Form) [][]byte { return [][]byte{[]byte(b)} }

func TestPublishBatchReachesOnlyPatternsThatNameTheFamily(t *testing.T) {
	r := New()
	direct, named, star := &ear{}, &ear{}, &ear{}
	r.Subscribe(SlotsRow, direct)
	r.SubscribePattern(Slots+":r*", named)
	r.SubscribePattern("*", star)
	r.SubscribePattern("__cluster-slots_*", star)
	r.PublishBatch(SlotsRow, batchOf("row"), func(pattern string) Batch { return batchOf("for " + pattern) })
	require.Equal(t, []string{"row"}, direct.heard)
	require.Equal(t, []string{"for " + Slots + ":r*"}, named.heard)
	require.Empty(t, star.heard)
}

func TestOrderIsOneForAll(t *testing.T) {
	r := New()
	ears := []*ear{{}, {}, {}}
	for _, e := range ears {
		r.Subscribe("c", e)
		r.SubscribePattern("c*", e)
	}
	done := make(chan struct{})
	for p := range 4 {
		go func() {
			for i := range 200 {
				r.Publish([]byte("c"), fmt.Appendf(nil, "%d-%d", p, i))
			}
			done <- struct{}{}
		}()
	}
	for range 4 {
		<-done
	}
	for _, e := range ears[1:] {
		require.True(t, slices.Equal(ears[0].heard, e.heard))
	}
	require.Len(t, ears[0].heard, 1600)
}

func BenchmarkPublish(b *testing.B) {
	for _, subs := range []int{1, 100, 10000} {
		b.Run(fmt.Sprintf("subs=%d", subs), func(b *testing.B) {
			r := New()
			counts := make([]counter, subs)
			for i := range counts {
				r.Subscribe("c", &counts[i])
			}
			channel, payload := []byte("c"), []byte("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
			b.ReportAllocs()
			for b.Loop() {
				r.Publish(channel, payload)
			}
		})
	}
}
