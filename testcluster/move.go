package testcluster

import (
	"fmt"
	"net"
	"strconv"
)

// MoveSlot moves a slot, with its keys, to a node, as redis-cli --cluster
// reshard does: the slot is opened on both nodes, the keys go by MIGRATE while
// clients are answered ASK, and the new owner closes it. When it returns, all
// nodes that the new owner reaches show it. Nothing happens if the node owns the
// slot.
func (c *Cluster) MoveSlot(slot int, to *Node) {
	c.tb.Helper()
	c.MoveSlots(slot, slot, to)
}

// MoveSlots moves the slots from first to last to a node, one after the other.
func (c *Cluster) MoveSlots(first, last int, to *Node) {
	c.tb.Helper()
	c.check(first)
	c.check(last)
	m := mover{to: to, conns: make(map[*Node]*conn)}
	defer m.close()
	for slot := first; slot <= last; slot++ {
		from := c.Owner(slot)
		if from == to {
			continue
		}
		if from == nil {
			c.tb.Fatalf("testcluster: nobody owns slot %d", slot)
		}
		if err := m.move(strconv.Itoa(slot), from); err != nil {
			c.tb.Fatalf("testcluster: moving slot %d from %s to %s: %v", slot, from, to, err)
		}
	}
	c.await(fmt.Sprintf("the slots %d to %d at %s", first, last, to), func() (amiss string) {
		for _, n := range c.nodes {
			v := n.view()
			if v == nil || c.network.isCut(n.number, to.number) {
				continue
			}
			for slot := first; slot <= last; slot++ {
				if o := v.Owner(uint16(slot)); o == nil || string(o.ID) != to.id {
					return fmt.Sprintf("%s does not show it of slot %d", n, slot)
				}
			}
		}
		return ""
	})
}

// mover moves slots to a node.
type mover struct {
	to    *Node
	conns map[*Node]*conn
}

func (m *mover) close() {
	for _, c := range m.conns {
		c.close()
	}
}

// do gives a node a command.
func (m *mover) do(n *Node, args ...string) (any, error) {
	c := m.conns[n]
	if c == nil {
		var err error
		if c, err = n.dial(); err != nil {
			return nil, err
		}
		m.conns[n] = c
	}
	reply, err := c.do(args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %q: %w", n, args, err)
	}
	return reply, nil
}

func (m *mover) move(slot string, from *Node) error {
	if _, err := m.do(m.to, "CLUSTER", "SETSLOT", slot, "IMPORTING", from.id); err != nil {
		return err
	}
	if _, err := m.do(from, "CLUSTER", "SETSLOT", slot, "MIGRATING", m.to.id); err != nil {
		return err
	}
	if err := m.moveKeys(slot, from); err != nil {
		return err
	}
	// The new owner first: as long as it does not own the slot, the old one must
	// not send it clients that come without ASKING.
	for _, n := range []*Node{m.to, from} {
		if _, err := m.do(n, "CLUSTER", "SETSLOT", slot, "NODE", m.to.id); err != nil {
			return err
		}
	}
	return nil
}

func (m *mover) moveKeys(slot string, from *Node) error {
	const atOnce = "100"
	host, port, err := net.SplitHostPort(m.to.addr)
	if err != nil {
		return err
	}
	migrate := []string{"MIGRATE", host, port, "", "0", strconv.FormatInt(m.to.cluster.patience.Milliseconds(), 10)}
	if password := m.to.cluster.password; password != "" {
		migrate = append(migrate, "AUTH", password)
	}
	migrate = append(migrate, "KEYS")
	for {
		reply, err := m.do(from, "CLUSTER", "GETKEYSINSLOT", slot, atOnce)
		if err != nil {
			return err
		}
		keys, _ := reply.([]any)
		if len(keys) == 0 {
			return nil
		}
		words := migrate[:len(migrate):len(migrate)]
		for _, k := range keys {
			words = append(words, k.(string))
		}
		if _, err := m.do(from, words...); err != nil {
			return err
		}
	}
}
