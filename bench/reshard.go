//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"slotcast/clusterstate"
)

// reshard measures what a cluster client makes of slots that move under its
// load, with the push and without it: one program, run once in each mode and
// round, every time on a new cluster of three. While it reads and writes keys,
// slots go one after the other from the first node to the second, with their
// keys, as redis-cli moves them. What the servers were asked and had to refuse
// is counted by them, what the client's user has seen of it by the program.
type reshard struct {
	client loadClient
	slots  int
	timing timing
}

// loadClient is a program that puts load on a cluster (see program.go), and the
// modes to run it in.
type loadClient struct {
	Name    string   `json:"name"`
	Command []string `json:"command"`
	Resp    string   `json:"resp"` // the protocol that it is to speak
	Modes   []string `json:"modes"`
}

// modeNames are the modes in the words of the table.
var modeNames = map[string]string{"off": "push off", "on": "push on", "smigrated": "SMIGRATED"}

// reshardKeys is how many keys there are; the programs know their names.
const reshardKeys = 10_000

const (
	keyMoved       = "moved"
	keyAsk         = "ask"
	keyOtherErrors = "other_error_replies"
	keySlots       = "cluster_slots"
	keyShards      = "cluster_shards"
	keyNodes       = "cluster_nodes"
	keyErrors      = "client_errors"
	keyOperations  = "operations"
	keyLatency     = "latency_us_"
	keyMoves       = "moves_ms"
)

func (m *reshard) title() string {
	return fmt.Sprintf("reshard, %s: %s of 16384 move one by one, %d keys", m.client.Name, counted(m.slots, "slot"), reshardKeys)
}

func (m *reshard) settings() any {
	return struct {
		Kind   string        `json:"kind"`
		Client loadClient    `json:"client"`
		Slots  int           `json:"slots"`
		Keys   int           `json:"keys"`
		Around time.Duration `json:"load_before_and_after_ns"`
	}{"reshard", m.client, m.slots, reshardKeys, m.timing.Warmup}
}

// clients is generous: a library's pool may have many connections for a core.
func (m *reshard) clients() int { return 2000 }

func (m *reshard) suits(c *contender) bool {
	return c.knows(mustKind("slots")) && c.Attach == ""
}

// inMemory is where a node's folder costs no disk. For each slot that moves every
// node saves its cluster file, some more than once, and waits for the disk: that,
// and who else writes to it, would set the pace of the moves.
const inMemory = "/dev/shm"

// inMemoryIfThere is empty, for the usual place, where there is no such folder.
func inMemoryIfThere() string {
	if _, err := os.Stat(inMemory); err != nil {
		return ""
	}
	return inMemory
}

// variants are the columns of the table: slotcast once in each mode, the first
// of which the others are compared with. The nodes start empty.
func (m *reshard) variants(contenders []*contender) []*contender {
	var list []*contender
	base := inMemoryIfThere()
	for _, c := range contenders {
		if !m.suits(c) {
			continue
		}
		for _, mode := range m.client.Modes {
			v := &contender{Name: modeNames[mode], mode: mode, base: base, Command: append(slices.Clone(c.Command), "--cluster-enabled", "yes")}
			if c.Name != slotcastName {
				v.Name = c.Name + " " + v.Name
			}
			list = append(list, v)
		}
	}
	return list
}

func (m *reshard) figures() []figure {
	list := []figure{
		{Key: keyMoved, Label: "MOVED given"},
		{Key: keyAsk, Label: "ASK given"},
		{Key: keyOtherErrors, Label: "other errors given", noRatio: true},
		{Key: keySlots, Label: "CLUSTER SLOTS asked"},
		{Key: keyShards, Label: "CLUSTER SHARDS asked", noRatio: true},
		{Key: keyNodes, Label: "CLUSTER NODES asked", noRatio: true},
		{Key: keyErrors, Label: "errors that the client saw", noRatio: true},
		{Key: keyOperations, Label: "operations"},
	}
	for _, q := range clientQuantiles {
		list = append(list, figure{Key: keyLatency + q, Label: "latency " + q + ", µs"})
	}
	return append(list,
		figure{Key: keyMoves, Label: "the moves took, ms"},
		figure{Key: keyOtherCores, Label: "cores: all but one node and this program", decimals: 2, noRatio: true})
}

