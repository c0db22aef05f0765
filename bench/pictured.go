//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// pictured is what the picture needs of the JSON file.
type pictured struct {
	Started      time.Time       `json:"started"`
	Machine      machine         `json:"machine"`
	Reference    string          `json:"reference"`
	Rounds       int             `json:"rounds"`
	Servers      []*contender    `json:"servers"`
	Measurements []picturedTable `json:"measurements"`
}

type picturedTable struct {
	Settings json.RawMessage              `json:"settings"`
	Servers  map[string]map[string]spread `json:"servers"`
	Ratios   map[string]map[string]spread `json:"ratios"`
}

// picturedSettings are those that labels are made of; each kind has some.
type picturedSettings struct {
	Subscribers int     `json:"subscribers"`
	Publishers  int     `json:"publishers"`
	Depth       int     `json:"depth"`
	CountedBy   string  `json:"depth_counted_by"`
	Rate        float64 `json:"messages_per_second"`
	Payload     int     `json:"payload_bytes"`
	Channel     string  `json:"channel"`
	Bad         int     `json:"bad_subscribers_of_each_kind"`
	Slots       int     `json:"slots"`
	Ranges      int     `json:"ranges"`
	Connections int     `json:"connections"`
	Pipeline    int     `json:"pipeline"`
	Rest        float64 `json:"rest_seconds"`
}

// pictureRow is one measurement: two figures of both servers.
type pictureRow struct {
	group, label string
	cells        []pictureCell
}

type pictureCell struct {
	label string
	bars  []bar
}

// drawnFigure is a column of a group.
type drawnFigure struct{ key, label string }

// rows are the measurements that both servers took part in.
func (r *pictured) rows() ([]pictureRow, error) {
	var list []pictureRow
	for _, m := range r.Measurements {
		var kind struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(m.Settings, &kind); err != nil {
			return nil, fmt.Errorf("results: settings: %w", err)
		}
		describe := describers[kind.Kind]
		if describe == nil {
			continue // not of two servers, or not for the picture
		}
		var s picturedSettings
		if err := json.Unmarshal(m.Settings, &s); err != nil {
			return nil, fmt.Errorf("results: settings: %w", err)
		}
		own, other := slotcastName, r.Reference
		if kind.Kind == "failover" {
			own, other = own+", "+modeFailover, other+", PUBLISH"
		}
		group, label, figures := describe(s)
		row := pictureRow{group: group, label: label}
		for _, f := range figures {
			mine, has := m.Servers[own][f.key]
			theirs, have := m.Servers[other][f.key]
			if !has || !have || max(mine.Max, theirs.Max) <= 0 {
				continue
			}
			first := bar{class: "own", value: mine}
			if ratio, ok := m.Ratios[own][f.key]; ok {
				first.ratio = "×" + significant(ratio.Median)
			}
			row.cells = append(row.cells, pictureCell{f.label, []bar{first, {class: "other", value: theirs}}})
		}
		if len(row.cells) == len(figures) {
			list = append(list, row)
		}
	}
	return list, nil
}

// more and less say which of two bars is the better one.
const (
	more = " (more is better)"
	less = " (less is better)"
)

// describers say where a measurement stands in the picture, by its kind: under
// which heading, with which label, and which of its figures. A measurement under
// the heading of the one before it has the same figures.
var describers = map[string]func(picturedSettings) (group, label string, figures []drawnFigure){
	"fanout": func(s picturedSettings) (string, string, []drawnFigure) {
		heading := fmt.Sprintf("Fan-out, %d-byte messages", s.Payload)
		if s.Channel != "channel" {
			heading = fmt.Sprintf("Fan-out, %s", s.Channel)
		}
		if s.Rate > 0 {
			return "At a steady rate", fmt.Sprintf("%s messages/s\nto %s subscribers", number(s.Rate, 0), number(float64(s.Subscribers), 0)),
				[]drawnFigure{{"latency_us_p50", "due to receive, p50, µs" + less}, {"latency_us_p99", "due to receive, p99, µs" + less}}
		}
		who := number(float64(s.Subscribers), 0) + " subscribers"
		if s.Publishers > 1 {
			who += fmt.Sprintf(", %d publishers", s.Publishers)
		}
		return heading, fmt.Sprintf("%s\ndepth %d by %s", who, s.Depth, s.CountedBy),
			[]drawnFigure{{keyDeliveries, "deliveries a second" + more}, {keyServerCPU, "server CPU for each, µs" + less}}
	},
	"limits": func(s picturedSettings) (string, string, []drawnFigure) {
		return "Beside slow and dead ones", fmt.Sprintf("%s subscribers, and %d that\nread little or nothing", number(float64(s.Subscribers), 0), len(laggardKinds)*s.Bad),
			[]drawnFigure{{latencyKey("without", "p99"), "p99, µs, without these" + less}, {latencyKey("with", "p99"), "p99, µs, with them" + less}}
	},
	"memory": func(s picturedSettings) (string, string, []drawnFigure) {
		return "Memory for each subscriber", fmt.Sprintf("%s subscribers\nidle for %g s", number(float64(s.Subscribers), 0), s.Rest),
			[]drawnFigure{{keyRested, "bytes, before any message" + less}, {keyAfter, "bytes, after a burst" + less}}
	},
	"failover": func(s picturedSettings) (string, string, []drawnFigure) {
		return "Rows of a failover", fmt.Sprintf("%s rows to %s\nbeside as many PUBLISH", number(float64(s.Slots), 0), number(float64(s.Subscribers), 0)),
			[]drawnFigure{{keyWhole, "seconds until the last has all" + less}, {keyServerCPU, "server CPU for each row, µs" + less}}
	},
	"slots": func(s picturedSettings) (string, string, []drawnFigure) {
		return "CLUSTER SLOTS", fmt.Sprintf("%s ranges\n%s", number(float64(s.Ranges), 0), counted(s.Connections, "connection")),
			[]drawnFigure{{keyReplies, "replies a second" + more}, {keyReplyCPU, "server CPU for each, µs" + less}}
	},
	"requests": pictureCommands,
	"commands": pictureCommands,
}

func pictureCommands(s picturedSettings) (string, string, []drawnFigure) {
	return "Commands", fmt.Sprintf("%s\ndepth %d", counted(s.Connections, "connection"), s.Pipeline),
		[]drawnFigure{{"set_per_second", "SET a second" + more}, {"get_per_second", "GET a second" + more}}
}

// footer says where the figures come from.
func (r *pictured) footer() []string {
	var versions []string
	for _, c := range r.Servers {
		if c.Name == slotcastName || c.Name == r.Reference {
			versions = append(versions, c.Name+" "+c.ownVersion())
		}
	}
	return []string{
		fmt.Sprintf("Medians of %s. %d cores of %s, Linux %s, %s, %s; servers and load generator share them.",
			counted(r.Rounds, "round"), r.Machine.Cores, r.Machine.CPU, r.Machine.Kernel, r.Machine.Go, r.Started.UTC().Format("2 January 2006")),
		strings.Join(versions, "; "),
	}
}
