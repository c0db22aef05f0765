package config

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"slotcast/splitargs"
)

// maxIncludes bounds how deep files include each other, so that one that
// includes itself is an error and not the end of memory.
const maxIncludes = 32

// loader reads lines one after the other.
type loader struct {
	texts    []string
	set      map[int]place // the rows that were set, and where last
	dir      string        // absolute: what relative paths are relative to
	depth    int
	fileOnly []fileOnlyLine
}

// place is a line of configuration.
type place struct {
	source string
	number int
	text   string
}

func (p place) wrong(reason string) error {
	return &LoadError{Source: p.source, Line: p.number, Text: p.text, Reason: reason}
}

// fileOnlyLine is a line that is no setting; it is judged when all is read.
type fileOnlyLine struct {
	name  string
	words []string // without the name
	at    place
}

// files reads the file at path, or all that match if it is a pattern. A
// pattern that matches none is no error, so that an empty folder of fragments
// can be included.
func (l *loader) files(path string) error {
	paths := []string{path}
	if strings.ContainsAny(path, "*?[") {
		matches, err := filepath.Glob(path)
		if err != nil {
			return &LoadError{Reason: "Fatal error, can't open config file '" + path + "': " + err.Error()}
		}
		paths = withoutHidden(path, matches)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return &LoadError{Reason: "Fatal error, can't open config file '" + path + "': " + errnoText(err)}
		}
		if err := l.text(path, string(data)); err != nil {
			return err
		}
	}
	return nil
}

// withoutHidden drops the files whose leading dot the pattern does not spell
// out, as the shell does and Go does not.
func withoutHidden(pattern string, matches []string) []string {
	if strings.HasPrefix(filepath.Base(pattern), ".") {
		return matches
	}
	var shown []string
	for _, match := range matches {
		if !strings.HasPrefix(filepath.Base(match), ".") {
			shown = append(shown, match)
		}
	}
	return shown
}

func (l *loader) stdin(r io.Reader) error {
	if r == nil {
		return &LoadError{Reason: "there is no standard input to read the configuration from"}
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return &LoadError{Reason: "the configuration on standard input cannot be read: " + errnoText(err)}
	}
	return l.text("standard input", string(data))
}

func (l *loader) text(source, text string) error {
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if err := l.line(place{source: source, number: number, text: line}); err != nil {
			return err
		}
	}
	return nil
}

func trimLine(line string) string { return strings.Trim(line, " \t\r") }

func (l *loader) line(at place) error {
	at.text = trimLine(at.text)
	if at.text == "" || at.text[0] == '#' {
		return nil
	}
	// A C string ends there, and what follows would be dropped in silence.
	if strings.IndexByte(at.text, 0) >= 0 {
		return at.wrong("NUL byte in configuration line")
	}
	words, ok := split(at.text)
	if !ok {
		return at.wrong("Unbalanced quotes in configuration line")
	}
	if len(words) == 0 {
		return nil
	}
	name, values := strings.ToLower(words[0]), words[1:]
	if i, ok := rows[name]; ok {
		return l.assign(i, values, at)
	}
	switch {
	case name == "include" && len(values) == 1:
		return l.include(values[0], at)
	case name == "rename-command" && len(values) == 2,
		name == "user" && len(values) >= 1,
		name == "loadmodule" && len(values) >= 1,
		name == "sentinel":
		l.fileOnly = append(l.fileOnly, fileOnlyLine{name: name, words: values, at: at})
		return nil
	case outgrown[name] && len(values) == 1:
		return nil
	}
	return at.wrong("Bad directive or wrong number of arguments")
}

func (l *loader) assign(i int, values []string, at place) error {
	d := &table[i]
	if d.has(multi) {
		// One quoted word may hold all values: save "900 1 300 10".
		if len(values) == 1 && values[0] != "" {
			values, _ = split(values[0])
		}
	} else if len(values) != 1 {
		return at.wrong(string(wrongArguments))
	}
	_, again := l.set[i]
	text, err := d.kind.parse(values, setting{old: l.texts[i], again: again, dir: l.dir})
	if err != nil {
		return at.wrong(err.Error())
	}
	l.texts[i] = text
	l.set[i] = at
	if d.name == "dir" {
		l.dir = text
	}
	return nil
}

func (l *loader) include(path string, at place) error {
	if l.depth == maxIncludes {
		return at.wrong("files include each other too deeply")
	}
	l.depth++
	defer func() { l.depth-- }()
	return l.files(absolute(l.dir, path))
}

// split is splitargs for strings.
func split(line string) ([]string, bool) {
	words, ok := splitargs.Split([]byte(line))
	if !ok {
		return nil, false
	}
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return texts, true
}