// clientQuantiles are the latencies that the programs tell.
var clientQuantiles = []string{"p50", "p99", "max"}

func (m *reshard) measure(ctx context.Context, in *instance) (values, error) {
	share := func(i int) (from, to int) {
		return i * clusterstate.Slots / clusterSize, (i+1)*clusterstate.Slots/clusterSize - 1
	}
	all, end, err := formCluster(ctx, in, in.contender, m.clients(), share)
	defer end()
	if err != nil {
		return nil, err
	}
	if err := fill(all, share); err != nil {
		return nil, err
	}
	p, err := startProgram(ctx, m.client.Command, "load", fmt.Sprintf("%s:%d", in.host, in.port), m.client.Resp, "cluster", in.contender.mode)
	if err != nil {
		return nil, err
	}
	defer p.kill()
	if err := p.awaitLine(ctx, "loading"); err != nil {
		return nil, err
	}
	if err := p.runFor(ctx, m.timing.Warmup); err != nil {
		return nil, err
	}
	before, err := countRedirects(all)
	if err != nil {
		return nil, err
	}
	busy, started := readBusyTime(in.pid), now()
	for slot := range m.slots {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := migrateSlot(strconv.Itoa(slot), all[0], all[1]); err != nil {
			return nil, fmt.Errorf("slot %d: %w", slot, err)
		}
	}
	took := now() - started
	_, _, others := busy.cores(readBusyTime(in.pid), in.pid)
	// A client finds out about a slot when it next wants a key of it.
	if err := p.runFor(ctx, m.timing.Warmup); err != nil {
		return nil, err
	}
	after, err := countRedirects(all)
	if err != nil {
		return nil, err
	}
	out := after.since(before)
	out[keyMoves], out[keyOtherCores] = float64(took)/1e6, others
	told, err := p.finish(ctx)
	if err != nil {
		return nil, err
	}
	for from, key := range map[string]string{"operations": keyOperations, "errors": keyErrors} {
		out[key] = told[from]
	}
	for _, q := range clientQuantiles {
		out[keyLatency+q] = told[q]
	}
	if told["errors"] > 0 {
		fmt.Fprintf(stderr, "  %s, %s: %.0f errors\n%s\n", m.client.Name, in.contender.Name, told["errors"], p.complaints())
	}
	return out, nil
}

// fill sets every key on its node.
func fill(all []*member, share func(i int) (from, to int)) error {
	for i, n := range all {
		from, to := share(i)
		var commands []byte
		count := 0
		for k := range reshardKeys {
			key := "load:" + strconv.Itoa(k)
			if slot := int(clusterstate.KeySlot([]byte(key))); from <= slot && slot <= to {
				commands = appendCommand(commands, "SET", key, strconv.Itoa(k))
				count++
			}
		}
		// The replies are short, so the server never waits for their reader
		// while this one waits to write.
		if _, err := ask(n.fd, commands, count); err != nil {
			return fmt.Errorf("filling: %w", err)
		}
	}
	return nil
}

// migrateSlot moves a slot with its keys, as redis-cli does.
func migrateSlot(slot string, source, target *member) error {
	if _, err := target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id); err != nil {
		return err
	}
	if _, err := source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id); err != nil {
		return err
	}
	migrate := []string{"MIGRATE", target.host, strconv.Itoa(target.port), "", "0", "10000", "KEYS"}
	for {
		keys, err := source.list("CLUSTER", "GETKEYSINSLOT", slot, "100")
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			break
		}
		if _, err := source.ask(append(migrate[:len(migrate):len(migrate)], keys...)...); err != nil {
			return err
		}
	}
	for _, n := range []*member{target, source} {
		if _, err := n.ask("CLUSTER", "SETSLOT", slot, "NODE", target.id); err != nil {
			return err
		}
	}
	return nil
}
