package clusterstate

import "slices"

// Editor makes the next view from one. It copies what it alters and nothing
// else; the view it started from stays as it is.
type Editor struct {
	base *View
	next View

	ownOwners [chunks]bool // the chunk in next is ours to alter
	ownNodes  bool
	ownMig    bool
	ownImp    bool

	// shardsStale tells that replica lists have to be brought up to date,
	// replaced are the nodes to which owners and myself may still point.
	shardsStale bool
	replaced    []*Node
}

// Edit begins the next view.
func (v *View) Edit() *Editor { return &Editor{base: v, next: *v} }

// View returns the edited view: the very view that editing began with if
// nothing differs from it. The editor may be used on; what it does later does
// not touch views it has returned.
func (e *Editor) View() *View {
	e.relink()
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
		!slices.Equal(a.nodes, b.nodes) || !slices.Equal(a.migrating, b.migrating) || !slices.Equal(a.importing, b.importing) {
		return false
	}
	for i := range a.owners {
		if a.owners[i] != b.owners[i] && *a.owners[i] != *b.owners[i] {
			return false
		}
	}
	return true
}

// Owner returns the owner of the slot as edited so far. The node it returns
// may be an older version of the owner; only its id is meant.
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
	n.Replicas = nil
	if known {
		n.Replicas = e.next.nodes[i].Replicas
	}
	e.claimNodes()
	if !known {
		e.next.nodes = slices.Insert(e.next.nodes, i, &n)
		e.shardsStale = true // some replica may have named it already
		return
	}
	e.shardsStale = e.shardsStale || n.Replica || e.next.nodes[i].Replica
	e.replace(i, &n)
}

// replace makes another version of a node that of the i-th.
func (e *Editor) replace(i int, n *Node) {
	e.replaced = append(e.replaced, e.next.nodes[i])
	e.next.nodes[i] = n
}

// RemoveNode forgets a node: its slots become unassigned, slots that were
// open towards it are closed, its replicas have no primary any more. This
// node itself cannot be removed.
func (e *Editor) RemoveNode(id NodeID) {
	i, known := findNode(e.next.nodes, id)
	if !known || id == e.next.myself.ID {
		return
	}
	for slot := range uint16(Slots) {
		if e.Owner(slot) == id {
			e.SetOwner(slot, "")
		}
	}
	e.claimNodes()
	e.next.nodes = slices.Delete(e.next.nodes, i, i+1)
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
	me := *e.next.myself
	for c := range e.next.owners {
		e.next.owners[c], e.ownOwners[c] = emptyChunk, false
	}
	e.next.nodes, e.ownNodes = []*Node{e.Node(me.ID)}, true
	e.next.migrating, e.ownMig = nil, true
	e.next.importing, e.ownImp = nil, true
	me = *e.next.nodes[0]
	me.Primary = ""
	e.SetNode(me)
	e.shardsStale = true
}

// RenameMyself gives this node another id, keeping all it owns.
func (e *Editor) RenameMyself(id NodeID) {
	old := e.next.myself.ID
	i, _ := findNode(e.next.nodes, old)
	renamed := *e.next.nodes[i]
	renamed.ID = id
	e.SetNode(renamed)
	for slot := range uint16(Slots) {
		if e.Owner(slot) == old {
			e.SetOwner(slot, id)
		}
	}
	e.next.myself = e.Node(id)
	e.RemoveNode(old)
}

// SetOwner assigns the slot to a known node, or to nobody if the id is empty.
func (e *Editor) SetOwner(slot uint16, id NodeID) {
	var n *Node
	if id != "" {
		n = e.Node(id)
	}
	old := e.next.Owner(slot)
	if old == n || old != nil && n != nil && old.ID == n.ID {
		return
	}
	c := slot >> chunkBits
	e.claimChunk(int(c))
	e.next.owners[c][slot&(chunkSlots-1)] = n
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
		e.next.nodes, e.ownNodes = slices.Clone(e.next.nodes), true
	}
}

func (e *Editor) claimChunk(c int) {
	if !e.ownOwners[c] {
		own := *e.next.owners[c]
		e.next.owners[c], e.ownOwners[c] = &own, true
	}
}

// relink gives every primary its list of replicas and points owners and
// myself at the latest version of each node. A replica has none, also if
// another replica names it, as happens while a failover spreads.
func (e *Editor) relink() {
	if e.shardsStale {
		e.shardsStale = false
		e.listReplicas()
	}
	if len(e.replaced) > 0 {
		e.repoint()
		e.replaced = nil
	}
}

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
	linked := *n
	linked.Replicas = list
	e.replace(i, &linked)
	return &linked
}

// repoint replaces outdated owners. Mostly one node or two were replaced, and
// neighbouring slots have one owner: so it goes through the map once, and looks
// into no node that it finds there.
func (e *Editor) repoint() {
	outdated := func(n *Node) bool { return slices.Contains(e.replaced, n) }
	if len(e.replaced) > 8 {
		set := make(map[*Node]bool, len(e.replaced))
		for _, n := range e.replaced {
			set[n] = true
		}
		outdated = func(n *Node) bool { return set[n] }
	}
	if outdated(e.next.myself) {
		e.next.myself = e.Node(e.next.myself.ID)
	}
	var seen, latest *Node
	for c, owners := range e.next.owners {
		if owners == emptyChunk {
			continue
		}
		for i, n := range owners {
			if n != seen {
				if seen, latest = n, n; n != nil && outdated(n) {
					latest = e.Node(n.ID)
				}
			}
			if n != latest {
				e.claimChunk(c)
				e.next.owners[c][i] = latest
			}
		}
	}
}
