// Package quirks knows which client libraries cannot read a message whose
// payload is a nested row, what moves of slots cost those that follow them by
// themselves, and how libraries make themselves known.
//
// The facts are in table.go, one entry for each library; the other files read
// them. The tables never change while the program runs, so everything here may be
// called from any goroutine.
package quirks

import (
	"strconv"
	"strings"
)

// Client is what a connection has said of itself.
type Client struct {
	LibName, LibVersion string // CLIENT SETINFO LIB-NAME and LIB-VER
	Name                string // CLIENT SETNAME, or HELLO's SETNAME
}

// Entry is one library of the table.
type Entry struct {
	// Library is what people call it.
	Library string

	// LibName is the LIB-NAME that it sends. One with something in parentheses
	// behind it is the same library, in the hands of another or on a certain
	// runtime: "go-redis(,go1.26.8)". A star at the end stands for any ending.
	LibName string

	// ClientName is the name that tells where no LIB-NAME is sent. It is
	// compared like LibName, but for the parentheses.
	ClientName string

	// Since is the first LIB-VER that the entry is about, Before the first one
	// that it is no longer about; empty is no limit. A version that is not told
	// is within the limits: text is right in every library.
	Since, Before string

	// Reason is what becomes of a nested row, or what a frame of moves costs.
	Reason string

	// Shown is the cell of the matrix that shows it, "compat: <folder in
	// compat/clients>", or how else it is known: ByHand or BySource.
	Shown string
}

// What Shown says of entries that no cell of the matrix shows.
const (
	ByHand   = "run by hand"
	BySource = "its source"
)

// ReadsText reports whether the client is to be sent JSON text where others
// are sent a nested row.
func ReadsText(c Client) bool {
	_, found := Find(c)
	return found
}

// Find returns the entry that is about the client.
func Find(c Client) (Entry, bool) {
	for _, e := range Table {
		if e.about(c) {
			return e, true
		}
	}
	return Entry{}, false
}

func (e Entry) about(c Client) bool {
	if c.LibName == "" {
		return e.ClientName != "" && matches(e.ClientName, c.Name)
	}
	base, _, _ := strings.Cut(c.LibName, "(")
	return e.LibName != "" && matches(e.LibName, base) && e.covers(c.LibVersion)
}

func matches(pattern, name string) bool {
	if prefix, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(name, prefix)
	}
	return name == pattern
}

func (e Entry) covers(version string) bool {
	if version == "" {
		return true
	}
	return (e.Since == "" || !older(version, e.Since)) && (e.Before == "" || older(version, e.Before))
}

// older compares versions number by number, "9.10" above "9.9". What follows
// the numbers, as in "8.0.0-beta.1", does not count.
func older(a, b string) bool {
	for a != "" || b != "" {
		var x, y int
		x, a = number(a)
		y, b = number(b)
		if x != y {
			return x < y
		}
	}
	return false
}

// number splits the first number off a version, zero if there is none: then
// nothing of it is left either.
func number(version string) (n int, rest string) {
	digits := version
	if end := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = version[:end]
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0, ""
	}
	rest, dotted := strings.CutPrefix(version[len(digits):], ".")
	if !dotted {
		return n, ""
	}
	return n, rest
}
