//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	"slotcast/clusterstate"
)

// slotReplies measures replies to CLUSTER SLOTS where they are longest: of a
// map in which no slot has its neighbour's owner. Each connection asks again
// when it has the whole reply.
type slotReplies struct {
	connections int
	timing      timing
	profile     *profiler
	// reply is the first one that any server gave, with its own port masked:
	// all must give the same.
	reply []byte
}

// mapOwners is how many nodes share the fragmented map.
const mapOwners = 3

const (
	keyReplies     = "replies_per_second"
	keyReplyCPU    = "server_cpu_us_per_reply"
	keyReplyBytes  = "bytes_per_reply"
	keyReplyVolume = "gigabytes_per_second"
	keyReplyTime   = "reply_us_"
)

func (m *slotReplies) title() string {
	return fmt.Sprintf("CLUSTER SLOTS of %d ranges of one slot, %s, depth 1", clusterstate.Slots, counted(m.connections, "connection"))
}

func (m *slotReplies) settings() any {
	return struct {
		Kind        string  `json:"kind"`
		Ranges      int     `json:"ranges"`
		Connections int     `json:"connections"`
		Warmup      float64 `json:"warmup_seconds"`
		Duration    float64 `json:"duration_seconds"`
	}{"slots", clusterstate.Slots, m.connections, m.timing.Warmup.Seconds(), m.timing.Duration.Seconds()}
}

func (m *slotReplies) clients() int            { return m.connections + spareClients }
func (m *slotReplies) suits(c *contender) bool { return c.Attach == "" }

// variants are the servers as nodes of a cluster, those to compare with first.
func (m *slotReplies) variants(contenders []*contender) []*contender {
	nodes := []knownNode{{id: knownID(0), epoch: 1}, {id: knownID(1), port: 20001, epoch: 2}, {id: knownID(2), port: 20002, epoch: 3}}
	var list []*contender
	for _, c := range referencesFirst(contenders) {
		if m.suits(c) {
			list = append(list, inCluster(c, nodesConf(nodes, mapOwners)))
		}
	}
	return list
}

// referencesFirst is the list with the servers that slotcast is compared with
// before it.
func referencesFirst(contenders []*contender) []*contender {
	list := slices.Clone(contenders)
	slices.SortStableFunc(list, func(a, b *contender) int {
		switch pushes := mustKind("slots"); {
		case a.knows(pushes) == b.knows(pushes):
			return 0
		case b.knows(pushes):
			return -1
		}
		return 1
	})
	return list
}

func (m *slotReplies) figures() []figure {
	list := []figure{
		{Key: keyReplies, Label: "replies/s", decimals: 1},
		{Key: keyReplyCPU, Label: "server CPU µs/reply"},
		{Key: keyReplyBytes, Label: "bytes/reply"},
		{Key: keyReplyVolume, Label: "GB/s", decimals: 2},
	}
	for _, q := range quantiles {
		list = append(list, figure{Key: keyReplyTime + q.key, Label: fmt.Sprintf("command to whole reply %s, µs", q.label)})
	}
	return append(list,
		figure{Key: keyServerCores, Label: "cores: server", decimals: 2},
		figure{Key: keyOwnCores, Label: "cores: load generator", decimals: 2, noRatio: true},
		figure{Key: keyOtherCores, Label: "cores: others on the machine", decimals: 2, noRatio: true},
	)
}

func (m *slotReplies) measure(ctx context.Context, in *instance) (values, error) {
	a, err := openAskers(in, m.connections)
	defer a.close()
	if err != nil {
		return nil, err
	}
	if err := m.check(in, a.reply); err != nil {
		return nil, err
	}
	var running sync.WaitGroup
	failed := make(chan error, 1)
	running.Go(func() { failed <- a.run() }) // ends with a.ended
	defer running.Wait()
	defer a.ended.Store(true)
	if err := waitOr(ctx, m.timing.Warmup, failed); err != nil {
		return nil, err
	}
	stopProfile, err := m.profile.start(in, m.timing.Duration)
	if err != nil {
		return nil, err
	}
	before, repliesBefore := readBusyTime(in.pid), a.replies.Load()
	a.timing.Store(true)
	if err := waitOr(ctx, m.timing.Duration, failed); err != nil {
		return nil, err
	}
	after, replies := readBusyTime(in.pid), float64(a.replies.Load()-repliesBefore)
	a.ended.Store(true)
	running.Wait()
	if err := stopProfile(); err != nil {
		return nil, err
	}

	out := values{keyReplyBytes: float64(len(a.reply))}
	out[keyReplies] = replies / after.at.Sub(before.at).Seconds()
	out[keyReplyVolume] = out[keyReplies] * float64(len(a.reply)) / 1e9
	if in.pid != 0 {
		out[keyReplyCPU] = float64((after.server - before.server).Microseconds()) / replies
	}
	for _, q := range quantiles {
		out[keyReplyTime+q.key] = a.times.quantile(q.q) / 1000
	}
	out[keyServerCores], out[keyOwnCores], out[keyOtherCores] = before.cores(after, in.pid)
	return out, nil
}

// check holds a server's reply against that of the first server.
func (m *slotReplies) check(in *instance, reply []byte) error {
	// Behind the address, for a slot may have the same number. Each freePort has
	// five digits.
	const address = "127.0.0.1\r\n:"
	masked := bytes.ReplaceAll(reply, fmt.Appendf(nil, "%s%d\r\n", address, in.port), []byte(address+"00000\r\n"))
	if m.reply == nil {
		m.reply = masked
	}
	if !bytes.Equal(masked, m.reply) {
		return fmt.Errorf("a reply to CLUSTER SLOTS of %d bytes, begins %.120q; another server's has %d and begins %.120q",
			len(reply), masked, len(m.reply), m.reply)
	}
	return nil
}
