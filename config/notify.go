package config

import (
	"strings"

	"slotcast/splitargs"
)

// NotifyFlags are the classes of events of notify-keyspace-events.
type NotifyFlags uint32

const (
	NotifyKeyspace NotifyFlags = 1 << iota // K: publish to __keyspace@<db>__:<key>
	NotifyKeyevent                         // E: publish to __keyevent@<db>__:<event>
	NotifyGeneric                          // g: commands of no type, such as DEL and EXPIRE
	NotifyString                           // $
	NotifyList                             // l
	NotifySet                              // s
	NotifyHash                             // h
	NotifyZSet                             // z
	NotifyExpired                          // x
	NotifyEvicted                          // e
	NotifyStream                           // t
	NotifyModule                           // d
	NotifyNew                              // n: a key was added; not part of A
	NotifyKeyMiss                          // m: a read found no key; not part of A

	// NotifyAll is the letter A.
	NotifyAll = NotifyGeneric | NotifyString | NotifyList | NotifySet | NotifyHash |
		NotifyZSet | NotifyExpired | NotifyEvicted | NotifyStream | NotifyModule
)

// notifyClasses and notifyModes are in the order in which CONFIG GET prints
// them. A stands for all classes and hides n, as Redis has it.
var (
	notifyClasses = []notifyLetter{
		{'g', NotifyGeneric}, {'$', NotifyString}, {'l', NotifyList}, {'s', NotifySet},
		{'h', NotifyHash}, {'z', NotifyZSet}, {'x', NotifyExpired}, {'e', NotifyEvicted},
		{'t', NotifyStream}, {'d', NotifyModule}, {'n', NotifyNew},
	}
	notifyModes = []notifyLetter{
		{'K', NotifyKeyspace}, {'E', NotifyKeyevent}, {'m', NotifyKeyMiss},
	}
)

type notifyLetter struct {
	letter byte
	flag   NotifyFlags
}

// ParseNotifyFlags reads letters in any order. It is false if one of them is
// no class.
func ParseNotifyFlags(letters string) (NotifyFlags, bool) {
	var flags NotifyFlags
	for i := range len(letters) {
		flag := notifyFlag(letters[i])
		if flag == 0 {
			return 0, false
		}
		flags |= flag
	}
	return flags, true
}

func notifyFlag(letter byte) NotifyFlags {
	if letter == 'A' {
		return NotifyAll
	}
	for _, set := range [][]notifyLetter{notifyClasses, notifyModes} {
		for _, known := range set {
			if known.letter == letter {
				return known.flag
			}
		}
	}
	return 0
}

// String is the canonical form, as CONFIG GET prints it.
func (f NotifyFlags) String() string {
	var b strings.Builder
	if f&NotifyAll == NotifyAll {
		b.WriteByte('A')
	} else {
		f.write(&b, notifyClasses)
	}
	f.write(&b, notifyModes)
	return b.String()
}

func (f NotifyFlags) write(b *strings.Builder, letters []notifyLetter) {
	for _, known := range letters {
		if f&known.flag != 0 {
			b.WriteByte(known.letter)
		}
	}
}

// notifyEvents is the kind of notify-keyspace-events. Its text says n beside A,
// which is in force like any other letter and yet never shown.
type notifyEvents struct{}

func (notifyEvents) parse(words []string, _ setting) (string, error) {
	flags, ok := ParseNotifyFlags(words[0])
	if !ok {
		return "", fault("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")
	}
	text := flags.String()
	if flags&(NotifyAll|NotifyNew) == NotifyAll|NotifyNew {
		text += "n"
	}
	return text, nil
}

func (notifyEvents) lines(name, text string) []string {
	return []string{name + " " + string(splitargs.AppendQuoted(nil, notifyShown(text)))}
}

// notifyShown is the text as CONFIG GET and REWRITE have it.
func notifyShown(text string) string {
	flags, _ := ParseNotifyFlags(text)
	return flags.String()
}
