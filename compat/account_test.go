package compat

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// An account is what a subscribing program has told so far.
type account struct {
	*process
	subscribed []string
	payloads   map[string][]any // by channel
	patterned  []string         // the channels of messages that came by a pattern
	errors     []string
	ended      bool
}

func newAccount(p *process) *account { return &account{process: p, payloads: map[string][]any{}} }

// until reads lines until a condition holds; false if the program has ended
// before, or the time is over.
func (a *account) until(d time.Duration, holds func() bool) bool {
	a.t.Helper()
	deadline := time.Now().Add(d)
	for !holds() {
		line, ok, inTime := a.within(time.Until(deadline))
		if !inTime {
			return false
		}
		if !ok {
			a.ended = true
			return false
		}
		a.take(line)
	}
	return true
}

func (a *account) take(line string) {
	a.t.Helper()
	what, rest, _ := strings.Cut(line, " ")
	switch what {
	case "subscribed":
		a.subscribed = append(a.subscribed, rest)
	case "error":
		a.errors = append(a.errors, rest)
	case "message", "pmessage":
		if what == "pmessage" {
			_, rest, _ = strings.Cut(rest, " ")
		}
		channel, text, _ := strings.Cut(rest, " ")
		var payload any
		require.NoError(a.t, json.Unmarshal([]byte(text), &payload), "%s\n%s", line, a.story())
		a.payloads[channel] = append(a.payloads[channel], payload)
		if what == "pmessage" {
			a.patterned = append(a.patterned, channel)
		}
	default:
		require.FailNow(a.t, "a line that no program prints", "%s\n%s", line, a.story())
	}
}

// confirmed reports whether all these channels are.
func (a *account) confirmed(channels ...string) func() bool {
	return func() bool {
		return !slices.ContainsFunc(channels, func(c string) bool { return !slices.Contains(a.subscribed, c) })
	}
}

// has reports whether a message has come to a channel.
func (a *account) has(channel string, payload any) func() bool {
	return func() bool { return slices.Contains(a.payloads[channel], payload) }
}
