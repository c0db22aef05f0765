// Package transcript plays conversations with a server that are written down
// in text files: what each client sends, and the exact bytes that come back.
// The same file is played against redis-server and against slotcast, once in
// RESP2 and once after HELLO 3, so an expectation that Redis does not share
// cannot be invented.
//
// It owns the format, the parser, the player and the recorder; it knows
// nothing of slotcast's other packages and speaks to a server through a
// socket alone. A File is immutable after Parse and may be played by several
// tests at once; a play belongs to the goroutine that runs it.
//
// # The format
//
// A file opens with a comment that says what it shows. Then, line by line:
//
//	a> SET key "a value"     connection a sends a command, as a RESP array
//	a>> "PING\r\n"           connection a sends these bytes
//	a~> GET key              a asks again and again until the answer is the expected one
//	a< "+OK\r\n"             what a receives next, byte for byte
//	a<3 "_\r\n"              the same, in the RESP3 play only; a<2 in the RESP2 play only
//	b< ">3\r\n…"             what another connection receives, in this order
//	a quiet                  nothing more has come for a (asked with a PING, so not within MULTI)
//	a close                  the client ends the connection
//	a closed                 the server has ended the connection
//	server --maxmemory 1mb   a fresh process with these arguments; "server state=fail …" if
//	                         the cluster is meant to be down
//	nodes … end              the cluster file of the server directive before it
//	protocol 2 … end         steps of the RESP2 play only; also protocol 3
//	only slotcast … end      steps which Redis cannot play
//	only redis "reason" … end
//	differs "reason"         the step before it is answered differently on purpose:
//	a< redis "…"             what Redis answers
//	a< slotcast "…"          what slotcast answers
//
// A connection is opened by its first use; in the RESP3 play it says HELLO 3
// at once. At the end of a play every connection still open is half-closed
// and read to its end: a byte that nobody expected fails the play.
//
// Words are bare, or quoted with the escapes \r \n \t \a \b \\ \" \xHH;
// "x"*1000 repeats. In quoted text these stand for what must vary:
//
//	<int> <float>            a number
//	<up-to-100>              a number that shrinks: from nine tenths of 100 to 100
//	<id>                     forty hexadecimal digits
//	<any-line>               bytes up to the end of the line
//	<any-lines>              any number of whole lines (inside bulk, verbatim and text only)
//	<bulk>                   a whole bulk string, with its header
//	<any-reply>              a whole reply of any type
//	<x=int>, later <x>       a captured value, also usable in what is sent
//	<port>                   the port of the server
//
// Any other text in angle brackets is spelled \x3c…>. Outside quotes,
// {"…" "…"} takes its members, each one or more whole replies, in any order;
// bulk("…"), verbatim("…") and text("…") take a string whose length varies,
// text being a bulk string in RESP2 and a verbatim one in RESP3; a set inside
// them takes lines in any order.
package transcript

import (
	"path/filepath"
	"strings"
)

// A File is one parsed transcript.
type File struct {
	Path  string
	Title string // the first line of the opening comment
	Steps []Step

	// Reasons of the file's deliberate differences, from its differs and
	// only redis markers.
	Reasons []string

	lines []string
}

type kind int

const (
	send   kind = iota // a command, as a RESP array
	raw                // bytes as they are
	ask                // a command repeated until its reply is the expected one
	quiet              // nothing more has come
	hangUp             // the client closes
	eof                // the server has closed
	fresh              // a new server process
)

// A Step is one line that does something, with what is expected after it.
type Step struct {
	Line     int // the line it stands on, from 1
	kind     kind
	conn     string
	words    []pattern // send, ask: the arguments; raw: one word, the bytes
	args     []string  // fresh: the arguments of the process
	nodes    string    // fresh: its cluster file
	down     bool      // fresh: the cluster is meant to be in state fail
	expects  []expectation
	only     string // target that alone plays it, "" for all
	protocol int    // 2 or 3 if only that play has it, 0 for both
	last     int    // the last line that belongs to it
}

// An expectation is the bytes that one connection receives next.
type expectation struct {
	line     int
	conn     string
	target   string // "" for every target
	protocol int    // 0 for both
	want     pattern
	text     string // as it stands in the file
}

func (s *Step) plays(target string, protocol int) bool {
	return (s.only == "" || s.only == target) && (s.protocol == 0 || s.protocol == protocol)
}

func (e *expectation) holds(target string, protocol int) bool {
	return (e.target == "" || e.target == target) && (e.protocol == 0 || e.protocol == protocol)
}

// playable reports whether there is a step for that play.
func (f *File) playable(target string, protocol int) bool {
	for i := range f.Steps {
		if f.Steps[i].plays(target, protocol) {
			return true
		}
	}
	return false
}

// sharesServer reports whether the file opens on the server that all files
// without a server line share.
func (f *File) sharesServer() bool {
	return len(f.Steps) > 0 && f.Steps[0].kind != fresh
}

// name is the file's path below the transcripts' folder, without its ending.
func (f *File) name() string {
	path := strings.TrimSuffix(filepath.ToSlash(f.Path), ".txt")
	if i := strings.LastIndex(path, "transcripts/"); i >= 0 {
		path = path[i+len("transcripts/"):]
	}
	return path
}
