//go:build linux

package main

import (
	"fmt"
	"io"
	"strings"
)

// markdownColumns are the figures of a reshard in the table for the README.
var markdownColumns = []struct{ key, head string }{
	{keyMoved, "MOVED"}, {keyAsk, "ASK"}, {keySlots, "CLUSTER SLOTS"}, {keyErrors, "errors"}, {keyOperations, "operations"},
	{keyLatency + "p50", "p50 µs"}, {keyLatency + "p99", "p99 µs"}, {keyLatency + "max", "max µs"}, {keyMoves, "moves ms"},
}

// printMarkdown prints the reshards among the results as one table, a line for
// each client and mode, as medians with their spread, and how many of the MOVED
// the mode saves. Without a reshard it prints nothing.
func printMarkdown(w io.Writer, results []*result) {
	head := []string{"client", "", "MOVED saved"}
	line := []string{"---", "---", "--:"}
	for _, c := range markdownColumns {
		head, line = append(head, c.head), append(line, "--:")
	}
	row := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	begun := false
	for _, res := range results {
		m, is := res.measurement.(*reshard)
		if !is {
			continue
		}
		if !begun {
			begun = true
			fmt.Fprintln(w)
			row(head)
			row(line)
		}
		for _, c := range res.contenders {
			cells := []string{m.client.Name, c.Name, ""}
			saved := comparison{of: c.Name, to: []string{res.reference}}
			if s, ok := res.ratio(saved, figure{Key: keyMoved}); ok && res.compares(c.Name, res.reference) {
				cells[2] = percent(1 - s.Median)
			}
			for _, col := range markdownColumns {
				s, ok := spreadOf(column(res.of(c.Name), col.key))
				cells = append(cells, spreadText(s, ok, 0))
			}
			row(cells)
		}
	}
}

func percent(share float64) string { return number(100*share, 1) + " %" }
