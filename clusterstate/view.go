package clusterstate

import (
	"slices"
	"strings"
)

const (
	chunkBits  = 7
	chunkSlots = 1 << chunkBits
	chunks     = Slots / chunkSlots
)

// chunk holds the owners of chunkSlots neighbouring slots; nil is unassigned.
// Chunks are shared between views and never altered once a view has them.
type chunk [chunkSlots]*Node

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
	nodes     []*Node // by id
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
	myself.Replicas = nil
	v.myself = &myself
	v.nodes = []*Node{v.myself}
	return v
}

// Owner returns the primary that the slot is assigned to, nil if none. The
// slot must be below Slots.
func (v *View) Owner(slot uint16) *Node {
	return v.owners[slot>>chunkBits][slot&(chunkSlots-1)]
}

// Node returns the node with the id, nil if it is unknown.
func (v *View) Node(id NodeID) *Node {
	if i, ok := findNode(v.nodes, id); ok {
		return v.nodes[i]
	}
	return nil
}

// nodeNear is Node for a caller who walks the nodes of a similar view and is
// at the i-th: mostly that is the place here, too.
func (v *View) nodeNear(i int, id NodeID) *Node {
	if i < len(v.nodes) && v.nodes[i].ID == id {
		return v.nodes[i]
	}
	return v.Node(id)
}

// hasAt tells whether the i-th node is this version of it, without a look into
// any node: most of a large cluster is as it was.
func (v *View) hasAt(i int, n *Node) bool { return i < len(v.nodes) && v.nodes[i] == n }

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
	var last *Node
	for c, owners := range v.owners {
		if owners == emptyChunk {
			last = nil
			continue
		}
		for i, n := range owners {
			slot := uint16(c<<chunkBits | i)
			switch {
			case n == nil:
			case n == last:
				out[len(out)-1].End = slot
			default:
				out = append(out, OwnedRange{SlotRange{slot, slot}, n})
			}
			last = n
		}
	}
	return out
}
