package server

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"slotcast/channels"
	"slotcast/clusterstate"
	"slotcast/resp2"
)

func rowsTestID(i int) clusterstate.NodeID { return clusterstate.NodeID(fmt.Sprintf("%040d", i)) }

// failover is the change in which a shard that owns every third slot gets its
// other node as primary, the old one being a failed replica of it from then on.
func failover() (old, next *clusterstate.View) {
	node := func(i int) clusterstate.Node {
		return clusterstate.Node{ID: rowsTestID(i), IP: "127.0.0.1", Port: 7000 + i, Synced: i >= 3, ConfigEpoch: uint64(i)}
	}
	replica := func(i, of int) clusterstate.Node {
		n := node(i)
		n.Replica, n.Primary, n.ConfigEpoch = true, rowsTestID(of), 0
		return n
	}
	e := clusterstate.NewView(node(0), clusterstate.Settings{}).Edit()
	for i := 1; i < 3; i++ {
		e.SetNode(node(i))
	}
	for i := range 3 {
		e.SetNode(replica(3+i, i))
		e.SetNode(replica(6+i, i))
	}
	for slot := range uint16(clusterstate.Slots) {
		e.SetOwner(slot, rowsTestID(int(slot%3)))
	}
	old = e.View()
	heir := node(4)
	heir.Synced, heir.ConfigEpoch = false, 10
	e.SetNode(heir)
	failed := replica(1, 4)
	failed.Failed = true
	e.SetNode(failed)
	e.SetNode(replica(7, 4))
	for slot := uint16(1); slot < clusterstate.Slots; slot += 3 {
		e.SetOwner(slot, heir.ID)
	}
	return old, e.View()
}

func oneSlot() (old, next *clusterstate.View) {
	old, _ = failover()
	e := old.Edit()
	e.SetOwner(1, rowsTestID(2))
	return old, e.View()
}

// rowForms are the ways in which rows are told.
var rowForms = []struct {
	name, channel, pattern string
	form                   channels.Form
	bare                   bool
}{
	{"RESP2", channels.Slots, "", 0, false},
	{"RESP3", channels.Slots, "", channels.RESP3, false},
	{"TLS", channels.SlotsRow, "", channels.TLS, false},
	{"JSON", channels.Slots, "", channels.JSON, false},
	{"JSON channel", channels.SlotsJSON, "", channels.RESP3, false},
	{"moved", channels.SlotsMoved, "", 0, false},
	{"pattern", channels.Slots, "__cluster-slots__*", 0, false},
	{"bare", "", "", channels.RESP3, true},
}

func batchOf(ch *viewChange, i int, pushed *atomic.Int64) *rowsBatch {
	f := rowForms[i]
	return &rowsBatch{viewChange: ch, channel: f.channel, pattern: f.pattern, bare: f.bare, pushed: pushed}
}

// slowMessages is the oracle: each message from nothing.
func slowMessages(old, next *clusterstate.View, i int) []byte {
	f := rowForms[i]
	va := variant(f.form)
	r := Reply{resp3: f.form&channels.RESP3 != 0}
	head := func() {
		switch {
		case f.bare:
			r.Push(3)
			r.BulkString("cluster")
			r.BulkString("slots")
			return
		case f.pattern != "":
			r.Push(4)
			r.BulkString("pmessage")
			r.BulkString(f.pattern)
		default:
			r.Push(3)
			r.BulkString("message")
		}
		r.BulkString(f.channel)
	}
	if f.channel == channels.SlotsMoved {
		for _, row := range clusterstate.MovedRows(old, next, va) {
			head()
			r.Bulk(next.AppendMoved(nil, row, va))
		}
		return r.buf
	}
	for _, row := range clusterstate.Diff(old, next, va) {
		head()
		if f.pattern != "" || f.channel == channels.SlotsJSON || f.form&channels.JSON != 0 {
			r.Bulk(next.JSON(va).AppendRow(nil, row))
			continue
		}
		r.Array(3 + len(row.Replicas))
		r.Int(int64(row.Start))
		r.Int(int64(row.End))
		for i, n := range append([]*clusterstate.Node{row.Primary}, row.Replicas...) {
			appendEntry(&r, next, n, va, i == 0)
		}
	}
	return r.buf
}

func TestRowsAreAsIfWrittenOneByOne(t *testing.T) {
	for _, views := range []func() (old, next *clusterstate.View){oneSlot, failover} {
		old, next := views()
		ch, pushed := newViewChange(old, next), new(atomic.Int64)
		for i, f := range rowForms {
			cut := batchOf(ch, i, pushed).Slices(f.form)
			require.True(t, bytes.Equal(slowMessages(old, next, i), bytes.Join(cut, nil)), f.name)
			for _, slice := range cut {
				require.LessOrEqual(t, len(slice), sliceSize, f.name)
			}
		}
		require.Equal(t, int64(len(rowForms)*len(clusterstate.Diff(old, next, clusterstate.Variant{}))), pushed.Load())
	}
}

