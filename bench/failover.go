//go:build linux

package main

import (
	"fmt"
	"strconv"
	"strings"

	"slotcast/clusterstate"
)

// shardFailover measures how long all subscribers wait for the rows of a
// failover: a shard whose slots have no neighbours of its own passes to its
// replica, which claims them in one PING on the cluster bus. Whether the bus
// goes on answering meanwhile is measured by another node's pings.
//
// What it is compared with is messages of the same lengths, as many, that a
// publisher sends in one pipeline to an ordinary channel.
type shardFailover struct {
	subscribers int
	resp        string
	slots       int // that pass, of those that the shard has
	readers     int
	timing      timing
	profile     *profiler
	nodes       []knownNode
}

// The nodes of the failover, by number: the server, the primary that is gone,
// another primary that pings, and the replica that claims.
const (
	failedNode    = 1
	watchingNode  = 2
	successorNode = 3
	failoverNodes = 4

	// shardSlots is how many slots the failed shard has.
	shardSlots = clusterstate.Slots / mapOwners
)

// ordinaryChannel is as long as slotsChannel, which only the server may
// publish to.
const ordinaryChannel = "bench:as-long-as:"

// Modes of a contender.
const (
	modeFailover = "failover"
	modePublish  = "publish"
)

const (
	keyWhole     = "seconds_to_last_subscriber"
	keyFirst     = "milliseconds_to_first_bytes"
	keyEach      = "milliseconds_to_last_row_"
	keyVolume    = "bytes_per_subscriber"
	keySpeed     = "gigabytes_per_second"
	keyPongs     = "pongs"
	keyPongIdle  = "longest_pong_before_ms"
	keyPongBusy  = "longest_pong_meanwhile_ms"
	keyPongUsual = "pong_p50_meanwhile_ms"

	keyPongsIdle     = "pongs_before"
	keyPongIdleUsual = "pong_p50_before_ms"

	keyPeak = "peak_resident_megabytes"
)

func newShardFailover(subscribers int, resp string, o *options) (*shardFailover, error) {
	m := &shardFailover{
		subscribers: subscribers, resp: resp, slots: shardSlots, readers: o.readers, timing: o.timing, profile: o.profile,
		nodes: []knownNode{{id: knownID(0), epoch: 1}},
	}
	for i := 1; i < failoverNodes; i++ {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		n := knownNode{id: knownID(i), port: port, epoch: i + 1}
		if i == successorNode {
			n.primary, n.epoch = knownID(failedNode), failedNode+1 // a replica has its primary's
		}
		m.nodes = append(m.nodes, n)
	}
	return m, nil
}

func (o *options) failovers() ([]measurement, error) {
	var list []measurement
	for _, resp := range o.resp {
		for _, n := range o.subscribers {
			m, err := newShardFailover(n, resp, o)
			if err != nil {
				return nil, err
			}
			list = append(list, m)
		}
	}
	return list, nil
}

func (m *shardFailover) title() string {
	return fmt.Sprintf("failover of a shard of %d scattered slots, %d subscribers (RESP%s)", m.slots, m.subscribers, m.resp)
}

func (m *shardFailover) settings() any {
	return struct {
		Kind        string `json:"kind"`
		Slots       int    `json:"slots"`
		Subscribers int    `json:"subscribers"`
		RESP        string `json:"resp"`
		Readers     int    `json:"reader_threads"`
	}{"failover", m.slots, m.subscribers, m.resp, m.readers}
}

func (m *shardFailover) clients() int            { return m.subscribers + spareClients }
func (m *shardFailover) suits(c *contender) bool { return c.Attach == "" }

// variants are PUBLISH on every server, those to compare with first, and the
// failover where there is one.
func (m *shardFailover) variants(contenders []*contender) []*contender {
	var list []*contender
	for _, c := range referencesFirst(contenders) {
		if !m.suits(c) {
			continue
		}
		publish := *c
		publish.mode = modePublish
		publish.Name += ", PUBLISH"
		list = append(list, &publish)
		if c.knows(mustKind("slots")) {
			failover := inCluster(c, nodesConf(m.nodes, mapOwners))
			failover.mode = modeFailover
			failover.Name += ", failover"
			list = append(list, failover)
		}
	}
	return list
}

