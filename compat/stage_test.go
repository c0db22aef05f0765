package compat

import (
	"bufio"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"slotcast/testcluster"
)

// movedSlot is the slot that changes its owner.
const movedSlot = 5461

// A stage is a cluster in which a slot moves, with a connection to each node
// that notes what subscribers of that node are to be told.
type stage struct {
	t         *testing.T
	cluster   *testcluster.Cluster
	witnesses []*witness
	publisher *node
	home      int // the node that has the slot
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{
		t: t,
		// No pause of a loaded machine is to look like a failure of a node.
		cluster: testcluster.Start(t, 3, testcluster.NodeTimeout(10*time.Minute)),
	}
	for i, n := range s.cluster.Nodes() {
		s.witnesses = append(s.witnesses, &witness{dialNode(t, n.Addr())})
		if n == s.cluster.Owner(movedSlot) {
			s.home = i
		}
	}
	for _, w := range s.witnesses {
		w.subscribe("__cluster-slots__:json", "__cluster-slots__:moved", "witnesses")
	}
	s.publisher = dialNode(t, s.cluster.Node(0).Addr())
	return s
}

// told is what a node has told its subscribers: the payloads by their channel.
type told map[string][]string

// move moves the slot to the next node and returns what each node told of it.
func (s *stage) move() []told {
	s.t.Helper()
	s.home = (s.home + 1) % len(s.witnesses)
	s.cluster.MoveSlot(movedSlot, s.cluster.Node(s.home))
	// Whatever was told before the slot was there comes before this message.
	s.publisher.do("PUBLISH", "witnesses", "moved")
	var all []told
	for _, w := range s.witnesses {
		t := told{}
		for {
			channel, payload := w.message()
			if channel == "witnesses" {
				break
			}
			t[channel] = append(t[channel], payload)
		}
		all = append(all, t)
	}
	return all
}

// maps returns the whole map as JSON, as each node has it.
func (s *stage) maps() []string {
	s.t.Helper()
	var maps []string
	for _, n := range s.cluster.Nodes() {
		w := &witness{dialNode(s.t, n.Addr())}
		w.subscribe("__cluster-slots__:snapshot:json")
		_, payload := w.message()
		w.send("UNSUBSCRIBE")
		w.ping("left") // so that subscribers does not see it any more
		w.conn.Close()
		maps = append(maps, payload)
	}
	return maps
}

// subscribers returns the numbers of all connections that have subscribed to
// something, each with its node's address before it.
func (s *stage) subscribers() []string {
	s.t.Helper()
	var ids []string
	for _, n := range s.cluster.Nodes() {
		list, err := n.Do("CLIENT", "LIST")
		require.NoError(s.t, err)
		for line := range strings.Lines(list.(string)) {
			id, _, _ := strings.Cut(line, " ")
			if !strings.Contains(line, " sub=0 psub=0 ") {
				ids = append(ids, n.Addr()+" "+id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// A witness is a connection that has subscribed.
type witness struct{ *node }

func (w *witness) subscribe(channels ...string) {
	w.t.Helper()
	w.send(append([]string{"SUBSCRIBE"}, channels...)...)
	for range channels {
		require.Equal(w.t, "subscribe", w.array()[0])
	}
}

// message reads one message.
func (w *witness) message() (channel, payload string) {
	w.t.Helper()
	m := w.array()
	require.Equal(w.t, "message", m[0])
	return m[1], m[2]
}

// array reads three elements, each of one line or a bulk string.
func (w *witness) array() [3]string {
	w.t.Helper()
	require.NoError(w.t, w.conn.SetDeadline(time.Now().Add(patience)))
	line, err := w.replies.ReadString('\n')
	require.NoError(w.t, err)
	require.Equal(w.t, "*3\r\n", line)
	var elements [3]string
	for i := range elements {
		elements[i] = w.reply("an array of three")
	}
	return elements
}

// dialNode returns a connection to a node that runs.
func dialNode(t *testing.T, addr string) *node {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return &node{addr: addr, t: t, conn: conn, replies: bufio.NewReader(conn)}
}
