//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// clusterSize is how many nodes the clusters of the measurements have.
const clusterSize = 3

// member is a node of a cluster with a connection for commands.
type member struct {
	*instance
	fd int
	id string
}

// ask gives a command and returns the reply, of a bulk string its content.
func (n *member) ask(words ...string) (string, error) {
	replies, err := ask(n.fd, appendCommand(nil, words...), 1)
	if err != nil {
		return "", fmt.Errorf("%q: %w", words, err)
	}
	// Of a bulk string what follows its length.
	_, _, next, err := head(replies[0], 0)
	if replies[0][0] != '$' {
		next = 0
	}
	return string(bytes.TrimSpace(replies[0][next:])), err
}

// list gives a command whose reply is an array of bulk strings.
func (n *member) list(words ...string) ([]string, error) {
	replies, err := ask(n.fd, appendCommand(nil, words...), 1)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", words, err)
	}
	return bulks(replies[0])
}

// bulks are the elements of an array of bulk strings.
func bulks(reply []byte) ([]string, error) {
	kind, count, at, err := head(reply, 0)
	if err != nil {
		return nil, err
	}
	if kind != '*' {
		return nil, fmt.Errorf("%w: expected an array, got %.40q", errNotRESP, reply)
	}
	var list []string
	for range count {
		kind, n, next, err := head(reply, at)
		if err != nil {
			return nil, err
		}
		if kind != '$' || n < 0 || next+n > len(reply) {
			return nil, fmt.Errorf("%w: expected a bulk string, got %.40q", errNotRESP, reply[at:])
		}
		list = append(list, string(reply[next:next+n]))
		at = next + n + 2
	}
	return list, nil
}

// formCluster makes a server that runs, and two more that it starts, one
// cluster. slots says which each is given; nil for a first one that has all.
func formCluster(ctx context.Context, first *instance, more *contender, clients int, slots func(i int) (from, to int)) (all []*member, end func(), err error) {
	end = func() {
		for _, n := range all {
			hangUp(n.fd)
			if n.instance != first {
				n.stop()
			}
		}
	}
	for i := range clusterSize {
		n := &member{instance: first, fd: -1}
		if i > 0 {
			if n.instance, err = more.start(ctx, clients, false); err != nil {
				return nil, end, err
			}
		}
		all = append(all, n)
		if n.fd, err = dial("tcp", fmt.Sprintf("%s:%d", n.host, n.port)); err != nil {
			return nil, end, err
		}
		if n.id, err = n.ask("CLUSTER", "MYID"); err != nil {
			return nil, end, err
		}
		// As redis-cli does: nodes that meet with one epoch settle that by
		// taking new ones, and a slot that moves meanwhile may move back.
		commands := [][]string{{"CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i + 1)}}
		if slots != nil {
			from, to := slots(i)
			commands = append(commands, []string{"CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(from), strconv.Itoa(to)})
		}
		if i > 0 {
			commands = append(commands, []string{"CLUSTER", "MEET", first.host, strconv.Itoa(first.port)})
		}
		for _, words := range commands {
			if _, err = n.ask(words...); err != nil {
				return nil, end, err
			}
		}
	}
	return all, end, awaitLinks(ctx, all)
}

// awaitLinks returns once every node is linked with all others, knows whose the
// slots are, and serves.
func awaitLinks(ctx context.Context, all []*member) error {
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	late := time.After(startTimeout)
	for _, n := range all {
		for {
			nodes, err := n.ask("CLUSTER", "NODES")
			if err != nil {
				return err
			}
			info, err := n.ask("CLUSTER", "INFO")
			if err != nil {
				return err
			}
			if strings.Count(nodes, " connected") == len(all) &&
				strings.Contains(info, "cluster_state:ok\r\n") && strings.Contains(info, "cluster_slots_assigned:16384\r\n") {
				break
			}
			select {
			case <-poll.C:
			case <-late:
				return fmt.Errorf("no cluster of %d nodes after %v:\n%s\n%s", len(all), startTimeout, info, nodes)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}