// TestRowsAllocateForShardsAndSlices: not for rows. What is asserted is the
// worst of all forms.
func TestRowsAllocateForShardsAndSlices(t *testing.T) {
	for _, c := range []struct {
		views func() (old, next *clusterstate.View)
		most  float64
	}{{oneSlot, 20}, {failover, 100}} {
		old, next := c.views()
		var pushed atomic.Int64
		for i, f := range rowForms {
			allocs := testing.AllocsPerRun(5, func() {
				batchOf(newViewChange(old, next), i, &pushed).Slices(f.form)
			})
			require.LessOrEqual(t, allocs, c.most, f.name)
		}
	}
}

func TestOneDiffForAllChannels(t *testing.T) {
	old, next := failover()
	ch, pushed := newViewChange(old, next), new(atomic.Int64)
	for i, f := range rowForms {
		batchOf(ch, i, pushed).Slices(f.form)
	}
	require.Len(t, ch.rows, 2, "one for each port")
}

// TestTheMapIsEncodedOncePerVersion demands it from many at once, and again
// after changes that no row shows.
func TestTheMapIsEncodedOncePerVersion(t *testing.T) {
	v, _ := failover()
	rd := render(v, 1, nil)
	var first [channels.Forms][2][]byte
	var group sync.WaitGroup
	var mu sync.Mutex // guards first
	for range 8 {
		group.Go(func() {
			for f := range channels.Form(channels.Forms) {
				slots, snapshot := rd.clusterSlots(f), rd.snapshot(f)
				mu.Lock()
				if first[f][0] == nil {
					first[f] = [2][]byte{slots, snapshot}
				}
				same := &first[f][0][0] == &slots[0] && &first[f][1][0] == &snapshot[0]
				mu.Unlock()
				if !same {
					t.Errorf("form %d was encoded twice", f)
				}
			}
		})
	}
	group.Wait()
	same := func(a, b []byte) bool { return &a[0] == &b[0] }
	require.True(t, same(rd.clusterSlots(0), rd.clusterSlots(channels.JSON)), "CLUSTER SLOTS has no form as text")

	e := v.Edit()
	e.SetMigrating(1, rowsTestID(1))
	p := clusterstate.NewPublisher(v)
	out := p.Offer(0, e.View())
	next := render(out.View, p.Version(), rd)
	require.NotSame(t, rd.view, next.view)
	require.True(t, same(rd.clusterSlots(0), next.clusterSlots(0)))
	require.True(t, same(rd.snapshot(0), next.snapshot(0)))

	e.SetOwner(1, rowsTestID(2))
	out = p.Offer(0, e.View())
	last := render(out.View, p.Version(), next)
	require.False(t, bytes.Equal(next.clusterSlots(0), last.clusterSlots(0)))
	require.False(t, bytes.Equal(next.snapshot(0), last.snapshot(0)))
}

// TestTheMapIsTheSumOfItsRows compares with rows that are written one by one.
func TestTheMapIsTheSumOfItsRows(t *testing.T) {
	v, _ := failover()
	for _, f := range []channels.Form{0, channels.RESP3, channels.TLS} {
		for _, epoch := range []bool{false, true} {
			r := Reply{resp3: f&channels.RESP3 != 0}
			r.Array(len(v.Rows()))
			for _, row := range v.Rows() {
				newRowWriter(v, variant(f), epoch).append(&r, row)
			}
			require.True(t, bytes.Equal(r.buf, encodeMap(v, f, epoch)))
		}
	}
	text := v.JSON(clusterstate.Variant{}).AppendRows(nil, v.Rows())
	require.Equal(t, string(resp2.AppendBulk(nil, text)), string(render(v, 1, nil).snapshot(channels.JSON)))
}

// BenchmarkRows is what it takes to encode what a change sends to one channel.
func BenchmarkRows(b *testing.B) {
	for _, c := range []struct {
		name  string
		views func() (old, next *clusterstate.View)
	}{{"slots=1", oneSlot}, {"slots=5461", failover}} {
		old, next := c.views()
		var pushed atomic.Int64
		for i, f := range rowForms {
			b.Run(c.name+"/"+f.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					batchOf(newViewChange(old, next), i, &pushed).Slices(f.form)
				}
			})
		}
	}
}

// BenchmarkMap is what the first CLUSTER SLOTS after a change costs, of a map of
// 16384 rows.
func BenchmarkMap(b *testing.B) {
	v, _ := failover()
	for _, f := range []channels.Form{0, channels.RESP3} {
		b.Run("RESP"+strconv.Itoa(2+int(f)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				render(v, 1, nil).clusterSlots(f)
			}
		})
	}
}
