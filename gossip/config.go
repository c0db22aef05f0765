package gossip

import (
	"time"

	"slotcast/clusterstate"
)

// busPortOffset is what is added to the client port where no bus port is given.
const busPortOffset = 10000

// Config is what the configuration says of this node, in the words of its
// directives. A port or text that is not set is 0 or empty.
type Config struct {
	Port    int // port
	TLSPort int // tls-port
	BusPort int // cluster-port; 0 is Port + 10000

	AnnounceIP       string // cluster-announce-ip
	AnnouncePort     int    // cluster-announce-port
	AnnounceTLSPort  int    // cluster-announce-tls-port
	AnnounceBusPort  int    // cluster-announce-bus-port
	AnnounceHostname string // cluster-announce-hostname; a valid hostname
	AnnounceNodename string // cluster-announce-human-nodename; for the logs of peers

	PreferredEndpoint clusterstate.Endpoint // cluster-preferred-endpoint-type

	NodeTimeout              time.Duration // cluster-node-timeout
	RequireFullCoverage      bool          // cluster-require-full-coverage
	AllowReadsWhenDown       bool          // cluster-allow-reads-when-down
	AllowPubSubShardWhenDown bool          // cluster-allow-pubsubshard-when-down

	// OwnAll lets a fresh node own every slot, at config epoch 0: a cluster
	// of one. It means nothing to a node that has a nodes.conf.
	OwnAll bool

	// Formed tells that the nodes.conf was made for a cluster that begins now:
	// nobody can have changed the map while this node was down.
	Formed bool
}

func (c *Config) viewSettings() clusterstate.Settings {
	return clusterstate.Settings{
		Endpoint:                 c.PreferredEndpoint,
		AllowReadsWhenDown:       c.AllowReadsWhenDown,
		AllowPubSubShardWhenDown: c.AllowPubSubShardWhenDown,
	}
}

// announced returns this node with the addresses that it announces now.
func (n *Node) announced(me clusterstate.Node) clusterstate.Node {
	first := func(ports ...int) int {
		for _, p := range ports {
			if p != 0 {
				return p
			}
		}
		return 0
	}
	c := &n.cfg
	me.IP = c.AnnounceIP
	if me.IP == "" {
		me.IP = n.learned
	}
	me.Hostname = c.AnnounceHostname
	me.Port = first(c.AnnouncePort, c.Port)
	me.TLSPort = first(c.AnnounceTLSPort, c.TLSPort)
	me.BusPort = first(c.AnnounceBusPort, c.BusPort)
	if me.BusPort == 0 {
		me.BusPort = first(c.Port, c.TLSPort) + busPortOffset
	}
	return me
}

// Configure puts a new configuration in force, as CONFIG SET does.
type Configure struct{ Config }

func (c Configure) apply(n *Node, t *turn) error {
	n.cfg = c.Config
	t.edit.SetSettings(n.cfg.viewSettings())
	t.news = true // full coverage may be asked for, or not any more
	n.announce(t)
	return nil
}

// LearnAddress tells the node its own address, as found out without being
// configured: what bind names if that is one concrete address. An announced
// address goes before it.
type LearnAddress struct{ IP string }

func (l LearnAddress) apply(n *Node, t *turn) error {
	n.learned = l.IP
	n.announce(t)
	return nil
}

// announce brings what this node announces of itself up to date, and tells the
// others. Losing it in a crash does no harm, it is found out again, so the save
// need not be synced.
func (n *Node) announce(t *turn) {
	was := t.edit.Node(n.myself().ID)
	t.edit.SetNode(n.announced(*was))
	p := n.table.peer(was.ID)
	if t.edit.Node(was.ID) != was || p.nodename != n.cfg.AnnounceNodename {
		n.table.alter(p.id).nodename = n.cfg.AnnounceNodename
		t.mustSave()
		t.broadcastPong()
	}
}
