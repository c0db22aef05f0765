//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// report is the JSON file.
type report struct {
	Started      time.Time       `json:"started"`
	Machine      machine         `json:"machine"`
	Reference    string          `json:"reference"`
	Rounds       int             `json:"rounds"`
	Unix         bool            `json:"unix_socket"`
	Servers      []*contender    `json:"servers"`
	Measurements []reportedTable `json:"measurements"`
}

// reportedTable is a result with every round and what the table makes of them.
type reportedTable struct {
	Title    string `json:"title"`
	Settings any    `json:"settings"`
	// Reference is what the ratios refer to, if it is not that of the report.
	Reference string                       `json:"reference,omitempty"`
	Figures   []figure                     `json:"figures"`
	Rounds    []round                      `json:"rounds"`
	Servers   map[string]map[string]spread `json:"servers"` // by server and figure
	Ratios    map[string]map[string]spread `json:"ratios"`  // to the reference, by server, and others by label
}

func (r *report) add(res *result) {
	t := reportedTable{
		Title: res.measurement.title(), Settings: res.measurement.settings(), Figures: res.measurement.figures(),
		Rounds: res.rounds, Servers: map[string]map[string]spread{}, Ratios: map[string]map[string]spread{},
	}
	if res.reference != r.Reference {
		t.Reference = res.reference
	}
	for _, c := range res.contenders {
		own := map[string]spread{}
		for _, f := range t.Figures {
			if s, ok := spreadOf(column(res.of(c.Name), f.Key)); ok {
				own[f.Key] = s
			}
		}
		t.Servers[c.Name] = own
	}
	for _, c := range res.comparisons() {
		ratio := map[string]spread{}
		for _, f := range t.Figures {
			if s, ok := res.ratio(c, f); ok {
				ratio[f.Key] = s
			}
		}
		if len(ratio) > 0 {
			t.Ratios[c.key(res.reference)] = ratio
		}
	}
	r.Measurements = append(r.Measurements, t)
}

// text is the file's content.
func (r *report) text() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return append(text, '\n'), nil
}

func (r *report) write(path string) error {
	text, err := r.text()
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
