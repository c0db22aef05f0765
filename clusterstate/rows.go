package clusterstate

// Variant is what two clients of one node can differ in when they are told of
// the map.
type Variant struct {
	// TLS is set for a client that is connected to the TLS port: it is told
	// TLS ports.
	TLS bool
}

// Row is one row of CLUSTER SLOTS, of a push or of a snapshot.
type Row struct {
	Start, End uint16

	// Primary is nil in a row of two elements: the slots belong to nobody.
	Primary *Node

	// Replicas are the replicas a client may be sent to, in the order of
	// their ids. They are to be written as NodeEntry gives them.
	Replicas []*Node
}

// Rows returns the rows of CLUSTER SLOTS: the assigned ranges in ascending
// order. A primary is listed even if it failed, a replica only if it did not
// and holds data.
func (v *View) Rows() []Row {
	ranges := v.OwnedRanges()
	rows := make([]Row, len(ranges))
	for i, r := range ranges {
		rows[i] = Row{r.Start, r.End, r.Owner, r.Owner.listed}
	}
	return rows
}

// MetaConfigEpoch is the metadata key of the primary's config epoch, which
// pushed and snapshot rows have beyond those of CLUSTER SLOTS. It is the last
// pair, with the epoch's decimal text.
const MetaConfigEpoch = "config-epoch"

// unknownHost is what Redis tells clients of a host that it does not know,
// where an empty text or a null would mean the host they are connected to.
const unknownHost = "?"

// Entry is one node of a row: endpoint, port, id and metadata, as they are to
// be written.
type Entry struct {
	Endpoint string // not meant if Null
	Null     bool   // the endpoint is a null
	Port     int
	ID       NodeID

	meta  [2][2]string
	pairs int
}

// Meta returns the metadata as pairs of key and value, in order.
func (e *Entry) Meta() [][2]string { return e.meta[:e.pairs] }

// Known tells whether the endpoint names the node, instead of the one that the
// client is connected to, or none.
func (e *Entry) Known() bool { return !e.Null && e.Endpoint != unknownHost }

func (e *Entry) addMeta(key, value string) {
	e.meta[e.pairs] = [2]string{key, value}
	e.pairs++
}

// NodeEntry returns how a row shows the node to a client of the variant.
//
// The endpoint is never empty. This node's own unknown address is a null: the
// client has an address of this node, the one it is connected to. A peer of
// which no address was ever known is "?".
func (v *View) NodeEntry(n *Node, va Variant) Entry {
	e := Entry{Port: n.ClientPort(va), ID: n.ID}
	switch v.settings.Endpoint {
	case EndpointHostname:
		e.Endpoint = orUnknown(n.Hostname)
		e.addMeta("ip", n.IP)
	case EndpointUnknown:
		e.Null = true
		e.addMeta("ip", n.IP)
		if n.Hostname != "" {
			e.addMeta("hostname", n.Hostname)
		}
	default:
		e.Null = n.IP == "" && v.isMyself(n)
		if !e.Null {
			e.Endpoint = orUnknown(n.IP)
		}
		if n.Hostname != "" {
			e.addMeta("hostname", n.Hostname)
		}
	}
	return e
}

func (v *View) isMyself(n *Node) bool { return n.ID == v.myself.ID }

func orUnknown(host string) string {
	if host == "" {
		return unknownHost
	}
	return host
}
