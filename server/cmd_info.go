package server

import (
	"fmt"
	"strings"
)

// infoSection is a part of INFO: its title and what writes its lines.
type infoSection struct {
	title  string
	onlyIn string // the group that asks for it: default, all or everything
	write  func(*infoText)
}

// infoSections are in the order of the reply.
var infoSections = []infoSection{
	{"Server", "default", (*infoText).server},
	{"Clients", "default", (*infoText).clients},
	{"Memory", "default", (*infoText).memory},
	{"Persistence", "default", (*infoText).persistence},
	{"Stats", "default", (*infoText).stats},
	{"Replication", "default", (*infoText).replication},
	{"CPU", "default", (*infoText).cpu},
	{"Modules", "default", (*infoText).modules},
	{"Commandstats", "all", (*infoText).commandStats},
	{"Errorstats", "default", (*infoText).errorStats},
	{"Latencystats", "all", (*infoText).latencyStats},
	{"Cluster", "default", (*infoText).cluster},
	{"Keyspace", "default", (*infoText).keyspace},
}

// infoText collects the reply. Its methods, one for each section, are in
// info_server.go and info_stats.go; fields and their order are Redis's. What
// has no meaning here (replicas, persistence, scripts, eviction, defragmentation,
// I/O threads) stands with the value that an idle Redis shows, since tools
// look the names up without asking whether they are there.
type infoText struct {
	strings.Builder
	s   *Server
	now int64
}

// line writes one field.
func (t *infoText) line(name string, value any) {
	fmt.Fprintf(t, "%s:%v\r\n", name, value)
}

// lines writes fields given as text, "name:value" each.
func (t *infoText) lines(fields ...string) {
	for _, f := range fields {
		t.WriteString(f)
		t.WriteString("\r\n")
	}
}

// human writes a number of bytes and the same for people.
func (t *infoText) human(name string, n int64) {
	t.line(name, n)
	t.line(name+"_human", humanBytes(n))
}

// humanBytes spells a number of bytes as Redis does, such as 1.63M.
func humanBytes(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%dB", n)
	}
	value := float64(n)
	for _, unit := range "KMGTP" {
		value /= 1 << 10
		if value < 1<<10 || unit == 'P' {
			return fmt.Sprintf("%.2f%c", value, unit)
		}
	}
	return ""
}

func info(cl *call) {
	t := infoText{s: cl.server, now: cl.now}
	wanted := make(map[string]bool)
	for _, a := range cl.args[1:] {
		wanted[strings.ToLower(string(a))] = true
	}
	if len(wanted) == 0 {
		wanted["default"] = true
	}
	for _, section := range infoSections {
		if !wanted[strings.ToLower(section.title)] && !wanted["all"] && !wanted["everything"] && !wanted[section.onlyIn] {
			continue
		}
		if t.Len() > 0 {
			t.WriteString("\r\n")
		}
		t.WriteString("# " + section.title + "\r\n")
		section.write(&t)
	}
	cl.reply.Verbatim("txt", t.String())
}
