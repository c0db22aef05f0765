package clusterstate

import (
	"iter"
	"slices"
	"strings"
)

const (
	chunkBits  = 7
	chunkSlots = 1 << chunkBits
	chunks     = Slots / chunkSlots
)

// seat is the number of a node within a view. A node keeps its seat from view
// to view for as long as it is known, so that the map of the slots, which names
// owners by their seats, stays as it is when a node alters. Seat 0 is nobody's.
//
// A seat is given to another only after its node, and so all its slots, were
// taken away. Hence in two views that share a chunk the seats that stand in it
// are of the same nodes, although perhaps of other versions of them.
type seat uint32

// chunk holds the owners of chunkSlots neighbouring slots; 0 is unassigned.
// Chunks are shared between views and never altered once a view has them.
type chunk [chunkSlots]seat

// emptyChunk stands for a stretch of unassigned slots in every view.
var emptyChunk = new(chunk)

// Endpoint is the setting cluster-preferred-endpoint-type: what clients are
// told of a node first.
type Endpoint uint8

const (
	EndpointIP Endpoint = iota
	EndpointHostname
	EndpointUnknown
)

// Settings are this node's own settings that alter rows or redirects.
type Settings struct {
	Endpoint                 Endpoint
	AllowReadsWhenDown       bool
	AllowPubSubShardWhenDown bool
}

// openSlot is one slot with the node it is moving to or from.
type openSlot struct {
	slot uint16
	node NodeID
}

// View is one immutable state of the cluster as this node sees it.
type View struct {
	owners    [chunks]*chunk
	seats     []*Node // by seat, nil where nobody sits
	nodes     []*Node // the same by id
	myself    *Node
	migrating []openSlot // by slot
	importing []openSlot // by slot
	settings  Settings
	ok        bool
	minority  bool
}

// NewView returns the view of a cluster of one node that owns nothing. The
// cluster state is fail, as at the start of every node.
func NewView(myself Node, settings Settings) *View {
	v := &View{settings: settings}
	for i := range v.owners {
		v.owners[i] = emptyChunk
	}
	myself.Replicas, myself.listed, myself.seat = nil, nil, 1
	v.myself = &myself
	v.nodes, v.seats = []*Node{v.myself}, []*Node{nil, v.myself}
	return v
}

// Owner returns the primary that the slot is assigned to, nil if none. The
// slot must be below Slots.
func (v *View) Owner(slot uint16) *Node {
	return v.seats[v.owners[slot>>chunkBits][slot&(chunkSlots-1)]]
}

// Node returns the node with the id, nil if it is unknown.
func (v *View) Node(id NodeID) *Node {
	if i, ok := findNode(v.nodes, id); ok {
		return v.nodes[i]
	}
	return nil
}

// version returns the view's own version of a node of a similar view, nil if it
// is unknown here. Mostly both have the same seat.
func (v *View) version(n *Node) *Node {
	if int(n.seat) < len(v.seats) {
		if m := v.seats[n.seat]; m != nil && m.ID == n.ID {
			return m
		}
	}
	return v.Node(n.ID)
}

func findNode(nodes []*Node, id NodeID) (int, bool) {
	return slices.BinarySearchFunc(nodes, id, func(n *Node, id NodeID) int {
		return strings.Compare(string(n.ID), string(id))
	})
}

// Nodes returns all known nodes in the order of their ids. The slice belongs
// to the view.
func (v *View) Nodes() []*Node { return v.nodes }

// Myself returns this node.
func (v *View) Myself() *Node { return v.myself }

// Settings returns this node's own settings.
func (v *View) Settings() Settings { return v.settings }

// ClusterOK tells whether the cluster state is ok.
func (v *View) ClusterOK() bool { return v.ok }

// Minority tells whether this node sees too few living primaries to be
// believed: its subscribers are then better served by another node.
func (v *View) Minority() bool { return v.minority }

// Migrating returns the node that the slot is migrating to, nil if it is not.
// The mark can outlive the ownership of the slot.
func (v *View) Migrating(slot uint16) *Node { return v.open(v.migrating, slot) }

// Importing returns the node that the slot is being imported from, nil if it
// is not.
func (v *View) Importing(slot uint16) *Node { return v.open(v.importing, slot) }

func (v *View) open(list []openSlot, slot uint16) *Node {
	if len(list) == 0 {
		return nil
	}
	i, ok := findOpen(list, slot)
	if !ok {
		return nil
	}
	return v.Node(list[i].node)
}

func findOpen(list []openSlot, slot uint16) (int, bool) {
	return slices.BinarySearchFunc(list, slot, func(o openSlot, slot uint16) int {
		return int(o.slot) - int(slot)
	})
}

// OpenSlot is a slot that is migrating to or being imported from a node.
type OpenSlot struct {
	Slot uint16
	Node NodeID
}

// OpenSlots returns the open slots in ascending order.
func (v *View) OpenSlots() (migrating, importing []OpenSlot) {
	list := func(open []openSlot) (out []OpenSlot) {
		for _, o := range open {
			out = append(out, OpenSlot{o.slot, o.node})
		}
		return out
	}
	return list(v.migrating), list(v.importing)
}

// SlotRange is a range of slots, both ends included.
type SlotRange struct{ Start, End uint16 }

// OwnedRange is a longest range of neighbouring slots with one owner.
type OwnedRange struct {
	SlotRange
	Owner *Node
}

// OwnedRanges returns the assigned slots as ranges in ascending order.
func (v *View) OwnedRanges() []OwnedRange {
	out := make([]OwnedRange, 0, len(v.nodes)) // as if each had one
	for r, s := range v.runs() {
		if s != 0 {
			out = append(out, OwnedRange{r, v.seats[s]})
		}
	}
	return out
}

// RangesOf returns the slots of some nodes of the view, in their order, as
// ranges in ascending order. It goes through the map once for all of them.
func (v *View) RangesOf(nodes []*Node) [][]SlotRange {
	asked := make([]int32, len(v.seats)) // by seat: one more than the place in nodes
	for i, n := range nodes {
		asked[n.seat] = int32(i) + 1
	}
	out := make([][]SlotRange, len(nodes))
	for r, s := range v.runs() {
		if i := asked[s]; i > 0 {
			out[i-1] = append(out[i-1], r)
		}
	}
	return out
}

// runs yields the longest ranges of slots with one owner, unassigned ones too, in
// ascending order.
func (v *View) runs() iter.Seq2[SlotRange, seat] {
	return func(yield func(SlotRange, seat) bool) {
		start, owner := 0, v.owners[0][0]
		for c, owners := range v.owners {
			if owners[0] == owner && owners.uniform() {
				continue
			}
			for i, s := range owners {
				if s == owner {
					continue
				}
				slot := c<<chunkBits | i
				if !yield(SlotRange{uint16(start), uint16(slot - 1)}, owner) {
					return
				}
				start, owner = slot, s
			}
		}
		yield(SlotRange{uint16(start), Slots - 1}, owner)
	}
}

// uniform tells whether all slots of the chunk have one owner. It compares the
// chunk with itself, one slot on, which is many slots at a time.
func (c *chunk) uniform() bool {
	const neighbours = chunkSlots - 1
	return *(*[neighbours]seat)(c[:]) == *(*[neighbours]seat)(c[1:])
}