func (m *shardFailover) figures() []figure {
	list := []figure{
		{Key: keyWhole, Label: "seconds until the last subscriber has all", decimals: 3},
		{Key: keyFirst, Label: "ms until the first has something", decimals: 2},
	}
	for _, q := range quantiles {
		list = append(list, figure{Key: keyEach + q.key, Label: fmt.Sprintf("ms until a subscriber has all, %s", q.label)})
	}
	return append(list,
		figure{Key: keyDeliveries, Label: "deliveries/s"},
		figure{Key: keySpeed, Label: "GB/s", decimals: 2},
		figure{Key: keyServerCPU, Label: "server CPU µs/delivery", decimals: 3},
		figure{Key: keyVolume, Label: "bytes/subscriber"},
		figure{Key: keyPeak, Label: "server's peak memory, MB"},
		figure{Key: keyPongs, Label: "PONGs meanwhile", noRatio: true},
		figure{Key: keyPongUsual, Label: "PING to PONG meanwhile p50, ms", decimals: 2, noRatio: true},
		figure{Key: keyPongBusy, Label: "longest PING to PONG meanwhile, ms", decimals: 2, noRatio: true},
		figure{Key: keyPongIdleUsual, Label: "PING to PONG before p50, ms", decimals: 2, noRatio: true},
		figure{Key: keyPongIdle, Label: "longest PING to PONG before, ms", decimals: 2, noRatio: true},
		figure{Key: keyLost, Label: "lost deliveries", noRatio: true},
		figure{Key: keyClosed, Label: "closed subscribers", noRatio: true},
		figure{Key: keyServerCores, Label: "cores: server", decimals: 2},
		figure{Key: keyOwnCores, Label: "cores: load generator", decimals: 2, noRatio: true},
		figure{Key: keyOtherCores, Label: "cores: others on the machine", decimals: 2, noRatio: true},
	)
}

// successor is the claimant, with an epoch above all others.
func (m *shardFailover) successor() knownNode {
	n := m.nodes[successorNode]
	n.primary, n.epoch = "", len(m.nodes)+1
	return n
}

// slot is the number of a slot that passes.
func (m *shardFailover) slot(i int) int { return failedNode + mapOwners*i }

// rows are the payloads that tell of the failover.
func (m *shardFailover) rows(resp int) [][]byte {
	n := m.successor()
	list := make([][]byte, m.slots)
	for i := range list {
		b := fmt.Appendf(nil, "*3\r\n:%d\r\n:%d\r\n*4\r\n", m.slot(i), m.slot(i))
		b = appendBulk(b, "127.0.0.1")
		b = fmt.Appendf(b, ":%d\r\n", n.port)
		b = appendBulk(b, n.id)
		meta := "*2\r\n"
		if resp == 3 {
			meta = "%1\r\n"
		}
		b = appendBulk(append(b, meta...), clusterstate.MetaConfigEpoch)
		list[i] = appendBulk(b, strconv.Itoa(n.epoch))
	}
	return list
}

// texts are payloads of one string, each as long as a row.
func (m *shardFailover) texts() (payloads []string) {
	for _, row := range m.rows(2) {
		n := len(row)
		for n > 0 && len(appendBulk(nil, strings.Repeat("x", n))) > len(row) {
			n--
		}
		payloads = append(payloads, strings.Repeat("x", n))
	}
	return payloads
}

// kind is what subscribers of a mode listen to.
func (m *shardFailover) kind(mode string) channelKind {
	if mode == modeFailover {
		return mustKind("slots")
	}
	return channelKind{name: "channel", listeners: []listener{{subscribe: "SUBSCRIBE", name: ordinaryChannel, message: "message"}}}
}

// payloads are what subscribers of a mode get after the header.
func (m *shardFailover) payloads(mode string, resp int) [][]byte {
	if mode == modeFailover {
		return m.rows(resp)
	}
	var list [][]byte
	for _, text := range m.texts() {
		list = append(list, appendBulk(nil, text))
	}
	return list
}
