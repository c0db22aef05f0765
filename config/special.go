package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"slotcast/splitargs"
)

// The kinds of this file belong to one directive each and follow a rule of
// their own.

// directory is the kind of dir. redis-server changes its working directory the
// moment it reads the line, so a relative dir counts from the one before it;
// here the absolute path stands in for that.
type directory struct{}

func (directory) parse(words []string, at setting) (string, error) {
	if words[0] == "" {
		return "", fault(errnoText(syscall.ENOENT))
	}
	path := words[0]
	if !filepath.IsAbs(path) {
		path = filepath.Join(at.dir, path)
	}
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if err != nil {
		return "", fault(errnoText(err))
	}
	if !info.IsDir() {
		return "", fault(errnoText(syscall.ENOTDIR))
	}
	return path, nil
}

func (directory) lines(name, text string) []string {
	return []string{name + " " + string(splitargs.AppendQuoted(nil, text))}
}

// errnoText is the text of a failed system call as C spells it, which is Go's
// with a capital.
func errnoText(err error) string {
	text := err.Error()
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		text = errno.Error()
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// clusterEnabled is the kind of cluster-enabled. Its text is empty unless the
// directive was given: a node that was told nothing owns all slots, one that
// was told yes starts empty. Both are cluster nodes to CONFIG GET.
type clusterEnabled struct{ boolean }

func (clusterEnabled) lines(name, text string) []string {
	if text == "" {
		return nil
	}
	return plainLine(name, text)
}

// replicaOf is the kind of replicaof.
type replicaOf struct{}

func (replicaOf) parse(words []string, _ setting) (string, error) {
	if len(words) != 2 {
		return "", wrongArguments
	}
	if strings.EqualFold(words[0], "no") && strings.EqualFold(words[1], "one") {
		return "", nil
	}
	if port, ok := cInt(words[1]); !ok || port < 0 || port > 65535 {
		return "", fault("Invalid master port")
	}
	return words[0] + " " + words[1], nil
}

func (replicaOf) lines(name, text string) []string {
	if text == "" {
		return nil
	}
	return plainLine(name, text)
}

// unsupportedNames is the kind of ignore-unsupported: names of directives,
// separated by commas or blanks. Lines add up, so that a name on the command
// line does not take back those of the file.
type unsupportedNames struct{}

func (unsupportedNames) parse(words []string, at setting) (string, error) {
	names := strings.Fields(at.old)
	for _, word := range words {
		for _, name := range strings.FieldsFunc(word, isNameSeparator) {
			name = strings.ToLower(name)
			if i, ok := rows[name]; ok {
				name = table[i].name // one of its aliases was given
			} else if _, ok := fileOnly[name]; !ok {
				return "", fault("no such directive: '" + name + "'")
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " "), nil
}

func isNameSeparator(r rune) bool { return r == ',' || r == ' ' }

func (unsupportedNames) lines(name, text string) []string {
	if text == "" {
		return nil
	}
	return plainLine(name, text)
}

// Checks of texts. What is announced stands in nodes.conf, in CLUSTER NODES and
// in redirects, between spaces, commas, colons and line ends: a text with such
// a byte would be read back as something else, or not at all.

func announcedAddress(s string) error {
	if len(s) > 45 { // the longest IPv6 address, and what a bus frame has room for
		return fault("Announced addresses must be less than 46 characters")
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && strings.IndexByte(".:-_%", c) < 0 {
			return fault("Announced addresses may only contain alphanumeric characters and . : - _ %")
		}
	}
	return nil
}

func hostname(s string) error {
	if len(s) >= 256 {
		return fault("Hostnames must be less than 256 characters")
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '.' {
			return fault("Hostnames may only contain alphanumeric characters, hyphens or dots")
		}
	}
	return nil
}

func humanNodename(s string) error {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("!#$%&()*+:;<>?@[]^{|}~,='\"\\", c) >= 0 {
			return fault("Announced human node name contained invalid character")
		}
	}
	return nil
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// fileName refuses paths: the file goes into dir.
func fileName(directive, noun string) func(string) error {
	return func(s string) error {
		if strings.ContainsAny(s, `/\`) {
			return fault(directive + " can't be a path, just a " + noun)
		}
		return nil
	}
}

// processTitle checks proc-title-template: its variables are known, each is
// closed, and something is left to show when the title proper is empty. Doubled
// braces stand for themselves.
func processTitle(s string) error {
	const bad = fault("template format is invalid or contains unknown variables")
	shown := false
	for i := 0; i < len(s); i++ {
		if s[i] != '{' {
			shown = shown || s[i] != ' '
			continue
		}
		if strings.HasPrefix(s[i:], "{{") {
			shown = true
			i++
			continue
		}
		name, _, closed := strings.Cut(s[i+1:], "}")
		if !closed {
			return bad
		}
		switch name {
		case "title", "unixsocket", "config-file":
		case "listen-addr", "server-mode", "port", "tls-port":
			shown = true
		default:
			return bad
		}
		i += len(name) + 1
	}
	if !shown {
		return bad
	}
	return nil
}
