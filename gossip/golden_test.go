package gossip

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/clusterstate"
	"slotcast/gossip/frame"
)

// TestAnswersToCapturedFrames feeds each frame that was captured from a real
// server to a node of the same cluster that is a little behind, and to a
// stranger, and compares what they send and log with testdata/answers.golden.
func TestAnswersToCapturedFrames(t *testing.T) {
	files, err := filepath.Glob("testdata/captures/*.hex")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var b strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		raw, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
		require.NoError(t, err)
		m, err := frame.Decode(raw)
		require.NoError(t, err)
		fmt.Fprintf(&b, "%s\n", strings.TrimSuffix(filepath.Base(file), ".hex"))
		sender := m.Sender
		if m.Light { // from the node of v8-pong-to-meet
			sender = "3561fb444c8da16d0adb5047c606af56eb470e7f"
		}
		conf := fmt.Sprintf("<a> 127.0.0.1:7000@17000 myself,master - 0 0 1 connected 16383\n"+
			"%s 127.0.0.1:7001@17001 master - 0 0 1 connected 0-100\nvars currentEpoch 1 lastVoteEpoch 0\n", sender)
		answers(&b, "known", newWire(t, conf), sender, m)
		answers(&b, "stranger", newWire(t, "<a> 127.0.0.1:7000@17000 myself,master - 0 0 1 connected 16383\n"), "", m)
	}
	const golden = "testdata/answers.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

// answers writes what a node does with a frame that comes on a link bound to
// the node, if any.
func answers(b *strings.Builder, who string, w *wire, bound clusterstate.NodeID, m *frame.Message) {
	w.last++
	w.step(Accepted{w.last, "127.0.0.1", "127.0.0.1"})
	if bound != "" {
		hello := from("b", frame.TypePing, 1, clusterstate.SlotRange{Start: 0, End: 100})
		hello.Sender = bound
		w.step(Received{w.last, hello})
	}
	frames, out := w.step(Received{w.last, m})
	for _, f := range frames {
		fmt.Fprintf(b, "  %s: %s\n", who, f)
	}
	for _, l := range out.Close {
		fmt.Fprintf(b, "  %s: closes %d\n", who, l-FirstInbound)
	}
	for _, d := range out.Deliver {
		fmt.Fprintf(b, "  %s: delivers %q on %q, shard %v\n", who, d.Payload, d.Channel, d.Shard)
	}
	for _, l := range out.Logs {
		fmt.Fprintf(b, "  %s: %s\n", who, l.Text)
	}
	if out.View != nil {
		for _, r := range out.View.OwnedRanges() {
			fmt.Fprintf(b, "  %s: %d-%d %s epoch %d\n", who, r.Start, r.End, r.Owner.ID[:8], r.Owner.ConfigEpoch)
		}
	}
}

func TestLightFramesNeedALinkThatIsKnown(t *testing.T) {
	w := newWire(t, fourNodes)
	light := &frame.Message{Type: frame.TypePublish, Light: true, Publish: frame.Publish{Channel: []byte("c"), Payload: []byte("p")}}
	_, out := w.says(light)
	require.Equal(t, []LinkID{w.last}, out.Close)
	require.Empty(t, out.Deliver)

	w.says(from("b", frame.TypePing, 2, slotsOfB))
	_, out = w.step(Received{w.last, light})
	require.Equal(t, []Message{{Channel: []byte("c"), Payload: []byte("p")}}, out.Deliver)

	// They go to those that have shown that they read them.
	v8 := from("c", frame.TypePing, 3, clusterstate.SlotRange{Start: 10000, End: 16383})
	v8.Flags |= frame.FlagLightHeader
	w.says(v8)
	frames, out := w.step(Publish{Channel: []byte("c"), Payload: []byte("p")})
	require.Len(t, frames, 3)
	for i, m := range frames {
		require.Equal(t, out.Send[i].Link == w.to[id("c")], m.Light)
		require.Equal(t, "p", string(m.Publish.Payload))
	}
}

func TestForgedSlotChangesAreDroppedAndCounted(t *testing.T) {
	w := newWire(t, fourNodes)
	for _, channel := range []string{"__cluster-slots__", "__cluster-slots__:json", "__cluster-slots__2"} {
		m := from("b", frame.TypePublish, 2, slotsOfB)
		m.Publish = frame.Publish{Channel: []byte(channel), Payload: []byte("x")}
		_, out := w.says(m)
		require.Equal(t, channel == "__cluster-slots__2", len(out.Deliver) == 1)
	}
	require.Equal(t, uint64(2), w.node.Forged())
}

// TestWhatIsSentToRedis70 leaves out the extensions that it does not know, each
// of which would be a line in its log.
func TestWhatIsSentToRedis70(t *testing.T) {
	w := newWire(t, fourNodes)
	cfg := w.node.Config()
	cfg.AnnounceHostname, cfg.AnnounceNodename = "host-a", "anna"
	w.step(Configure{cfg})
	ping := from("b", frame.TypePing, 2, slotsOfB)
	frames, _ := w.says(ping)
	require.Equal(t, frame.Extensions{Hostname: "host-a"}, frames[0].Extensions)
	require.True(t, frames[0].MessageFlags.Has(frame.HasExtensions))

	ping.MessageFlags, ping.Extensions = frame.HasExtensions, frame.Extensions{Hostname: "host-b"}
	frames, _ = w.says(ping)
	require.Equal(t, frame.Extensions{Hostname: "host-a"}, frames[0].Extensions)
	require.Equal(t, "host-b", w.node.View().Node(id("b")).Hostname)

	ping.Extensions = frame.Extensions{}
	frames, _ = w.says(ping)
	require.Equal(t, frame.Extensions{Hostname: "host-a", Nodename: "anna", ShardID: w.node.MyShardID()}, frames[0].Extensions)
	require.Equal(t, "host-b", w.node.View().Node(id("b")).Hostname, "Valkey holds it back until it knows this node")

	ping.Extensions = frame.Extensions{ShardID: string(id("s"))}
	w.says(ping)
	require.Empty(t, w.node.View().Node(id("b")).Hostname)
}

func TestALostAddressIsKeptForTheRows(t *testing.T) {
	w := newWire(t, fourNodes)
	stranger := from("z", frame.TypePong, 2)
	_, out := w.step(Received{w.to[id("b")], stranger})
	require.Equal(t, []LinkID{w.to[id("b")]}, out.Close)
	require.True(t, w.node.View().Node(id("b")).NoAddr)
	require.Equal(t, "127.0.0.1", w.node.View().Node(id("b")).IP)
	_, out = w.tick(100 * time.Millisecond)
	require.Empty(t, out.Dial)
	w.says(from("b", frame.TypePing, 2, slotsOfB))
	require.False(t, w.node.View().Node(id("b")).NoAddr)
	_, out = w.tick(100 * time.Millisecond)
	require.Len(t, out.Dial, 1)
}

func TestOneLinkFromEachNode(t *testing.T) {
	w := newWire(t, fourNodes)
	w.says(from("b", frame.TypePing, 2, slotsOfB))
	first := w.last
	_, out := w.says(from("b", frame.TypePing, 2, slotsOfB))
	require.Equal(t, []LinkID{first}, out.Close)
	require.Len(t, w.node.Links(), 4)
	w.step(LinkDown{Link: w.last, Overflow: true})
	require.Len(t, w.node.Links(), 3)
	require.Contains(t, string(w.node.InfoText()), "total_cluster_links_buffer_limit_exceeded:1\r\n")
}
