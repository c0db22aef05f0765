//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// printTable prints one result: a line for each figure, with the median and
// the spread of each server and of the rounds' ratios to the reference.
func printTable(w io.Writer, res *result) {
	fmt.Fprintf(w, "\n%s\n", res.measurement.title())
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	header := []string{""}
	for _, c := range res.contenders {
		header = append(header, c.Name)
	}
	comparisons := res.comparisons()
	for _, c := range comparisons {
		header = append(header, c.label)
	}
	fmt.Fprintln(tw, strings.Join(header, "\t"))
	for _, f := range res.measurement.figures() {
		line := []string{"  " + f.Label}
		for _, c := range res.contenders {
			s, ok := spreadOf(column(res.of(c.Name), f.Key))
			line = append(line, spreadText(s, ok, f.decimals))
		}
		for _, c := range comparisons {
			s, ok := res.ratio(c, f)
			line = append(line, spreadText(s, ok, 2))
		}
		fmt.Fprintln(tw, strings.Join(line, "\t"))
	}
	tw.Flush()
	for _, r := range res.rounds {
		if r.Error != "" {
			fmt.Fprintf(w, "  failed: round %d of %s: %s\n", r.Round, r.Server, r.Error)
		}
	}
}

// compares reports whether there is a column of ratios for a server.
func (res *result) compares(server, reference string) bool {
	if server == reference {
		return false
	}
	for _, c := range res.contenders {
		if c.Name == reference {
			return true
		}
	}
	return false
}

// comparisons are the columns of ratios: of every server to the reference, and
// what the measurement adds.
func (res *result) comparisons() []comparison {
	var list []comparison
	for _, c := range res.contenders {
		if res.compares(c.Name, res.reference) {
			list = append(list, comparison{label: c.Name + " / " + res.reference, of: c.Name, to: []string{res.reference}})
		}
	}
	if more, has := res.measurement.(compared); has {
		list = append(list, more.comparisons()...)
	}
	return list
}

// ratio compares round by round.
func (res *result) ratio(c comparison, f figure) (spread, bool) {
	if f.noRatio {
		return spread{}, false
	}
	var to [][]float64
	for _, name := range c.to {
		to = append(to, column(res.of(name), f.Key))
	}
	return spreadOf(ratios(column(res.of(c.of), f.Key), means(to)))
}

func spreadText(s spread, ok bool, decimals int) string {
	switch {
	case !ok:
		return "–"
	case s.Rounds == 1 || s.Min == s.Max:
		return number(s.Median, decimals)
	}
	return fmt.Sprintf("%s (%s–%s)", number(s.Median, decimals), number(s.Min, decimals), number(s.Max, decimals))
}

// number prints with a comma every three digits before the point.
func number(v float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	var b strings.Builder
	if v < 0 && strings.Trim(text, "0.") != "" {
		b.WriteByte('-')
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if fraction != "" {
		b.WriteByte('.')
		b.WriteString(fraction)
	}
	return b.String()
}
