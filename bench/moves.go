//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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

func (m *slotMoves) measure(ctx context.Context, in *instance) (values, error) {
	// The server, which owns all slots, is the first of three.
	empty := *in.contender
	empty.Command = append(slices.Clone(empty.Command), "--cluster-enabled", "yes")
	all, end, err := formCluster(ctx, in, &empty, m.clients(), nil)
	defer end()
	if err != nil {
		return nil, err
	}
	source, target, watched := all[0], all[1], all[2]
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
