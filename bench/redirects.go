//go:build linux

package main

import (
	"fmt"
	"strconv"
	"strings"
)

// counts is what the servers have counted, by figure.
type counts map[string]float64

// countRedirects adds up what the nodes say of refused commands, and of commands
// that read the map.
func countRedirects(all []*member) (counts, error) {
	sum := counts{}
	for _, n := range all {
		for _, section := range []string{"errorstats", "commandstats"} {
			text, err := n.ask("INFO", section)
			if err != nil {
				return nil, err
			}
			if err := sum.add(text); err != nil {
				return nil, err
			}
		}
	}
	return sum, nil
}

// mapReaders are the commands by which clients read the map.
var mapReaders = map[string]string{
	"cmdstat_cluster|slots": keySlots, "cmdstat_cluster|shards": keyShards, "cmdstat_cluster|nodes": keyNodes,
}

// add adds a text of INFO: lines such as
//
//	errorstat_MOVED:count=5
//	cmdstat_cluster|slots:calls=3,usec=…
func (c counts) add(info string) error {
	for line := range strings.Lines(info) {
		name, fields, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		key, wanted := mapReaders[name]
		if kind, is := strings.CutPrefix(name, "errorstat_"); is {
			wanted = true
			switch kind {
			case "MOVED":
				key = keyMoved
			case "ASK":
				key = keyAsk
			default:
				key = keyOtherErrors
			}
		}
		if !wanted {
			continue
		}
		first, _, _ := strings.Cut(fields, ",")
		_, value, _ := strings.Cut(first, "=")
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("INFO: a count in %q: %w", line, err)
		}
		c[key] += n
	}
	return nil
}

// since is the difference to an earlier count, for every figure.
func (c counts) since(before counts) values {
	out := values{}
	for _, key := range []string{keyMoved, keyAsk, keyOtherErrors, keySlots, keyShards, keyNodes} {
		out[key] = c[key] - before[key]
	}
	return out
}
