package clusterstate

import "slices"

// Editor makes the next view from one. It copies what it alters and nothing
// else; the view it started from stays as it is.
type Editor struct {
	base *View
	next View

	ownOwners [chunks]bool // the chunk in next is ours to alter
	ownNodes  bool         // nodes and seats are
	ownMig    bool
	ownImp    bool

	// given is the seat that was last given a slot: mostly it gets the next one.
	given seat

	// shardsStale tells that replica lists have to be brought up to date.
	shardsStale bool
}

// Edit begins the next view.
func (v *View) Edit() *Editor { return &Editor{base: v, next: *v} }

// View returns the edited view: the very view that editing began with if
// nothing differs from it. The editor may be used on; what it does later does
// not touch views it has returned.
func (e *Editor) View() *View {
	if e.shardsStale {
		e.shardsStale = false
		e.listReplicas()
	}
	if e.unchanged() {
		return e.base
	}
	v := e.next
	e.base, e.ownOwners, e.ownNodes, e.ownMig, e.ownImp = &v, [chunks]bool{}, false, false, false
	return &v
}

func (e *Editor) unchanged() bool {
	a, b := e.base, &e.next
	if a.myself != b.myself || a.settings != b.settings || a.ok != b.ok || a.minority != b.minority ||
		e.ownNodes && !slices.Equal(a.nodes, b.nodes) || !slices.Equal(a.migrating, b.migrating) || !slices.Equal(a.importing, b.importing) {
		return false
	}
	for i := range a.owners {
		if a.owners[i] != b.owners[i] && *a.owners[i] != *b.owners[i] {
			return false
		}
	}
	return true
}

// Owner returns the owner of the slot as edited so far.
func (e *Editor) Owner(slot uint16) NodeID {
	if n := e.next.Owner(slot); n != nil {
		return n.ID
	}
	return ""
}

// Node returns the node as edited so far, its Replicas perhaps outdated.
func (e *Editor) Node(id NodeID) *Node { return e.next.Node(id) }

// Nodes returns the nodes as edited so far, in the order of their ids.
func (e *Editor) Nodes() []*Node { return e.next.nodes }

// Migrating and Importing return the other node of an open slot as edited so
// far, nil if the slot is not open.
func (e *Editor) Migrating(slot uint16) *Node { return e.next.Migrating(slot) }
func (e *Editor) Importing(slot uint16) *Node { return e.next.Importing(slot) }

// SetNode adds the node or replaces the one with its id. Replicas is ignored.
func (e *Editor) SetNode(n Node) {
	i, known := findNode(e.next.nodes, n.ID)
	if known && e.next.nodes[i].sameButReplicas(&n) {
		return
	}
	e.claimNodes()
	if !known {
		n.Replicas, n.listed, n.seat = nil, nil, e.freeSeat()
		e.next.nodes, e.next.seats[n.seat] = slices.Insert(e.next.nodes, i, &n), &n
		e.shardsStale = true // some replica may have named it already
		return
	}
	was := e.next.nodes[i]
	n.Replicas, n.listed, n.seat = was.Replicas, was.listed, was.seat
	e.shardsStale = e.shardsStale || n.Replica || was.Replica
	e.replace(i, &n)
}

// freeSeat finds a seat for a new node.
func (e *Editor) freeSeat() seat {
	if i := slices.Index(e.next.seats[1:], nil); i >= 0 {
		return seat(i + 1)
	}
	e.next.seats = append(e.next.seats, nil)
	return seat(len(e.next.seats) - 1)
}

// replace makes another version of a node that of the i-th. It has its seat.
func (e *Editor) replace(i int, n *Node) {
	e.next.nodes[i], e.next.seats[n.seat] = n, n
	if e.next.myself.seat == n.seat {
		e.next.myself = n
	}
}

// RemoveNode forgets a node: its slots become unassigned, slots that were
// open towards it are closed, its replicas have no primary any more. This
// node itself cannot be removed.
func (e *Editor) RemoveNode(id NodeID) {
	i, known := findNode(e.next.nodes, id)
	if !known || id == e.next.myself.ID {
		return
	}
	gone := e.next.nodes[i].seat
	e.reassign(gone, 0)
	e.claimNodes()
	e.next.nodes, e.next.seats[gone] = slices.Delete(e.next.nodes, i, i+1), nil
	e.shardsStale = true
	for _, n := range e.next.nodes {
		if n.Primary == id {
			orphan := *n
			orphan.Primary = ""
			e.SetNode(orphan)
		}
	}
	towards := func(o openSlot) bool { return o.node == id }
	if slices.ContainsFunc(e.next.migrating, towards) {
		e.next.migrating, e.ownMig = slices.DeleteFunc(slices.Clone(e.next.migrating), towards), true
	}
	if slices.ContainsFunc(e.next.importing, towards) {
		e.next.importing, e.ownImp = slices.DeleteFunc(slices.Clone(e.next.importing), towards), true
	}
}

