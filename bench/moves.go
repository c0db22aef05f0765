//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// slotMoves measures how long a subscriber of one node waits for the row of a
// slot that two others move between them: the news comes by the cluster bus,
// since the subscriber's node is given no command. Of each move the clock
// starts with the new owner's reply to SETSLOT NODE.
type slotMoves struct {
	moves int
}

const (
	keyFromReply = "reply_to_row_us_"
	keyFromSend  = "command_to_row_us_"
	keyAhead     = "rows_ahead_of_reply"
)

func (m *slotMoves) title() string {
	return fmt.Sprintf("slot moves, %s one by one in a cluster of three, a subscriber on the third node", counted(m.moves, "move"))
}

func (m *slotMoves) settings() any {
	return struct {
		Kind  string `json:"kind"`
		Moves int    `json:"moves"`
	}{"moves", m.moves}
}

func (m *slotMoves) clients() int { return spareClients }

// suits only what is started here: the measurement starts two more of it.
func (m *slotMoves) suits(c *contender) bool {
	return c.knows(mustKind("slots")) && c.Attach == ""
}

func (m *slotMoves) figures() []figure {
	var list []figure
	for _, from := range []struct{ key, label string }{
		{keyFromReply, "SETSLOT's reply to row"}, {keyFromSend, "SETSLOT to row"},
	} {
		for _, q := range quantiles {
			list = append(list, figure{Key: from.key + q.key, Label: fmt.Sprintf("%s %s, µs", from.label, q.label), decimals: 1})
		}
	}
	return append(list,
		figure{Key: keyAhead, Label: "rows that came before the reply", noRatio: true},
		figure{Key: keyOtherCores, Label: "cores: all others on the machine", decimals: 2, noRatio: true})
}

// member is a node of the cluster with a connection for commands.
type member struct {
	*instance
	fd int
	id string
}

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

func (m *slotMoves) measure(ctx context.Context, in *instance) (values, error) {
	source, target, watched, end, err := m.form(ctx, in)
	defer end()
	if err != nil {
		return nil, err
	}
	listener := slotsListener("", nestedRow, 2)
	fd, err := dial("tcp", watched.addr)
	if err != nil {
		return nil, err
	}
	defer hangUp(fd)
	if _, err := ask(fd, appendCommand(nil, listener.subscribe, listener.name), 1); err != nil {
		return nil, err
	}
	arrivals := make(chan arrival, 1)
	quit := make(chan struct{})
	defer close(quit)
	go m.listen(fd, listener, arrivals, quit) // ends with the last row, or with an error

	var fromReply, fromSend histogram
	ahead := 0
	before := readBusyTime(in.pid)
	for slot := range m.moves {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sent, replied, err := move(strconv.Itoa(slot), source, target)
		if err != nil {
			return nil, err
		}
		row := <-arrivals
		if row.err != nil {
			return nil, row.err
		}
		if row.at < replied {
			ahead++
		}
		fromReply.record(row.at - replied)
		fromSend.record(row.at - sent)
		if _, err := source.ask("CLUSTER", "SETSLOT", strconv.Itoa(slot), "NODE", target.id); err != nil {
			return nil, err
		}
	}
	_, _, others := before.cores(readBusyTime(in.pid), in.pid)
	out := values{keyAhead: float64(ahead), keyOtherCores: others}
	for _, q := range quantiles {
		out[keyFromReply+q.key] = fromReply.quantile(q.q) / 1000
		out[keyFromSend+q.key] = fromSend.quantile(q.q) / 1000
	}
	return out, nil
}

// move moves a slot without keys as redis-cli does, up to the reply of the new
// owner, with which the move is made.
func move(slot string, source, target *member) (sent, replied int64, err error) {
	if _, err = target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id); err != nil {
		return 0, 0, err
	}
	if _, err = source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id); err != nil {
		return 0, 0, err
	}
	sent = now()
	_, err = target.ask("CLUSTER", "SETSLOT", slot, "NODE", target.id)
	return sent, now(), err
}

// arrival is when a row was there.
type arrival struct {
	at  int64
	err error
}

// listen takes the time of each row: one for each slot, in order.
func (m *slotMoves) listen(fd int, l listener, arrivals chan<- arrival, quit <-chan struct{}) {
	rows := newRowFrames(l.header(2), l.rows, 1)
	tell := func(a arrival) (goOn bool) {
		select {
		case arrivals <- a:
			return a.err == nil
		case <-quit:
			return false
		}
	}
	buf := make([]byte, 0, 64<<10)
	for slot := 0; slot < m.moves; {
		n, err := readSome(fd, buf[len(buf):cap(buf)])
		at := now()
		if err == nil && n == 0 {
			err = fmt.Errorf("no row of slot %d within %v", slot, setupTimeout)
		}
		buf = buf[:len(buf)+n]
		for err == nil && slot < m.moves {
			var used int
			if used, err = rows.parse(buf, slot, true); used == 0 {
				break
			}
			buf = slices.Delete(buf, 0, used)
			slot++
			if !tell(arrival{at: at}) {
				return
			}
		}
		if err != nil {
			tell(arrival{err: err})
			return
		}
	}
}

// form makes the server, which owns all slots, the first of three.
func (m *slotMoves) form(ctx context.Context, in *instance) (source, target, watched *member, end func(), err error) {
	var ends []func()
	end = func() {
		for _, f := range slices.Backward(ends) {
			f()
		}
	}
	empty := *in.contender
	empty.Command = append(slices.Clone(empty.Command), "--cluster-enabled", "yes")
	var all []*member
	for i := range 3 {
		n := &member{instance: in}
		if i > 0 {
			if n.instance, err = empty.start(ctx, m.clients(), false); err != nil {
				return nil, nil, nil, end, err
			}
			ends = append(ends, n.stop)
		}
		if n.fd, err = dial("tcp", fmt.Sprintf("%s:%d", n.host, n.port)); err != nil {
			return nil, nil, nil, end, err
		}
		ends = append(ends, func() { hangUp(n.fd) })
		if n.id, err = n.ask("CLUSTER", "MYID"); err != nil {
			return nil, nil, nil, end, err
		}
		// As redis-cli does: nodes that meet with one epoch settle that by
		// taking new ones, and a slot that moves meanwhile may move back.
		if _, err = n.ask("CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1)); err != nil {
			return nil, nil, nil, end, err
		}
		if i > 0 {
			if _, err = n.ask("CLUSTER", "MEET", in.host, strconv.Itoa(in.port)); err != nil {
				return nil, nil, nil, end, err
			}
		}
		all = append(all, n)
	}
	return all[0], all[1], all[2], end, awaitLinks(ctx, all)
}

// awaitLinks returns once every node is linked with all others and knows whose
// the slots are.
func awaitLinks(ctx context.Context, all []*member) error {
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	late := time.After(startTimeout)
	for _, n := range all {
		for {
			text, err := n.ask("CLUSTER", "NODES")
			if err != nil {
				return err
			}
			b := []byte(text)
			if bytes.Count(b, []byte(" connected")) == len(all) && bytes.HasSuffix(bytes.TrimSpace(slotLine(b)), []byte(" 0-16383")) {
				break
			}
			select {
			case <-poll.C:
			case <-late:
				return fmt.Errorf("no cluster of %d nodes after %v:\n%s", len(all), startTimeout, text)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// slotLine is the line of the node with slots, in the text of CLUSTER NODES.
func slotLine(text []byte) []byte {
	for line := range bytes.Lines(text) {
		if len(bytes.Fields(line)) > 8 {
			return line
		}
	}
	return nil
}
