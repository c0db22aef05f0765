//go:build linux

package main

import "slotcast/clusterstate"

// cause is what makes the messages come.
type cause struct {
	run   func() error
	close func()
	// watched adds what the bus took to answer since the last call.
	watched func(out values, longest, usual, count string) error
}

func (m *shardFailover) cause(in *instance, mode string) (*cause, error) {
	if mode == modePublish {
		return m.publication(in)
	}
	return m.claim(in)
}

// publication is all messages in one pipeline of PUBLISH.
func (m *shardFailover) publication(in *instance) (*cause, error) {
	fd, err := dial(in.network, in.addr)
	if err != nil {
		return nil, err
	}
	var commands []byte
	for _, text := range m.texts() {
		commands = append(commands, appendCommand(nil, "PUBLISH", ordinaryChannel, text)...)
	}
	return &cause{
		run: func() error {
			_, err := ask(fd, commands, m.slots)
			return err
		},
		close:   func() { hangUp(fd) },
		watched: func(values, string, string, string) error { return nil },
	}, nil
}

// claim is the PING of the successor, while the bus is watched by another node.
func (m *shardFailover) claim(in *instance) (*cause, error) {
	var claimed, others []int
	for i := range m.slots {
		claimed = append(claimed, m.slot(i))
	}
	for slot := watchingNode; slot < clusterstate.Slots; slot += mapOwners {
		others = append(others, slot)
	}
	successor, err := newBusPeer(in, m.successor(), claimed)
	if err != nil {
		return nil, err
	}
	watcher, err := newBusPeer(in, m.nodes[watchingNode], others)
	if err != nil {
		successor.close()
		return nil, err
	}
	w := &busWatch{peer: watcher}
	if err := w.once(); err != nil { // so that the link is known to be good
		watcher.close()
		successor.close()
		return nil, err
	}
	w.start()
	return &cause{
		run: func() error {
			if err := successor.ping(); err != nil {
				return err
			}
			return successor.pong()
		},
		close: func() {
			w.end()
			successor.close()
		},
		watched: w.take,
	}, nil
}