// Reset unassigns every slot, closes the open ones and forgets every other
// node.
func (e *Editor) Reset() {
	for c := range e.next.owners {
		e.next.owners[c], e.ownOwners[c] = emptyChunk, false
	}
	me := *e.next.myself
	e.next.nodes, e.next.seats, e.ownNodes = []*Node{e.next.myself}, make([]*Node, me.seat+1), true
	e.next.seats[me.seat], e.given = e.next.myself, 0
	e.next.migrating, e.ownMig = nil, true
	e.next.importing, e.ownImp = nil, true
	me.Primary = ""
	e.SetNode(me)
	e.shardsStale = true
}

// RenameMyself gives this node another id, keeping all it owns.
func (e *Editor) RenameMyself(id NodeID) {
	old := e.next.myself
	renamed := *old
	renamed.ID = id
	e.SetNode(renamed)
	e.next.myself = e.Node(id)
	e.reassign(old.seat, e.next.myself.seat)
	e.RemoveNode(old.ID)
}

// reassign gives all slots of one seat to another.
func (e *Editor) reassign(from, to seat) {
	for c, owners := range e.next.owners {
		for i, s := range owners {
			if s == from {
				e.claimChunk(c)
				e.next.owners[c][i] = to
			}
		}
	}
}

// SetOwner assigns the slot to a known node, or to nobody if the id is empty.
func (e *Editor) SetOwner(slot uint16, id NodeID) {
	var to seat
	if n := e.next.seats[e.given]; n != nil && n.ID == id {
		to = e.given
	} else if n := e.Node(id); n != nil {
		to, e.given = n.seat, n.seat
	}
	c, i := slot>>chunkBits, slot&(chunkSlots-1)
	if e.next.owners[c][i] != to {
		e.claimChunk(int(c))
		e.next.owners[c][i] = to
	}
}

// SetMigrating marks the slot as migrating to the node; an empty id clears it.
func (e *Editor) SetMigrating(slot uint16, id NodeID) {
	e.next.migrating = setOpen(e.next.migrating, &e.ownMig, slot, id)
}

// SetImporting marks the slot as imported from the node; an empty id clears it.
func (e *Editor) SetImporting(slot uint16, id NodeID) {
	e.next.importing = setOpen(e.next.importing, &e.ownImp, slot, id)
}

func setOpen(list []openSlot, own *bool, slot uint16, id NodeID) []openSlot {
	i, open := findOpen(list, slot)
	if !open && id == "" || open && list[i].node == id {
		return list
	}
	if !*own {
		list, *own = slices.Clone(list), true
	}
	switch {
	case id == "":
		return slices.Delete(list, i, i+1)
	case open:
		list[i].node = id
		return list
	default:
		return slices.Insert(list, i, openSlot{slot, id})
	}
}

// SetSettings, SetClusterOK and SetMinority alter what their names say.
func (e *Editor) SetSettings(s Settings)    { e.next.settings = s }
func (e *Editor) SetClusterOK(ok bool)      { e.next.ok = ok }
func (e *Editor) SetMinority(minority bool) { e.next.minority = minority }

func (e *Editor) claimNodes() {
	if !e.ownNodes {
		e.next.nodes, e.next.seats, e.ownNodes = slices.Clone(e.next.nodes), slices.Clone(e.next.seats), true
	}
}

func (e *Editor) claimChunk(c int) {
	if !e.ownOwners[c] {
		own := *e.next.owners[c]
		e.next.owners[c], e.ownOwners[c] = &own, true
	}
}

// listReplicas gives every primary its list of replicas. A replica has none,
// also if another replica names it, as happens while a failover spreads.
func (e *Editor) listReplicas() {
	replicas := make(map[NodeID][]*Node)
	for i, n := range e.next.nodes { // by id, so the lists are by id
		if !n.Replica {
			continue
		}
		n = e.setReplicas(i, nil)
		if n.Primary != "" {
			replicas[n.Primary] = append(replicas[n.Primary], n)
		}
	}
	for i, n := range e.next.nodes {
		if !n.Replica {
			e.setReplicas(i, replicas[n.ID])
		}
	}
}

// setReplicas makes the list that of the i-th node, and returns the node.
func (e *Editor) setReplicas(i int, list []*Node) *Node {
	n := e.next.nodes[i]
	if slices.Equal(n.Replicas, list) {
		return n
	}
	e.claimNodes()
	n = n.withReplicas(list)
	e.replace(i, n)
	return n
}
