package config

import (
	"slices"
	"strconv"
	"strings"

	"slotcast/splitargs"
)

// kind is the type of a directive: what it accepts and how it is written.
type kind interface {
	// parse checks the words of a value and returns its text as CONFIG GET
	// prints it. Unless the row is flagged multi there is exactly one word.
	parse(words []string, at setting) (string, error)

	// lines returns the lines by which a configuration file sets the value;
	// none if it is set by the absence of the directive.
	lines(name, text string) []string
}

// setting is what a kind may need to know besides the words.
type setting struct {
	old   string // the text so far
	again bool   // an earlier line of the same configuration has set it
	dir   string // what relative paths are relative to
}

// fault is an error whose text is Redis's own, ready for the client.
type fault string

func (f fault) Error() string { return string(f) }

const wrongArguments = fault("wrong number of arguments")

// boolean is yes or no.
type boolean struct{}

func (boolean) parse(words []string, _ setting) (string, error) {
	switch strings.ToLower(words[0]) {
	case "yes":
		return "yes", nil
	case "no":
		return "no", nil
	}
	return "", fault("argument must be 'yes' or 'no'")
}

func (boolean) lines(name, text string) []string { return plainLine(name, text) }

// integer is a decimal number within min and max. A nonzero clampMin or
// clampMax moves what is accepted but out of use to the nearest value in use,
// as Redis does in silence.
type integer struct {
	min, max           int64
	clampMin, clampMax int64
}

func (k integer) parse(words []string, _ setting) (string, error) {
	n, ok := parseInt(words[0])
	if !ok {
		return "", fault("argument couldn't be parsed into an integer")
	}
	if n < k.min || n > k.max {
		return "", outOfRange(strconv.FormatInt(k.min, 10), strconv.FormatInt(k.max, 10))
	}
	if k.clampMin != 0 {
		n = max(n, k.clampMin)
	}
	if k.clampMax != 0 {
		n = min(n, k.clampMax)
	}
	return strconv.FormatInt(n, 10), nil
}

func (integer) lines(name, text string) []string { return plainLine(name, text) }

// octal is a file mode.
type octal struct{ max int64 }

func (k octal) parse(words []string, _ setting) (string, error) {
	n, err := strconv.ParseInt(words[0], 8, 64)
	if err != nil {
		return "", fault("argument couldn't be parsed as an octal number")
	}
	if n < 0 || n > k.max {
		return "", outOfRange("0", strconv.FormatInt(k.max, 8))
	}
	return strconv.FormatInt(n, 8), nil
}

func (octal) lines(name, text string) []string { return plainLine(name, text) }

// enumeration is one of its names. same maps names onto the one that CONFIG
// GET prints for them.
type enumeration struct {
	names []string
	same  map[string]string
}

func oneOf(names ...string) enumeration { return enumeration{names: names} }

func (k enumeration) parse(words []string, _ setting) (string, error) {
	name := strings.ToLower(words[0])
	if !slices.Contains(k.names, name) {
		return "", notOneOf(k.names)
	}
	if printed, ok := k.same[name]; ok {
		name = printed
	}
	return name, nil
}

func (enumeration) lines(name, text string) []string { return plainLine(name, text) }

// str is any text. Where empty means that there is none (rather than an empty
// name), none is written to a configuration file.
type str struct {
	emptyIsNone bool
	check       func(string) error // nil accepts everything
}

func (k str) parse(words []string, _ setting) (string, error) {
	if k.check != nil {
		if err := k.check(words[0]); err != nil {
			return "", err
		}
	}
	return words[0], nil
}

func (k str) lines(name, text string) []string {
	if text == "" && k.emptyIsNone {
		return nil
	}
	return []string{name + " " + string(splitargs.AppendQuoted(nil, text))}
}

func plainLine(name, text string) []string { return []string{name + " " + text} }

func outOfRange(low, high string) error {
	return fault("argument must be between " + low + " and " + high + " inclusive")
}

func notOneOf(names []string) error {
	return fault("argument(s) must be one of the following: " + strings.Join(names, ", "))
}

// parseInt reads a number in the one spelling that Redis accepts: no sign but
// a minus, no leading zero, no blank.
func parseInt(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}
