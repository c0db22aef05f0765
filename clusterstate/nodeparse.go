package clusterstate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parseNodeLine reads the words of one node's line.
func parseNodeLine(fields []string) (NodeLine, error) {
	var n NodeLine
	if len(fields) < 8 {
		return n, fmt.Errorf("expected at least 8 fields, found %d", len(fields))
	}
	n.ID = NodeID(fields[0])
	if !n.ID.Valid() {
		return n, fmt.Errorf("%q is not a node id", fields[0])
	}
	if err := n.parseAddress(fields[1]); err != nil {
		return n, err
	}
	if err := n.parseFlags(fields[2]); err != nil {
		return n, err
	}
	if fields[3] != "-" {
		n.Primary = NodeID(fields[3])
		if !n.Primary.Valid() || n.Primary == n.ID {
			return n, fmt.Errorf("%q is not the id of a primary", fields[3])
		}
	}
	var err error
	if n.PingSent, err = parseTime(fields[4]); err != nil {
		return n, fmt.Errorf("ping-sent: %w", err)
	}
	if n.PongReceived, err = parseTime(fields[5]); err != nil {
		return n, fmt.Errorf("pong-recv: %w", err)
	}
	if n.ConfigEpoch, err = strconv.ParseUint(fields[6], 10, 64); err != nil {
		return n, fmt.Errorf("config-epoch: expected a number, found %q", fields[6])
	}
	n.Connected = fields[7] == "connected"
	for _, f := range fields[8:] {
		if err := n.parseSlots(f); err != nil {
			return n, err
		}
	}
	sortOpen(n.Migrating)
	sortOpen(n.Importing)
	return n, n.check()
}

func (n *NodeLine) check() error {
	switch {
	case n.Has(LineReplica) && n.Has(LinePrimary):
		return errors.New("flagged both master and slave")
	case n.Has(LineHandshake):
		return errors.New("a node in handshake is never saved")
	case !n.Has(LineReplica) && n.Primary != "":
		return errors.New("a node that is not flagged slave names a primary")
	case !n.Has(LineMyself) && (n.Migrating != nil || n.Importing != nil):
		return errors.New("open slots stand on the line of another node than myself")
	}
	return nil
}

func parseTime(s string) (int64, error) {
	ms, err := strconv.ParseInt(s, 10, 64)
	if err != nil || ms < 0 {
		return 0, fmt.Errorf("expected a time in ms, found %q", s)
	}
	return ms, nil
}

// parseAddress reads ip:port@cport[,hostname[,aux=value]*].
func (n *NodeLine) parseAddress(s string) error {
	address, extra, hasExtra := strings.Cut(s, ",")
	colon := strings.LastIndexByte(address, ':')
	if colon < 0 {
		return fmt.Errorf("expected an address ip:port@cport, found %q", address)
	}
	n.IP = address[:colon]
	if len(n.IP) > 45 {
		return fmt.Errorf("%q is too long for an IP address", n.IP)
	}
	portText, busText, hasBus := strings.Cut(address[colon+1:], "@")
	port, err := parsePort(portText)
	if err != nil {
		return err
	}
	n.Port = port
	if !hasBus {
		if port > 65535-10000 {
			return fmt.Errorf("port %d leaves no room for the bus port, which is not given", port)
		}
		n.BusPort = port + 10000
	} else if n.BusPort, err = parsePort(busText); err != nil {
		return err
	}
	if !hasExtra {
		return nil
	}
	hostname, aux, hasAux := strings.Cut(extra, ",")
	if !ValidHostname(hostname) {
		return fmt.Errorf("%q is not a hostname", hostname)
	}
	n.Hostname = hostname
	for hasAux {
		var field string
		field, aux, hasAux = strings.Cut(aux, ",")
		if err := n.parseAux(field); err != nil {
			return err
		}
	}
	return nil
}

// ValidHostname tells whether a text can be announced as a hostname: letters,
// digits, hyphens and dots, 255 at most. Empty means none, and is valid.
func ValidHostname(s string) bool {
	if len(s) > 255 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

func parsePort(s string) (int, error) {
	port, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("expected a port, found %q", s)
	}
	return int(port), nil
}

// parseAux reads one auxiliary field. The port in the address is the plain one
// unless tcp-port says that it was the TLS port. Unlike an unknown variable,
// an unknown field may not be skipped: it would be lost at the next save.
func (n *NodeLine) parseAux(field string) error {
	name, value, ok := strings.Cut(field, "=")
	if !ok {
		return fmt.Errorf("expected name=value, found %q", field)
	}
	var err error
	switch name {
	case "shard-id":
		if !NodeID(value).Valid() {
			return fmt.Errorf("%q is not a shard id", value)
		}
		n.ShardID = value
	case "nodename":
		n.Nodename = value
	case "client-ipv4":
		n.ClientIPv4 = value
	case "client-ipv6":
		n.ClientIPv6 = value
	case "tls-port":
		n.TLSPort, err = parsePort(value)
	case "tcp-port":
		n.TLSPort = n.Port
		n.Port, err = parsePort(value)
	default:
		return fmt.Errorf("unknown auxiliary field %q", name)
	}
	return err
}

func (n *NodeLine) parseFlags(s string) error {
next:
	for name := range strings.SplitSeq(s, ",") {
		if name == "noflags" {
			continue
		}
		for _, f := range lineFlagNames {
			if f.name == name {
				n.Flags |= f.flag
				continue next
			}
		}
		return fmt.Errorf("unknown flag %q", name)
	}
	return nil
}

// parseSlots reads a slot, a range, or an open slot.
func (n *NodeLine) parseSlots(s string) error {
	if strings.HasPrefix(s, "[") {
		return n.parseOpen(s)
	}
	startText, endText, isRange := strings.Cut(s, "-")
	start, err := parseSlot(startText)
	if err != nil {
		return err
	}
	end := start
	if isRange {
		if end, err = parseSlot(endText); err != nil {
			return err
		}
	}
	if end < start {
		return fmt.Errorf("slot range %q runs backwards", s)
	}
	n.Slots = append(n.Slots, SlotRange{start, end})
	return nil
}

func (n *NodeLine) parseOpen(s string) error {
	inner, closed := strings.CutSuffix(s[1:], "]")
	list := &n.Migrating
	slotText, id, ok := strings.Cut(inner, "->-")
	if !ok {
		list = &n.Importing
		slotText, id, ok = strings.Cut(inner, "-<-")
	}
	if !closed || !ok {
		return fmt.Errorf("expected an open slot such as [1->-id], found %q", s)
	}
	slot, err := parseSlot(slotText)
	if err != nil {
		return err
	}
	if !NodeID(id).Valid() {
		return fmt.Errorf("open slot %d: %q is not a node id", slot, id)
	}
	for _, o := range *list {
		if o.Slot == slot {
			return fmt.Errorf("slot %d is open twice in one direction", slot)
		}
	}
	*list = append(*list, OpenSlot{slot, NodeID(id)})
	return nil
}

func parseSlot(s string) (uint16, error) {
	slot, err := strconv.ParseUint(s, 10, 16)
	if err != nil || slot >= Slots {
		return 0, fmt.Errorf("expected a slot, found %q", s)
	}
	return uint16(slot), nil
}
