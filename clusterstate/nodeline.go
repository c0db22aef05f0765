package clusterstate

import (
	"slices"
	"strconv"
)

// LineFlags are the flags of a line of nodes.conf and of CLUSTER NODES.
type LineFlags uint16

const (
	LineMyself LineFlags = 1 << iota
	LinePrimary
	LineReplica
	LinePFail
	LineFail
	LineHandshake
	LineNoAddr
	LineNoFailover
)

// lineFlagNames are in the order in which they are printed.
var lineFlagNames = []struct {
	flag LineFlags
	name string
}{
	{LineMyself, "myself"},
	{LinePrimary, "master"},
	{LineReplica, "slave"},
	{LinePFail, "fail?"},
	{LineFail, "fail"},
	{LineHandshake, "handshake"},
	{LineNoAddr, "noaddr"},
	{LineNoFailover, "nofailover"},
}

// NodeLine is one node as nodes.conf keeps it and CLUSTER NODES prints it.
type NodeLine struct {
	ID       NodeID
	IP       string
	Hostname string

	// Port is the plain client port, TLSPort the one of TLS clients, 0 if
	// there is none; BusPort is that of the cluster bus.
	Port, TLSPort, BusPort int

	// What only the file keeps, since Redis 7.2.
	ShardID                string
	Nodename               string
	ClientIPv4, ClientIPv6 string

	Flags   LineFlags
	Primary NodeID // of a replica, empty if none is known

	// PingSent and PongReceived are unix times in ms, 0 for none.
	PingSent, PongReceived int64

	ConfigEpoch uint64
	Connected   bool
	Slots       []SlotRange

	// The open slots stand on this node's own line only.
	Migrating, Importing []OpenSlot
}

// Has tells whether any of the flags is set.
func (n *NodeLine) Has(flags LineFlags) bool { return n.Flags&flags != 0 }

// AppendClient appends the line as CLUSTER NODES prints it to a client of the
// variant, without the line's end.
func (n *NodeLine) AppendClient(b []byte, va Variant) []byte {
	node := Node{Port: n.Port, TLSPort: n.TLSPort}
	b = n.appendAddress(b, node.ClientPort(va))
	if n.Hostname != "" {
		b = append(b, ',')
		b = append(b, n.Hostname...)
	}
	return n.appendRest(b)
}

// AppendFile appends the line as nodes.conf keeps it, without the line's end.
// The address has the plain port, and the TLS port stands among the auxiliary
// fields; a node with a TLS port alone has it the other way round.
func (n *NodeLine) AppendFile(b []byte) []byte {
	port, aux, other := n.Port, ",tls-port=", n.TLSPort
	if n.Port == 0 && n.TLSPort != 0 {
		port, aux, other = n.TLSPort, ",tcp-port=", n.Port
	}
	b = n.appendAddress(b, port)
	b = append(b, ',')
	b = append(b, n.Hostname...)
	b = appendAux(b, ",client-ipv6=", n.ClientIPv6)
	b = appendAux(b, ",client-ipv4=", n.ClientIPv4)
	b = append(b, aux...)
	b = strconv.AppendInt(b, int64(other), 10)
	b = appendAux(b, ",nodename=", n.Nodename)
	b = appendAux(b, ",shard-id=", n.ShardID)
	return n.appendRest(b)
}

func appendAux(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, name...)
	return append(b, value...)
}

func (n *NodeLine) appendAddress(b []byte, port int) []byte {
	b = append(b, n.ID...)
	b = append(b, ' ')
	b = append(b, n.IP...)
	b = append(b, ':')
	b = strconv.AppendInt(b, int64(port), 10)
	b = append(b, '@')
	return strconv.AppendInt(b, int64(n.BusPort), 10)
}

func (n *NodeLine) appendRest(b []byte) []byte {
	b = append(b, ' ')
	b = appendFlags(b, n.Flags)
	b = append(b, ' ')
	if n.Primary != "" {
		b = append(b, n.Primary...)
	} else {
		b = append(b, '-')
	}
	for _, ms := range [...]int64{n.PingSent, n.PongReceived} {
		b = append(b, ' ')
		b = strconv.AppendInt(b, ms, 10)
	}
	b = append(b, ' ')
	b = strconv.AppendUint(b, n.ConfigEpoch, 10)
	if n.Connected {
		b = append(b, " connected"...)
	} else {
		b = append(b, " disconnected"...)
	}
	for _, r := range n.Slots {
		b = append(b, ' ')
		b = strconv.AppendUint(b, uint64(r.Start), 10)
		if r.End != r.Start {
			b = append(b, '-')
			b = strconv.AppendUint(b, uint64(r.End), 10)
		}
	}
	return n.appendOpen(b)
}

func appendFlags(b []byte, flags LineFlags) []byte {
	start := len(b)
	for _, f := range lineFlagNames {
		if flags&f.flag == 0 {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(b, f.name...)
	}
	if len(b) == start {
		b = append(b, "noflags"...)
	}
	return b
}

// appendOpen appends the open slots in ascending order. A slot that is open
// both ways is printed as migrating alone.
func (n *NodeLine) appendOpen(b []byte) []byte {
	mig, imp := n.Migrating, n.Importing
	for len(mig) > 0 || len(imp) > 0 {
		if len(imp) == 0 || len(mig) > 0 && mig[0].Slot <= imp[0].Slot {
			if len(imp) > 0 && mig[0].Slot == imp[0].Slot {
				imp = imp[1:]
			}
			b = appendOpenSlot(b, mig[0], "->-")
			mig = mig[1:]
			continue
		}
		b = appendOpenSlot(b, imp[0], "-<-")
		imp = imp[1:]
	}
	return b
}

func appendOpenSlot(b []byte, o OpenSlot, arrow string) []byte {
	b = append(b, " ["...)
	b = strconv.AppendUint(b, uint64(o.Slot), 10)
	b = append(b, arrow...)
	b = append(b, o.Node...)
	return append(b, ']')
}

// sortOpen brings open slots into the order in which they are printed.
func sortOpen(list []OpenSlot) {
	slices.SortFunc(list, func(a, b OpenSlot) int { return int(a.Slot) - int(b.Slot) })
}
